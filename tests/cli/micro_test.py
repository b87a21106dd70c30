# SPDX-License-Identifier: Apache-2.0
"""One-sided communication, the start of MPI, and making communicators: keys, units, counts of samples."""
import unittest

import h5py
from harness import SWAPS, ProgramTest, mpi_has_sessions, rows, run


class Micro(ProgramTest):
    def measure(self, ranks, *arguments, **options):
        out = self.path("out.h5")
        self.expect(run("run", *arguments, "--force", "-o", out, ranks=ranks, **options), 0)
        return rows(out)


class OneSided(Micro):
    SYNCS = ["flush", "fence", "lock", "lock_all", "flush_local", "pscw"]

    def test_every_synchronisation_is_a_case_of_two_ranks(self):
        table = self.measure(3, "micro/put", "micro/get", "-a", "bytes=1,3K", "-a", f"sync={','.join(self.SYNCS)}",
                             "-n", "5")
        self.assertEqual(set(table), {f"micro/{name} backend=mpi bytes={size} ranks=2 sync={sync}" for name in ("put", "get")
                                      for size in (1, 3072) for sync in self.SYNCS})
        for key, row in table.items():
            self.assertEqual(row["status"], "ok", row["reason"])
            size = row["params"]["bytes"]
            self.assertEqual((row["metrics"]["latency"]["unit"], row["metrics"]["latency"]["n"]), ("s", 5), key)
            self.assertEqual(row["metrics"]["bandwidth"]["unit"], "By/s")
            self.assertEqual(row["facts"]["total_bytes"], size)
            self.assertEqual(row["facts"]["peak_missing"], "no link: shared memory")
            self.assertEqual(row["verified"], {"done": True, "checked": 5 * size, "wrong": 0}, "4 rounds, and behind the samples")

    def test_accumulates_of_all_types_and_operations(self):
        table = self.measure(2, "micro/accumulate", "-a", "bytes=8,4100", "-a", "dtype=int8,int32,int64,fp32,fp64", "-a",
                             "op=sum,prod,min,max", "-a", "sync=flush,fence", "-n", "3")
        self.assertEqual(len(table), 2 * 5 * 4 * 2)
        self.assertIn("micro/accumulate backend=mpi bytes=8 dtype=fp32 ranks=2 sync=flush", table, "the sum is implied")
        self.assertIn("micro/accumulate backend=mpi bytes=8 dtype=fp32 op=max ranks=2 sync=fence", table)
        size_of = {"int8": 1, "int32": 4, "int64": 8, "fp32": 4, "fp64": 8}
        for key, row in table.items():
            self.assertEqual(row["status"], "ok", f"{key}: {row['reason']}")
            size, element = row["params"]["bytes"], size_of[row["params"]["dtype"]]
            self.assertEqual(row["facts"]["total_bytes"], size // element * element)
            self.assertEqual(row["facts"].get("requested_bytes"), 4100 if size % element else None)
            self.assertEqual(row["verified"], {"done": True, "checked": 4 * (size // element), "wrong": 0})

    def test_accesses_that_fetch(self):
        table = self.measure(3, "micro/(get_accumulate|fetch_and_op|compare_and_swap)", "-a", "micro/get_accumulate:bytes=8,4K", "-a",
                             "micro/get_accumulate:dtype=int64", "-a", f"sync={','.join(self.SYNCS)}", "-n", "3", env=SWAPS)
        self.assertEqual(len(table), 4 * len(self.SYNCS))
        for key, row in table.items():
            self.assertEqual(row["status"], "ok", f"{key}: {row['reason']}")
            elements = row["params"]["bytes"] // 8
            # At both ranks, in 4 rounds; a swap is checked behind the samples, too, since all of them find the same.
            rounds = 5 if row["name"] == "micro/compare_and_swap" else 4
            self.assertEqual(row["verified"], {"done": True, "checked": 2 * rounds * elements, "wrong": 0}, key)
        table = self.measure(2, "micro/(fetch_and_op|compare_and_swap)", "-a", "dtype=int8,int32", "-n", "3", env=SWAPS)
        self.assertEqual({(row["params"]["dtype"], row["params"]["bytes"]) for row in table.values()}, {("int8", 1), ("int32", 4)})
        self.assertEqual({row["verified"]["wrong"] for row in table.values()}, {0})

    def test_windows_of_accesses_have_rates(self):
        table = self.measure(2, "micro/put_bandwidth", "micro/get_bandwidth", "-a", "bytes=0,3K", "-a", "window=3", "-a",
                             f"sync={','.join(self.SYNCS)}", "-n", "5")
        self.assertEqual(set(table), {f"micro/{name}_bandwidth backend=mpi bytes={size} ranks=2 sync={sync} window=3"
                                      for name in ("put", "get") for size in (0, 3072) for sync in self.SYNCS})
        table |= self.measure(3, "micro/put_bidirectional_bandwidth", "-a", "bytes=0,3K", "-a", "window=3", "-n", "5")
        self.assertEqual(len(table), 26)
        for key, row in table.items():
            self.assertEqual(row["status"], "ok", f"{key}: {row['reason']}")
            directions = 2 if "bidirectional" in row["name"] else 1
            size, time = row["params"]["bytes"], row["metrics"]["time"]["median"]
            self.assertEqual(row["primary"], "bandwidth" if size else "message_rate")
            self.assertAlmostEqual(row["metrics"]["message_rate"]["median"] * time, 3 * directions, delta=0.01)
            if size:
                self.assertAlmostEqual(row["metrics"]["bandwidth"]["median"] * time, 3 * size * directions, delta=0.01 * size)
            self.assertEqual(row["verified"], {"done": True, "checked": 5 * 3 * size * directions, "wrong": 0}, key)

    def test_accesses_to_several_ranks(self):
        shape = {"one_to_all": 2, "all_to_one": 2, "all_to_all": 6, "neighbors": 6}
        table = self.measure(3, "micro/multi_(put|get)", "-a", "bytes=0,3K", "-a", "window=2", "-a", f"sync={','.join(self.SYNCS)}",
                             "-a", f"pattern={','.join(shape)}", "-n", "4")
        self.assertEqual(len(table), 2 * 2 * len(self.SYNCS) * len(shape))
        for key, row in table.items():
            self.assertEqual(row["status"], "ok", f"{key}: {row['reason']}")
            size, time, messages = row["params"]["bytes"], row["metrics"]["time"]["median"], 2 * shape[row["params"]["pattern"]]
            self.assertAlmostEqual(row["metrics"]["message_rate"]["median"] * time, messages, delta=0.02 * messages)
            if size:
                self.assertAlmostEqual(row["metrics"]["bandwidth"]["median"] * time, messages * size, delta=0.02 * messages * size)
            self.assertEqual(row["verified"], {"done": True, "checked": 5 * messages * size, "wrong": 0}, key)

    def test_windows_on_memory_that_exists(self):
        """Open MPI 4.1 makes them only where the ranks of a node can copy from each other."""
        table = self.measure(2, "micro/put", "micro/put_bandwidth", "-a", "bytes=4K", "-a", "window_creation=allocate,create,dynamic",
                             "-n", "3")
        self.assertEqual(len(table), 6)
        for key, row in table.items():
            if row["status"] == "skipped" and "window_creation" in key:
                self.assertIn("MPI makes no window of these ranks", row["reason"])
            else:
                self.assertEqual((row["status"], row["verified"]["wrong"]), ("ok", 0), f"{key}: {row['reason']}")

    def test_swaps_that_would_end_open_mpi_4_are_skipped(self):
        out = self.path("swap.h5")
        done = run("run", "micro/compare_and_swap", "-n", "3", "-o", out, ranks=2)
        (row,) = rows(out).values()
        is_broken = "Open MPI v4." in run("info").stdout
        self.expect(done, 4 if is_broken else 0)
        self.assertEqual(row["status"], "skipped" if is_broken else "ok")
        if is_broken:
            self.assertIn("OMPI_MCA_osc=^rdma", row["reason"])

    def test_what_mpi_does_not_accumulate_is_skipped(self):
        out = self.path("half.h5")
        self.expect(run("run", "micro/accumulate", "-a", "bytes=8", "-a", "dtype=fp16,bf16", "-a", "sync=flush,fence,lock", "-o",
                        out, ranks=2), 4)
        for row in rows(out).values():
            self.assertEqual((row["status"], row["reason"]), ("skipped", f"MPI accumulates no sum of {row['params']['dtype']}"))
        self.expect(run("run", "micro/accumulate", "-a", "bytes=3", "--force", "-o", out, ranks=2), 4)
        self.assertEqual([row["reason"] for row in rows(out).values()], ["3 B hold no element of fp32"])


class Nothing(Micro):
    """Messages of 0 bytes, where OSU and IMB begin."""
    COLLECTIVES = ["allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "broadcast", "gather", "gatherv",
                   "reduce", "reduce_scatter", "reduce_scatter_block", "scatter", "scatterv"]
    WINDOWS = ["bandwidth", "bidirectional_bandwidth", "multi_pair"]
    OTHERS = ["pingpong", "sendrecv", "put", "get", "accumulate"]

    def test_every_message_may_be_empty(self):
        names = self.COLLECTIVES + self.WINDOWS + self.OTHERS
        out = self.path("out.h5")
        self.expect(run("run", f"micro/({'|'.join(names)})$", "-a", "backend=mpi", "-a", "memory=host", "-a", "ranks=2",
                        "-a", "bytes=0,8", "-n", "3", "-o", out, ranks=2), 0)
        table = rows(out)
        self.assertEqual({row["name"].split("/")[1] for row in table.values()}, set(names))
        for key, row in table.items():
            with self.subTest(key):
                self.assertEqual(row["status"], "ok", row["reason"])
                self.assertIn(row["primary"], row["metrics"])
                self.assertGreater(row["metrics"][row["primary"]]["median"], 0)
                self.assertEqual("bandwidth" in row["metrics"], row["params"]["bytes"] > 0, "no bandwidth of nothing")
                for name, metric in row["metrics"].items():
                    self.assertIsNotNone(metric["median"], name)
        for form in ("table", "osu", "imb", "nccl", "csv", "google-benchmark"):
            done = run("show", out, "--format", form)
            self.expect(done, 0)
            self.assertNotRegex(done.stdout.lower(), r"\b(nan|inf)\b", form)
        self.expect(run("compare", out, "--against", out), 2, "same run")

    def test_osu_and_imb_begin_their_tables_with_zero(self):
        out = self.path("out.h5")
        self.expect(run("run", "micro/pingpong", "-a", "backend=mpi", "-a", "memory=host", "-b", "0", "-e", "4", "-n", "3", "-o",
                        out, ranks=2), 0)
        for form in ("osu", "imb"):
            lines = [line.split()[0] for line in run("show", out, "--format", form).stdout.splitlines() if line.strip()[:1].isdigit()]
            self.assertEqual(lines, ["0", "1", "2", "4"], form)


class CountAndTime(Micro):
    def samples(self, *arguments):
        (row,) = self.measure(2, "micro/allreduce", "-a", "backend=mpi", "-a", "memory=host", "-a", "bytes=8", *arguments).values()
        return row["metrics"]["latency"]["n"]

    def test_what_is_reached_first_ends_the_samples(self):
        self.assertEqual(self.samples("-n", "20", "--max-time", "60"), 20)
        count = self.samples("-n", "100000000", "--max-time", "100ms")
        self.assertLess(count, 100000000)
        self.assertGreaterEqual(count, 1)


class Start(Micro):
    def test_the_start_of_mpi_is_one_value_of_all_ranks(self):
        for ranks in (1, 2, 3):
            (key, row), = self.measure(ranks, "micro/init", "-n", "9").items()
            self.assertEqual(key, f"micro/init backend=mpi ranks={ranks}")
            self.assertEqual((row["status"], row["primary"]), ("ok", "time"))
            time = row["metrics"]["time"]
            self.assertEqual((time["unit"], time["better"], time["n"]), ("s", "lower", 1))
            self.assertGreater(time["median"], 0)

    def test_some_ranks_have_no_start_of_their_own(self):
        table = self.measure(3, "micro/init", "-a", "ranks=2,3")
        self.assertEqual({row["params"]["ranks"]: row["status"] for row in table.values()}, {2: "skipped", 3: "ok"})


class Sessions(Micro):
    """MPI-4's sessions, which Open MPI 4 does not have."""
    def test_a_session_and_its_communicator(self):
        for ranks in (1, 3):
            out = self.path("out.h5")
            done = run("run", "micro/session", "-a", f"ranks=1,{ranks}", "-n", "5", "--force", "-o", out, ranks=ranks)
            self.expect(done, 0 if mpi_has_sessions() else 4)
            for key, row in rows(out).items():
                if not mpi_has_sessions():
                    self.assertEqual((row["status"], row["reason"]),
                                     ("skipped", "this MPI has no sessions, which came with MPI-4 (Open MPI 5, MPICH 4)"))
                    continue
                self.assertEqual((row["status"], row["verified"]["done"], row["verified"]["wrong"]), ("ok", True, 0), key)
                for name in ("time", "communicator_time", "release_time"):
                    self.assertEqual(row["metrics"][name]["n"], 5, key)
                self.assertGreater(row["metrics"]["time"]["median"], row["metrics"]["communicator_time"]["median"])

    def test_a_run_that_a_session_starts(self):
        out = self.path("out.h5")
        done = run("run", "--mpi-session", "micro/(init|allreduce|put)$", "-a", "memory=host", "-a", "bytes=8,100000", "-a",
                   "backend=mpi", "-n", "3", "-o", out, ranks=3)
        if not mpi_has_sessions():
            self.expect(done, 2, "--mpi-session: Open MPI v", "has no sessions, which came with MPI-4")
            return
        self.expect(done, 0)
        table = rows(out)
        self.assertEqual({row["name"] for row in table.values()}, {"micro/init", "micro/allreduce", "micro/put"})
        for key, row in table.items():
            self.assertEqual((row["status"], row["reason"], row["verified"]["wrong"]), ("ok", "", 0), key)
        with h5py.File(out) as file:
            self.assertEqual(file["env/common"].attrs["mpi.started_by"], b"session")


class CommCreate(Micro):
    def test_ways_of_making_one(self):
        for ranks, counts in ((2, {2}), (3, {2, 3})):
            table = self.measure(ranks, "micro/comm_create", "-n", "4")
            made = {key: row for key, row in table.items() if row["params"]["backend"] == "mpi"}
            self.assertEqual(set(made), {f"micro/comm_create backend=mpi kind={kind} ranks={count}"
                                         for kind in ("duplicate", "split") for count in counts})
            for row in made.values():
                self.assertEqual((row["status"], row["metrics"]["time"]["unit"], row["metrics"]["time"]["n"]), ("ok", "s", 4))
                self.assertIn("first_call", row["metrics"])
            other = {key: row for key, row in table.items() if key not in made}
            self.assertEqual(set(other), {f"micro/comm_create backend=nccl kind=init ranks={count}" for count in counts})
            for row in other.values():
                self.assertIn(row["status"], ("ok", "skipped"))
                self.assertTrue(row["status"] == "ok" or row["reason"])

    def test_never_makes_many(self):
        table = self.measure(2, "micro/comm_create", "-a", "backend=mpi", "-n", "500", "-w", "500")
        self.assertEqual({row["metrics"]["time"]["n"] for row in table.values()}, {99})


if __name__ == "__main__":
    unittest.main()
