# SPDX-License-Identifier: Apache-2.0
"""Collectives on 1 to 4 ranks: sizes that nothing divides, no bytes at all, odd types, every way to call."""
import hashlib
import unittest

from harness import ALL, run
from measuring import Measuring

ROUTINES = ("allgather allgatherv allreduce alltoall alltoallv alltoallw broadcast gather gatherv reduce reduce_scatter "
            "reduce_scatter_block scatter scatterv").split()
NEIGHBORS = "allgather allgatherv alltoall alltoallv alltoallw".split()
REDUCING = ("allreduce", "reduce", "reduce_scatter", "reduce_scatter_block")
MOVED = {"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "gather", "gatherv", "scatter", "scatterv"}
SIZE_OF = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2, "int64": 8, "uint64": 8, "int32": 4, "uint32": 4, "int8": 1, "uint8": 1,
           "fp8_e4m3": 1, "fp8_e5m2": 1}


class Collectives(Measuring):
    def test_neighbors_in_a_ring(self):
        names = "|".join(f"neighbor_{name}" for name in NEIGHBORS)
        calls = ("blocking", "nonblocking", "persistent")
        table = self.measure(4, f"^micro/({names})$", "ranks=3,4", "memory=host", "bytes=0,20,4097", f"call={','.join(calls)}",
                             "dtype=int32")
        self.assertEqual(len(table), len(NEIGHBORS) * 2 * 3 * len(calls))
        self.check_all_right(table)
        for key, row in table.items():
            size = row["params"]["bytes"] // 4 * 4
            self.assertEqual((row["facts"]["neighbors"], row["facts"]["grid"]), (2, str(row["params"]["ranks"])), key)
            self.assertEqual(row["facts"]["total_bytes"], 2 * size, key)
            self.assertEqual(row["verified"]["checked"] % (2 * row["params"]["ranks"] * max(1, size // 4)), 0, key)
            self.assertNotIn("bus_bandwidth", row["metrics"])
        small = self.measure(4, "^micro/neighbor_allgather$", "memory=host", "bytes=8", "dimensions=1,2", "radius=1,2")
        self.assertEqual({(row["params"].get("dimensions", 1), row["params"].get("radius", 1)): row["reason"] for row in small.values()
                          if row["status"] == "skipped"},
                         {(dimensions, radius): f"a grid of {grid} ranks is too small for neighbors up to {radius} away"
                          for dimensions, radius, grid in ((1, 2, "4"), (2, 1, "2x2"), (2, 2, "2x2"))})

    def test_neighbors_in_a_graph(self):
        what = f"^micro/({'|'.join(f'neighbor_{name}' for name in NEIGHBORS)})$", "memory=host", "bytes=0,4097", "neighbors=graph"
        edges = self.path("edges.csv")
        with open(edges, "w") as file:
            file.write("# rank 2 sends to none, rank 3 gets from none\n0,1\n0,2\n1,0\n1,2\n3,2\n3,0\n3,1\n")
        table = self.measure(4, *what, "ranks=4", "call=blocking,persistent", options=("-n", "3", "-w", "1", "--data", f"neighbors={edges}"))
        self.assertEqual(len(table), len(NEIGHBORS) * 2 * 2)
        self.check_all_right(table)
        for key, row in table.items():
            self.assertEqual((row["facts"]["edges"], row["facts"]["neighbors"]), (7, 3), key)
            self.assertEqual(row["facts"]["graph"], hashlib.sha256(self.content(edges)).hexdigest()[:16])
            self.assertEqual(row["facts"]["total_bytes"], 3 * row["params"]["bytes"], key)
        for options, reason in (((), "neighbors=graph needs --data neighbors=FILE with lines SOURCE,TARGET"),
                                (("--data", "neighbors=/nowhere"), "/nowhere: No such file or directory"),
                                (("--data", f"neighbors={edges}"), f"{edges}: line 6: '3,2' is no edge of 3 ranks (SOURCE,TARGET)")):
            table = self.measure(3, *what, options=options, code=4)
            self.assertEqual({row["reason"] for row in table.values()}, {reason})

    def test_every_routine_on_one_to_four_ranks(self):
        # The last root of an uneven number of ranks, both places, and sizes that ranks and types do not divide.
        for ranks, types in ((1, "fp64"), (2, "bf16"), (3, "fp64,int8"), (4, "int32")):
            with self.subTest(ranks=ranks):
                table = self.measure(ranks, f"^micro/({'|'.join(ROUTINES)})$", f"ranks={ranks}", "memory=host", "bytes=0,20,4097",
                                     f"root={ranks - 1}", "in_place=true,false", f"dtype={types}", options=("-n", "2", "-w", "0"))
                self.check_all_right(table, "hold no element of .* for every rank")
                self.assertEqual({row["name"] for row in table.values()}, {f"micro/{name}" for name in ROUTINES})
                for row in table.values():
                    if row["status"] == "ok":
                        self.check_facts(row, ranks)

    def check_facts(self, row, ranks):
        name = row["name"].removeprefix("micro/")
        requested = row["params"]["bytes"]
        unit = SIZE_OF[row["params"].get("dtype", "fp32" if name in REDUCING else "int8")]
        unit *= ranks if name.startswith("reduce_scatter") else 1
        used = requested // unit * unit
        total = used * ranks if name in MOVED else used
        self.assertEqual(row["facts"]["total_bytes"], total, row["key"])
        self.assertEqual(row["facts"].get("requested_bytes", used), requested, row["key"])
        self.assertNotIn("peak_fraction", row["metrics"])
        why = "no link: one rank" if ranks == 1 else "no link: shared memory"
        self.assertEqual(row["facts"].get("peak_missing"), why if used else None, row["key"])

    def test_every_reduction_and_type(self):
        table = self.measure(3, "^micro/(allreduce|reduce|reduce_scatter)$", "ranks=3", "memory=host", "bytes=1000",
                             "dtype=" + ",".join(SIZE_OF), "op=sum,prod,min,max,avg")
        self.check_all_right(table)
        self.assertEqual(len(table), 3 * len(SIZE_OF) * 5)
        for key, row in table.items():
            ours = row["params"].get("dtype") in ("fp16", "bf16", "fp8_e4m3", "fp8_e5m2") or row["params"].get("op") == "avg"
            self.assertEqual(row["facts"].get("emulated", False), ours, key)

    def test_every_way_to_call(self):
        table = self.measure(2, f"^micro/({'|'.join(ROUTINES)}|barrier)$", "ranks=2", "bytes=64", "memory=host",
                             "call=blocking,nonblocking,persistent")
        started = [row for key, row in table.items() if "call=nonblocking" in key]
        self.assertEqual(len(started), len(ROUTINES) + 1)
        for row in started:
            metrics = row["metrics"]
            self.assertEqual(row["primary"], "latency")
            self.assertGreaterEqual(metrics["overall_time"]["median"], metrics["compute_time"]["median"])
            self.assertTrue(0 <= metrics["overlap_ratio"]["median"] <= 1, row["key"])
        table.update(self.measure(2, "^micro/(allreduce|alltoall)$", "ranks=2", "bytes=64", "memory=host", "timing=pipelined",
                                  "buffers=1,7"))
        self.assertEqual(len(table), 3 * (len(ROUTINES) + 1) + 4)
        barriers = {key: row for key, row in table.items() if row["name"] == "micro/barrier"}
        self.check_all_right({key: row for key, row in table.items() if key not in barriers})
        for row in barriers.values():
            self.assertEqual(row["status"], "ok")
            self.assertNotIn("bytes", row["params"])

    def test_operations_together_and_data_off_the_start_of_their_memory(self):
        """Each operation has its own buffers and data, and is checked: three times as many elements, for the time of one."""
        def check(filter_, *axes):
            table = self.measure(3, filter_, "ranks=3", "aggregate=1,3", "bytes=4097", "memory=host", *axes, options=("-n", "2", "-w", "0"))
            self.check_all_right(table)
            for key, row in table.items():
                bandwidth, latency = row["metrics"]["bandwidth"], row["metrics"]["latency"]
                self.assertAlmostEqual(bandwidth["median"] * latency["median"] / row["facts"]["total_bytes"], 1, 2, key)
                if row["params"].get("aggregate") == 3:
                    alone = table[key.replace(" aggregate=3", "")]
                    self.assertEqual(row["verified"]["checked"], 3 * alone["verified"]["checked"], key)
            return len(table)
        self.assertEqual(check(f"^micro/({'|'.join(ROUTINES)})$", "unalign=0,1", "call=persistent", "in_place=true,false"), len(ROUTINES) * 8)
        self.assertEqual(check("^micro/alltoall$", "unalign=1", "call=nonblocking", "buffers=2"), 2)
        # Blocking calls of MPI would run in turn: there is no such case.
        refused = run("run", "^micro/allreduce$", "-a", "aggregate=3", "-a", "backend=mpi", "-a", "bytes=8", "--dry-run")
        self.expect(refused, 4)
        self.assertIn("0 cases", refused.stdout)

    def test_groups_communicate_at_once(self):
        for grouping in ("blocks", "strided"):
            table = self.measure(4, f"^micro/({'|'.join(ROUTINES)}|barrier)$", "ranks=4", "groups=2", f"grouping={grouping}", "bytes=20,4097",
                                 "memory=host", "root=1", options=("-n", "2", "-w", "0"))
            self.assertEqual(len(table), 2 * len(ROUTINES) + 1)
            barriers = {key for key, row in table.items() if row["name"] == "micro/barrier"}
            self.check_all_right({key: row for key, row in table.items() if key not in barriers})
            for key, row in table.items():
                if key not in barriers:
                    self.assertEqual(row["facts"]["group_size"], 2, key)
                    name, used = row["name"].removeprefix("micro/"), row["facts"].get("requested_bytes", row["params"]["bytes"])
                    self.assertLessEqual(abs(row["facts"]["total_bytes"] - (2 if name in MOVED else 1) * used), 7, key)
        # Of two ranks a link carries the whole buffer of an allreduce once, of four ranks one and a half times.
        for groups, factor in ((1, 1.5), (2, 1)):
            (row,) = self.measure(4, "^micro/allreduce$", "ranks=4", f"groups={groups}", "bytes=4096", "memory=host", "backend=mpi").values()
            metrics = row["metrics"]
            self.assertAlmostEqual(metrics["bus_bandwidth"]["median"] / metrics["bandwidth"]["median"], factor, places=3)
        (row,) = self.measure(4, "^micro/allreduce$", "ranks=4", "groups=3", "bytes=8", "memory=host", code=4).values()
        self.assertEqual((row["status"], row["reason"]), ("skipped", "4 ranks cannot be divided into 3 groups"))

    def test_skewed_exchanges(self):
        for ranks in (1, 3):
            table = self.measure(ranks, "^micro/alltoallv$", "bytes=4K", "memory=host", f"ranks={ranks}", "skew=0,0.5,2",
                                 "exchange=dispatch,combine", "call=blocking,nonblocking,persistent")
            self.assertEqual(len(table), 3 * (1 + 2 * 2), "equal counts have no direction")
            self.check_all_right(table)
            for key, row in table.items():
                skew = row["params"].get("skew", 0)
                self.assertEqual("bus_bandwidth" in row["metrics"], skew == 0 and ranks > 1, key)
                if skew > 0:
                    whole = sum(1 / k**skew for k in range(1, ranks + 1))
                    self.assertAlmostEqual(row["facts"]["largest_share"], 1 / whole, delta=1e-6, msg=key)
        if '"libtorch": "on' in run("info", "--json", program=ALL).stdout:
            self.check_all_right(self.measure(2, "^micro/alltoallv$", "bytes=5000", "memory=host", "backend=gloo", "skew=1",
                                              "exchange=dispatch,combine", program=ALL))

    def test_collectives_of_separate_blocks(self):
        collectives = ("broadcast", "gather", "scatter", "allgather", "alltoall", "alltoallw")
        table = self.measure(3, "^micro/datatype_collective$", "ranks=3", f"collective={','.join(collectives)}", "packing=datatype,manual",
                             "blocks=strided,irregular", "block=1,6", "stride=0,7", "bytes=6006", options=("-n", "2", "-w", "0"))
        self.check_all_right(table)
        self.assertEqual(len(table), len(collectives) * 2 * 2 * 2 * 2)
        for key, row in table.items():
            params, facts = row["params"], row["facts"]
            self.assertEqual(facts["extent_bytes"], 6006 // params["block"] * (params.get("stride") or 2 * params["block"]), key)
            self.assertEqual(facts["total_bytes"], 6006 * (1 if params["collective"] == "broadcast" else 3), key)

    def test_hypercubes(self):
        table = self.measure(4, "^micro/hypercube$", "ranks=2,3,4", "bytes=1,4097,100K", "memory=host", "backend=mpi")
        self.check_all_right(table, "a hypercube has 2, 4, 8, ... ranks, not 3")
        self.assertEqual(len(table), 3 * 3)
        for key, row in table.items():
            ranks, size = row["params"]["ranks"], row["params"]["bytes"]
            self.assertEqual(row["status"], "skipped" if ranks == 3 else "ok", key)
            if ranks != 3:
                self.assertEqual(row["facts"]["total_bytes"], ranks * size, key)
                self.assertEqual(row["verified"]["checked"] % (ranks * ranks * size), 0, key)

    def test_back_ends_of_libtorch(self):
        build = run("info", "--json", program=ALL).stdout
        table = self.measure(2, f"^micro/({'|'.join(ROUTINES)}|barrier)$", "ranks=2", "bytes=20,4097", "memory=host", "backend=gloo,c10d",
                             "in_place=false,true", code=0 if '"libtorch": "on' in build else 4, program=ALL)
        self.assertTrue(table)
        if '"libtorch": "on' not in build:
            for row in table.values():
                self.assertIn("this build, which lacks LibTorch", row["reason"])
            return
        right = {"c10d": {"allreduce", "allgather", "broadcast", "reduce_scatter"},
                 "gloo": {"allreduce", "allgather", "alltoall", "alltoallv", "broadcast", "gather", "reduce", "reduce_scatter", "scatter"}}
        for key, row in table.items():
            name, backend = row["name"].removeprefix("micro/"), row["params"]["backend"]
            if name in right[backend]:
                self.assertEqual((row["status"], row["reason"], row["verified"]["wrong"]), ("ok", "", 0), key)
            elif row["status"] == "skipped":
                self.assertRegex(row["reason"], "c10d (over MPI )?has no|gloo", key)

    def test_sizes_without_an_element_say_so(self):
        table = self.measure(2, "^micro/allreduce$", "ranks=2", "bytes=3", "memory=host", code=4)
        self.assertEqual([row["reason"] for row in table.values()], ["3 B hold no element of fp32"])
        table = self.measure(2, "^micro/broadcast$", "ranks=2", "bytes=8", "memory=host", "root=2", code=4)
        self.assertEqual([row["reason"] for row in table.values()], ["root 2 of 2 ranks"])

    def test_volume_limits_the_samples(self):
        # No interval may end it before: durations are whole nanoseconds, and half of them may be equal.
        table = self.measure(2, "^micro/allreduce$", "ranks=2", "bytes=4K,1M", "memory=host",
                             options=("--max-volume", "32M", "--min-time", "300s", "--max-time", "300s"))
        counts = {row["params"]["bytes"]: row["metrics"]["latency"]["n"] for row in table.values()}
        self.assertEqual(counts, {4096: 8192, 1 << 20: 32})

if __name__ == "__main__":
    unittest.main()
