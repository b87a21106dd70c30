# SPDX-License-Identifier: Apache-2.0
"""Messages of two ranks and of pairs, threads, accesses and files, on 1 to 10 ranks."""
import pathlib
import unittest

import h5py

from harness import rows, run
from measuring import Measuring


class Messages(Measuring):
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
        index = list(rows(self.path("out.h5"))).index(key)
        with h5py.File(self.path("out.h5")) as file:
            table = file[f"pairs/{index:06}"]
            value = "latency" if "latency" in table else "time"
            return {(int(a), int(b)): float(s) for a, b, s in zip(table["rank"][...], table["peer"][...], table[value][...])}

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

    def test_how_messages_travel_is_stored(self):
        self.measure(2, "^micro/barrier$", "ranks=2")
        with h5py.File(self.path("out.h5")) as file:
            facts = dict(file["env/common"].attrs)
        if not facts["mpi_library"].startswith(b"Open MPI"):
            self.assertNotIn("mpi.pml_in_use", facts)
            return
        self.assertIn(facts["mpi.pml_in_use"], (b"ob1", b"ucx", b"cm"))
        of_version_4 = facts["mpi_library"].startswith(b"Open MPI v4.")
        self.assertIn("mpi.btl_vader_single_copy_mechanism" if of_version_4 else "mpi.smsc_in_use", facts)


if __name__ == "__main__":
    unittest.main()
