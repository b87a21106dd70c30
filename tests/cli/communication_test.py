# SPDX-License-Identifier: Apache-2.0
"""Communication benchmarks on 1 to 4 ranks: sizes that nothing divides, no bytes at all, odd types, every way to call."""
import hashlib
import pathlib
import sys
import unittest

from harness import ALL, ProgramTest, rows, run

FULL = "--full" in sys.argv
ROUTINES = ("allgather allgatherv allreduce alltoall alltoallv alltoallw broadcast gather gatherv reduce reduce_scatter "
            "reduce_scatter_block scatter scatterv").split()
NEIGHBORS = "allgather allgatherv alltoall alltoallv alltoallw".split()
REDUCING = ("allreduce", "reduce", "reduce_scatter", "reduce_scatter_block")
MOVED = {"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "gather", "gatherv", "scatter", "scatterv"}
SIZE_OF = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2, "int64": 8, "uint64": 8, "int32": 4, "uint32": 4, "int8": 1, "uint8": 1,
           "fp8_e4m3": 1, "fp8_e5m2": 1}


class Communication(ProgramTest):
    def measure(self, ranks, filter_, *axes, code=0, options=("-n", "3", "-w", "1"), program=None):
        """The rows of a run on `ranks` ranks."""
        out = self.path("out.h5")
        pairs = [text for axis in axes for text in ("-a", axis)]
        done = run("run", filter_, *pairs, *options, "-o", out, "--force", "--quiet", ranks=ranks, timeout=280,
                   program=program)
        self.expect(done, code)
        return rows(out)

    def check_all_right(self, table, allowed_reason=None):
        self.assertTrue(table)
        for key, row in table.items():
            if row["status"] == "skipped" and allowed_reason:
                self.assertRegex(row["reason"], allowed_reason, key)
            else:
                self.assertEqual((row["status"], row["reason"]), ("ok", ""), key)
                self.assertTrue(row["verified"]["done"], key)
                self.assertEqual(row["verified"]["wrong"], 0, key)

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

    def test_congestion(self):
        table = self.measure(4, "^micro/congestion$", "memory=host", "bytes=4,4100", "victim=ring", "congestor_bytes=8,4K",
                             "congestor=alltoall,incast,broadcast,allreduce,put_incast,get_broadcast")
        self.assertEqual(len(table), 2 * 2 * 6)
        table |= self.measure(4, "^micro/congestion$", "memory=host", "bytes=4,4100", "victim=allreduce,alltoall", "congestor=incast,put_incast")
        self.assertEqual(len(table), 2 * 2 * 6 + 2 * 2 * 2)
        self.check_all_right(table)
        for key, row in table.items():
            self.assertEqual((row["facts"]["victims"], row["facts"]["congestors"], row["facts"]["divided_by"]), (2, 2, "rank"), key)
            self.assertEqual(row["primary"], "loaded_latency")
            for name in ("loaded_latency", "latency", "tail_latency", "loaded_tail_latency", "congestor_time"):
                self.assertGreater(row["metrics"][name]["median"], 0, (key, name))
        five = self.measure(5, "^micro/congestion$", "memory=host", "bytes=64", "victim=ring", "congestor=incast", "share=0,1")
        self.check_all_right(five)
        self.assertEqual(sorted((row["facts"]["victims"], row["facts"]["congestors"]) for row in five.values()), [(2, 3), (3, 2)])
        mixed = self.measure(10, "^micro/congestion$", "memory=host", "bytes=8", "victim=ring", "congestor=mixed", "share=0.5,0.8", code=0)
        self.assertEqual({row["params"].get("share", 0.8): row["reason"] for row in mixed.values() if row["status"] == "skipped"},
                         {0.5: "5 congestors of 4 kinds, each kind needs two"})
        self.check_all_right(mixed, "each kind needs two")
        few = self.measure(3, "^micro/congestion$", "memory=host", "bytes=8", "ranks=3", code=4)
        self.assertEqual({row["reason"] for row in few.values()}, {"needs at least 4 ranks"})

    def test_accesses_to_a_rank_that_computes(self):
        table = self.measure(2, "^micro/(put|get)$", "target=waits,computes", "sync=flush,lock,pscw", "bytes=8,5000")
        self.assertEqual(len(table), 2 * 2 * (3 + 2), "pscw needs the target's calls")
        self.check_all_right(table)
        for key, row in table.items():
            computes = "target=computes" in key
            self.assertEqual(computes, "busy_time" in row["facts"])
            self.assertEqual(computes, {"waiting_latency", "latency_slowdown"} <= row["metrics"].keys())
            if computes:
                self.assertGreater(row["facts"]["busy_time"], 0)
                self.assertEqual(row["metrics"]["waiting_latency"]["n"], row["metrics"]["latency"]["n"])
        refused = run("run", "^micro/accumulate$", "-a", "target=computes", "--dry-run")
        self.expect(refused, 2, "target")

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

    def test_messages_of_separate_blocks(self):
        table = self.measure(2, "^micro/datatype_pingpong$", "packing=datatype,manual", "blocks=strided,irregular", "block=1,6", "stride=0,7",
                             "bytes=6,6006,100K")
        self.assertEqual(len(table), 2 * 2 * 2 * 5, "100K is no multiple of 6")
        self.check_all_right(table)
        for key, row in table.items():
            params, blocks = row["params"], row["params"]["bytes"] // row["params"]["block"]
            self.assertEqual(row["facts"]["extent_bytes"], blocks * (params["stride"] or 2 * params["block"]), key)
            self.assertEqual(row["verified"]["checked"] % (2 * row["facts"]["extent_bytes"]), 0, "every byte on both ranks, and the gaps")
        refused = run("run", "^micro/datatype_pingpong$", "-a", "block=8", "-a", "stride=7", "--dry-run")
        self.expect(refused, 4)

    def test_threads_of_two_ranks(self):
        table = self.measure(3, "^micro/thread_pingpong$", "threads=1,3", "bytes=0,5000")
        self.assertEqual(len(table), 4)
        self.check_all_right(table)
        for key, row in table.items():
            threads = row["params"]["threads"]
            self.assertEqual(row["params"]["ranks"], 2)
            self.assertAlmostEqual(row["metrics"]["message_rate"]["median"] * row["metrics"]["latency"]["median"], threads, delta=1e-6, msg=key)
            self.assertEqual(row["verified"]["checked"] % (2 * threads * max(1, row["params"]["bytes"])), 0)

    def test_threads_of_all_ranks(self):
        table = self.measure(3, "^micro/thread_exchange$", "threads=1,2", "bytes=0,5000", "pattern=ring,neighbors")
        table |= self.measure(4, "^micro/thread_bandwidth$", "ranks=4", "threads=1,2", "bytes=0,5000", "window=3", "bidirectional=false,true")
        self.assertEqual(len(table), 16)
        self.check_all_right(table)
        for key, row in table.items():
            exchanges, axes = row["name"] == "micro/thread_exchange", row["params"]
            # Of all ranks: one or two messages each; two pairs with windows of three, one way or both.
            messages = 3 * (1 + (axes["pattern"] == "neighbors")) if exchanges else 2 * 3 * (1 + axes["bidirectional"])
            messages *= axes["threads"]
            time = row["metrics"]["latency" if exchanges else "time"]["median"]
            self.assertAlmostEqual(row["metrics"]["message_rate"]["median"] * time, messages, delta=0.02 * messages, msg=key)
            inboxes = axes["threads"] * (messages // axes["threads"] if exchanges else messages // axes["threads"] // 3)
            self.assertEqual(row["verified"]["checked"] % max(1, inboxes * axes["bytes"]), 0, key)
            self.assertGreaterEqual(row["verified"]["checked"], 2 * inboxes * axes["bytes"], key)
        odd = self.measure(3, "^micro/thread_bandwidth$", "ranks=3", "bytes=8", "threads=1", code=4)
        self.assertEqual({row["reason"] for row in odd.values()}, {"pairs need an even number of ranks, not 3"})

    def test_collectives_of_threads(self):
        names = "broadcast,reduce,allreduce,allgather,alltoall"
        table = self.measure(3, "^micro/thread_collective$", "threads=1,3", "bytes=0,5000", f"collective={names}")
        self.assertEqual(len(table), 2 * 2 * 5)
        self.check_all_right(table)
        for key, row in table.items():
            total = row["params"]["bytes"] * (3 if row["params"]["collective"] in ("allgather", "alltoall") else 1)
            self.assertEqual(row["facts"]["total_bytes"], total, key)
            self.assertEqual(row["verified"]["checked"] > 0, total > 0, key)

    def test_files_of_all_ranks(self):
        folder = self.path("files")
        for ranks in (1, 3):
            table = self.measure(ranks, "^micro/mpi_io$", f"ranks={ranks}", "pointer=explicit,individual,shared,own_file", "bytes=1,5001",
                                 "file_bytes=60K", options=("-n", "7", "-w", "1", "--data", f"mpi_io={folder}"))
            # Three pointers, collective or not, and own files; two writes and a read. A byte says not whose it is.
            self.assertEqual(len(table), (2 * 2 * 3 + 3) + (3 * 2 * 3 + 3))
            self.check_all_right(table)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [], "files are removed")
        table = self.measure(3, "^micro/mpi_io$", "ranks=3", "pointer=explicit,individual,shared,own_file", "bytes=5001", "call=nonblocking",
                             "file_bytes=60K", "probes=0,2", options=("-n", "7", "-w", "1", "--data", f"mpi_io={folder}"))
        # MPI has no call for a shared pointer and all ranks, and none that synchronises meanwhile.
        self.assertEqual(len(table), 2 * 2 * (2 + 2 + 1 + 1))
        self.check_all_right(table)
        for key, row in table.items():
            self.assertLessEqual({"latency", "overall_time", "compute_time", "overlap_ratio", "bandwidth"}, set(row["metrics"]), key)
            self.assertAlmostEqual(row["metrics"]["bandwidth"]["median"] * row["metrics"]["latency"]["median"], 3 * 5001, delta=300, msg=key)
        large = self.measure(2, "^micro/mpi_io$", "ranks=2", "bytes=40K", "file_bytes=60K", "sync=false", "collective_io=false", code=4,
                             options=("--data", f"mpi_io={folder}"))
        self.assertEqual({row["reason"] for row in large.values()},
                         {"one access of all ranks is larger than the file (axis file_bytes)"})
        none = self.measure(1, "^micro/mpi_io$", "ranks=1", "bytes=4K", "sync=false", code=4, options=("--data", "mpi_io=/proc/none"))
        self.assertEqual({row["status"] for row in none.values()}, {"skipped"})
        self.assertTrue(all("/proc/none" in row["reason"] for row in none.values()), none)

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

    def test_messages_of_two_ranks(self):
        names = "pingpong|bandwidth|bidirectional_bandwidth|multi_pair|sendrecv"
        table = self.measure(2, f"^micro/({names})$", "bytes=0,33,70000", "memory=host", "call=blocking,nonblocking,persistent",
                             "ranks=2", "micro/bandwidth:window=1,64", "micro/bandwidth:buffers=1,5")
        self.check_all_right(table)
        for row in table.values():
            if row["name"] != "micro/bandwidth" or row["params"]["bytes"] == 0:
                continue
            metrics, moved = row["metrics"], row["params"]["window"] * row["params"]["bytes"]
            self.assertEqual(row["primary"], "bandwidth")
            self.assertAlmostEqual(metrics["bandwidth"]["median"] * metrics["time"]["median"], moved, delta=moved * 1e-9)
            self.assertAlmostEqual(metrics["message_rate"]["median"] * row["params"]["bytes"], metrics["bandwidth"]["median"],
                                   delta=metrics["bandwidth"]["median"] * 1e-9)

    def test_messages_beside_child_processes(self):
        for ranks in (2, 4):
            table = self.measure(ranks, "^micro/pingpong$", "bytes=8,70000", "memory=host", f"ranks={ranks}", "forked=0,3")
            self.assertEqual(sorted(row["params"].get("forked", 0) for row in table.values()), [0, 0, 3, 3])
            self.check_all_right(table)

    def test_pairs_of_more_ranks(self):
        for ranks in (3, 4):
            table = self.measure(ranks, "^micro/(pingpong|bandwidth)$", "bytes=100", "memory=host", "pairs=all")
            self.check_all_right(table)
            for key, row in table.items():
                self.assertEqual(row["params"]["ranks"], ranks, key)
                pairs = self.pairs_of(key)
                self.assertEqual(sorted(pairs), [(a, b) for a in range(ranks) for b in range(a + 1, ranks)])
                self.assertTrue(all(seconds > 0 for seconds in pairs.values()))
        table = self.measure(4, "^micro/(pingpong|multi_pair|bidirectional_bandwidth)$", "bytes=100", "memory=host", "ranks=4")
        self.check_all_right(table)
        table = self.measure(3, "^micro/(pingpong|multi_pair)$", "bytes=100", "memory=host", "ranks=3", code=4)
        for row in table.values():
            self.assertEqual(row["reason"], "pairs need an even number of ranks, not 3")

    def pairs_of(self, key):
        """Table pairs of a case: seconds by the two ranks, as h5py reads them."""
        import h5py
        index = list(rows(self.path("out.h5"))).index(key)
        with h5py.File(self.path("out.h5")) as file:
            table = file[f"pairs/{index:06}"]
            value = "latency" if "latency" in table else "time"
            return {(int(a), int(b)): float(s) for a, b, s in zip(table["rank"][...], table["peer"][...], table[value][...])}

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

    def test_how_messages_travel_is_stored(self):
        self.measure(2, "^micro/barrier$", "ranks=2")
        import h5py
        with h5py.File(self.path("out.h5")) as file:
            facts = dict(file["env/common"].attrs)
        if not facts["mpi_library"].startswith(b"Open MPI"):
            self.assertNotIn("mpi.pml_in_use", facts)
            return
        self.assertIn(facts["mpi.pml_in_use"], (b"ob1", b"ucx", b"cm"))
        of_version_4 = facts["mpi_library"].startswith(b"Open MPI v4.")
        self.assertIn("mpi.btl_vader_single_copy_mechanism" if of_version_4 else "mpi.smsc_in_use", facts)


class Large(ProgramTest):
    @unittest.skipUnless(FULL, "2.2 GiB messages: with --full")
    def test_messages_beyond_two_gibibytes(self):
        size = 2362232012 + 5  # 2.2 GiB and a rest
        out = self.path("out.h5")
        done = run("run", "^micro/(broadcast|pingpong)$", "-a", f"bytes={size}", "-a", "memory=host", "-a", "ranks=2", "-n", "1", "-w", "0",
                   "-o", out, "--quiet", ranks=2, timeout=580)
        self.expect(done, 0)
        table = rows(out)
        self.assertEqual(len(table), 2)
        for key, row in table.items():
            self.assertEqual((row["status"], row["reason"]), ("ok", ""), key)
            self.assertGreaterEqual(row["verified"]["checked"], size, key)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--full"])
