# SPDX-License-Identifier: Apache-2.0
"""`import` of what OSU prints: the numbers are those of the files, read here by a few lines of Python."""
import json
import pathlib
import re
import unittest

from harness import rows, run
from converting import GOLDEN, RESULTS, Importing, table


class Osu(Importing):
    def test_numbers_and_keys(self):
        for name, key, options in (("latency", "micro/pingpong backend=mpi bytes={} memory=host ranks=2", ()),
                                   ("allreduce", "micro/allreduce backend=mpi bytes={} dtype=int8 memory=host ranks=4", ("--ranks", 4)),
                                   ("allgather", "micro/allgather backend=mpi bytes={} memory=host ranks=2", ("--ranks", 2)),
                                   ("bcast_int", "micro/broadcast backend=mpi bytes={} dtype=int32 memory=host ranks=2", ("--ranks", 2))):
            with self.subTest(name):
                path = GOLDEN / "osu" / f"{name}.txt"
                found, printed = self.take(path, *options), table(path)
                self.assertEqual(len(found), len(printed))
                for size, latency in printed:
                    row = found[key.format(size)]
                    self.assertAlmostEqual(self.value(row), float(latency) * 1e-6, delta=1e-18)
                    self.assertEqual(row["metrics"]["latency"]["better"], "lower")
                # And back: the same sizes and numbers in OSU's own columns.
                shown = run("show", self.path("out.h5"), "--format", "osu").stdout
                self.assertEqual([line.split() for line in shown.splitlines() if re.match(r"\d", line)], printed)
                kind = re.search("# Datatype: .*", path.read_text())[0]
                self.assertIn(kind, shown)

    def test_bandwidths_are_better_high(self):
        for name, test in (("bw", "micro/bandwidth"), ("bibw", "micro/bidirectional_bandwidth")):
            path = GOLDEN / "osu" / f"{name}.txt"
            found, printed = self.take(path), table(path)
            for size, rate in printed:
                metric = found[f"{test} backend=mpi bytes={size} memory=host ranks=2 window=64"]["metrics"]["bandwidth"]
                self.assertAlmostEqual(metric["median"], float(rate) * 1e6, delta=1e-3)
                self.assertEqual((metric["unit"], metric["better"]), ("By/s", "higher"))
            shown = run("show", self.path("out.h5"), "--format", "osu").stdout
            self.assertEqual([line.split() for line in shown.splitlines() if re.match(r"\d", line)], printed)

    def test_all_columns(self):
        path = GOLDEN / "osu" / "allreduce_full.txt"
        found = self.take(path, "--ranks", 2)
        for size, mean, least, most, iterations in table(path):
            row = found[f"micro/allreduce backend=mpi bytes={size} dtype=int8 memory=host ranks=2"]
            for metric, text in (("latency", mean), ("latency_min", least), ("latency_max", most)):
                self.assertAlmostEqual(self.value(row, metric), float(text) * 1e-6, delta=1e-18)
            self.assertEqual(row["facts"]["iterations"], int(iterations))
            self.assertEqual(row["primary"], "latency")
        path = GOLDEN / "osu" / "mbw_mr.txt"
        found = self.take(path)
        for size, rate, messages in table(path):
            row = found[f"micro/multi_pair backend=mpi bytes={size} memory=host ranks=2 window=64"]
            self.assertAlmostEqual(self.value(row, "bandwidth"), float(rate) * 1e6, delta=1e-2)
            self.assertAlmostEqual(self.value(row, "message_rate"), float(messages), delta=1e-2)
            self.assertEqual(row["metrics"]["message_rate"]["unit"], "1/s")

    def test_every_sample_is_printed_again(self):
        """The same bytes, but for what stands behind the title, and what OSU says of its check below the table."""
        names = sorted(path.stem for path in (GOLDEN / "osu").glob("*.txt"))
        self.assertGreater(len(names), 26)
        for name in set(names) - {"hello", "get_bw", "cas_latency_check"}:  # measures nothing; tests that are not ours
            options = ["-vv"] if re.search("tail|ibcast_check", name) else ["-v"] if re.search("full|check", name) else []
            with self.subTest(name):
                path = GOLDEN / "osu" / f"{name}.txt"
                # OSU's multi_lat is our ping-pong of more than two ranks.
                self.take(path, *(() if re.match("init|latency|bw|bibw|mbw|put|acc", name) else ("--ranks", 4)))
                shown = run("show", self.path("out.h5"), "--format", "osu", *options).stdout
                first, shown = shown.split("\n", 1)
                self.assertRegex(first, rf"^# Measured by OSU Micro-Benchmarks \S+, imported from {name}\.txt; not by Scalemark$")
                shown = re.sub(r"(# OSU .* v7\.4)( \[[^]]*\])? \(OSU 7\.4 format, printed by Scalemark \d+\.\d+\)\n", r"\1\n", shown)
                self.assertEqual(shown, re.sub(r"DATA VALIDATION.*\n|-{9}[\s\S]*", "", path.read_text()))

    def test_a_barrier_has_no_size(self):
        found = self.take(GOLDEN / "osu" / "barrier.txt", "--ranks", 2)
        self.assertAlmostEqual(self.value(found["micro/barrier backend=mpi ranks=2"]), 0.13e-6, delta=1e-18)
        self.assertIn("             0.13\n", run("show", self.path("out.h5"), "--format", "osu").stdout)

    def test_start_up_prints_sentences(self):
        found = self.take(GOLDEN / "osu" / "init.txt")
        self.assertEqual(list(found), ["micro/init backend=mpi ranks=2"])
        row = found["micro/init backend=mpi ranks=2"]
        for metric, milliseconds in (("time", 217), ("time_min", 217), ("time_max", 218)):
            self.assertAlmostEqual(self.value(row, metric), milliseconds * 1e-3, delta=1e-15)
            self.assertEqual(row["metrics"][metric]["unit"], "s")
        found = self.take(GOLDEN / "osu" / "hello.txt")
        self.assertEqual([(key, row["status"]) for key, row in found.items()], [("osu/hello backend=mpi ranks=2", "skipped")])
        for sentence, said in (("nprocs: x, min: 1 ms, max: 1 ms, avg: 1 ms", "an integer"),
                               ("nprocs: 2, min: 1 ms, max: 1 ms, avg: -1 ms", "a number"),
                               ("nprocs: 2, min: 1 s, max: 1 s, avg: 1 s", ":2: expected"),
                               ("This is a test with -1 processes", "an integer")):
            with self.subTest(sentence):
                self.take(self.write("# OSU MPI Init Test v7.4\n" + sentence + "\n"), code=3, said=(said,))

    def test_our_own_text_comes_back(self):
        """Every row that is printed is read again, with its key and all of its digits."""
        file = RESULTS / "run-1.h5"
        text = run("export", file, "--to", "osu").stdout
        # Two tables that OSU's own columns cannot tell apart: only the number of ranks differs.
        text += "".join(f"\n# OSU MPI Allreduce Latency Test v7.4 [backend=mpi memory=host op=max ranks={ranks}] "
                        f"(OSU 7.4 format, measured by Scalemark 0.1)\n# Datatype: MPI_FLOAT.\n# Size       Avg Latency(us)\n8 {ranks}.25\n"
                        for ranks in (2, 4))
        done = run("import", self.write(text), "-o", self.path("out.h5"))
        self.expect(done, 0)
        self.assertEqual(done.stderr, "")
        found, measured = rows(self.path("out.h5")), rows(file)
        printed = sum(1 for line in text.splitlines() if re.match(r"\d", line))
        self.assertEqual(len(found), printed)
        self.assertGreater(printed, 12)
        for ranks in (2, 4):
            row = found.pop(f"micro/allreduce backend=mpi bytes=8 memory=host op=max ranks={ranks}")
            self.assertAlmostEqual(self.value(row), (ranks + 0.25) * 1e-6, delta=1e-18)
        self.assertLessEqual(set(found), {key for key, row in measured.items() if row["status"] == "ok"})
        self.assertEqual(run("export", self.path("out.h5"), "--to", "osu", "-o", self.path("again.txt")).returncode, 0)
        # Printed, read and printed again: the same rows.
        again = pathlib.Path(self.path("again.txt"))
        self.assertEqual(table(again), table(pathlib.Path(self.path("given.txt"))))
        for pairs, said in (("backend", "pairs"), ("ranks=2 ranks=4", "ranks twice")):
            for title in (f"v7.4 [{pairs}] (OSU 7.4 format, measured by Scalemark 0.1)", f"v7.4 (OSU 7.4 format, measured by Scalemark 0.1; {pairs})"):
                self.take(self.write(f"# OSU MPI Latency Test {title}\n"), code=3, said=(said,))
        # As earlier versions printed it.
        old = "# OSU MPI Latency Test v7.4 (OSU 7.4 format, measured by Scalemark 0.1; backend=mpi memory=host ranks=2)\n"
        found = self.take(self.write(old + "# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n8 0.25\n"))
        self.assertEqual(list(found), ["micro/pingpong backend=mpi bytes=8 memory=host ranks=2"])

    def test_failed_validation_is_a_failed_case_of_a_run_that_is_not_complete(self):
        found = self.take(GOLDEN / "osu" / "allreduce_full_check_tail.txt", "--ranks", 2,
                          said=("DATA VALIDATION ERROR",))
        status = {row["params"]["bytes"]: row["status"] for row in found.values()}
        self.assertEqual(status, {4: "ok", 8: "ok", 16: "failed"})
        self.assertAlmostEqual(self.value(next(iter(found.values())), "latency_p99"), 0.46e-6, delta=1e-18)
        done = run("compare", self.path("out.h5"), "--against", self.path("out.h5"))
        self.expect(done, 2)

    def test_variants_of_collectives(self):
        head = "\n# OSU MPI {} Test v7.4\n{}# Datatype: MPI_FLOAT.\n# Size{}\n8 {}\n"
        overall = "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n"
        columns = "           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)"
        found = self.take(self.write(head.format("Non-blocking Allreduce Latency", overall, columns, "25.00 20.00 10.00 50.00") +
                                     head.format("Allreduce Persistent Latency", "", "       Avg Latency(us)", "1.50")), "--ranks", 2)
        row = found["micro/allreduce backend=mpi bytes=8 call=nonblocking memory=host ranks=2"]
        self.assertEqual(row["primary"], "latency")
        for metric, want in (("latency", 10e-6), ("overall_time", 25e-6), ("compute_time", 20e-6), ("overlap_ratio", 0.5)):
            self.assertAlmostEqual(self.value(row, metric), want, delta=1e-12 * want)
        self.assertIn("micro/allreduce backend=mpi bytes=8 call=persistent memory=host ranks=2", found)
        found = self.take(self.write(head.format("Bandwidth Persistent", "", "      Bandwidth (MB/s)", "1.50").replace("FLOAT", "CHAR")))
        self.assertEqual(list(found), ["micro/bandwidth backend=mpi bytes=8 call=persistent memory=host ranks=2 window=64"])

    def test_one_sided(self):
        head = ("# OSU {} v7.4\n# Window creation: MPI_Win_{}\n# Synchronization: {}\n# Datatype: MPI_CHAR.\n"
                "{}# Size          Latency (us)\n")
        device = "# Rank 0 Memory on DEVICE (D) and Rank 1 Memory on HOST (H)\n"
        rate = "# Size      Bandwidth (MB/s)\n"
        text = (head.format("MPI_Put Latency Test", "allocate", "MPI_Win_fence", "") + "8 1.50\n" +
                head.format("MPI_Put Latency Test", "create", "MPI_Win_fence", "") + "8 1.25\n" +
                head.format("MPI_Get-CUDA latency Test", "allocate", "MPI_Win_lock/unlock", device) + "8 2.50\n" +
                head.format("MPI_Put-CUDA Latency Test", "create", "MPI_Win_flush", device.replace("HOST (H)", "DEVICE (D)")) + "8 2.25\n" +
                head.format("MPI_Get-CUDA latency Test", "allocate", "MPI_Win_lock/unlock", device.replace("DEVICE (D)", "MANAGED (M)")) +
                "8 2.75\n" +
                head.format("MPI_Accumulate latency Test", "allocate", "MPI_Win_flush", "").replace("(us)\n", "(us)        Validation\n") +
                "8 3.50            passed\n" +
                head.format("MPI_Get_accumulate latency Test", "allocate", "MPI_Win_lock_all/unlock_all", "") + "8 4.50\n" +
                head.format("MPI_Fetch_and_op latency Test", "allocate", "MPI_Win_post/start/complete/wait", "") + "1 6.50\n" +
                head.format("MPI_Get Bandwidth Test", "create_dynamic", "MPI_Win_flush", "").replace("# Size          Latency (us)\n", rate) +
                "8 5.50\n")
        found = self.take(self.write(text))
        values = {key: float(f"{self.value(row, row['primary']):.9g}") for key, row in found.items()}
        # Ours are in the memory of the host, and from MPI_Win_allocate: the keys say what is different.
        self.assertEqual(values, {
            "micro/put backend=mpi bytes=8 ranks=2 sync=fence": 1.5e-6,
            "micro/put backend=mpi bytes=8 ranks=2 sync=fence window_creation=create": 1.25e-6,
            "micro/get backend=mpi bytes=8 memory=device_host ranks=2 sync=lock": 2.5e-6,
            "micro/put backend=mpi bytes=8 memory=device ranks=2 sync=flush": 2.25e-6,
            "micro/get backend=mpi bytes=8 memory=managed_host ranks=2 sync=lock": 2.75e-6,
            "micro/accumulate backend=mpi bytes=8 dtype=int8 ranks=2 sync=flush": 3.5e-6,
            "micro/get_accumulate backend=mpi bytes=8 dtype=int8 ranks=2 sync=lock_all": 4.5e-6,
            "micro/fetch_and_op backend=mpi bytes=1 dtype=int8 ranks=2 sync=pscw": 6.5e-6,
            "micro/get_bandwidth backend=mpi bytes=8 ranks=2 sync=flush window=64 window_creation=dynamic": 5.5e6})
        self.assertEqual(found["micro/accumulate backend=mpi bytes=8 dtype=int8 ranks=2 sync=flush"]["verified"],
                         {"done": True, "checked": 1, "wrong": 0})
        shown = run("show", self.path("out.h5"), "--format", "osu").stdout
        self.assertIn("# Window creation: MPI_Win_create\n# Synchronization: MPI_Win_fence\n", shown)

    def test_what_osu_leaves_out_is_said(self):
        for name, said in (("bw", "window of micro/bandwidth: the keys have 64"), ("allgather", "set --ranks")):
            self.take(GOLDEN / "osu" / f"{name}.txt", said=(said,))

    def test_percentiles_of_bandwidth_stand_close(self):
        head = ("# OSU MPI Bandwidth Test v7.4\n# Datatype: MPI_CHAR.\n"
                "# Size      Bandwidth (MB/s)        Validation P50 Tail BW(MB/s) P90 Tail BW(MB/s) P99 Tail BW(MB/s)\n")
        (row,) = self.take(self.write(head + "1 15.32 Pass 15.00 16.00 17.00\n")).values()
        self.assertEqual(set(row["metrics"]), {"bandwidth", "bandwidth_p50", "bandwidth_p90", "bandwidth_p99"})
        self.assertAlmostEqual(self.value(row, "bandwidth_p99"), 17e6, delta=1e-3)

    def test_devices_and_nccl(self):
        head = "\n# OSU NCCL-CUDA Allreduce Latency Test v7.4\n# Datatype: MPI_FLOAT.\n# Size       Avg Latency(us)\n"
        found = self.take(self.write(head + "4 12.30\n"), "--ranks", 8)
        self.assertEqual(list(found), ["micro/allreduce backend=nccl bytes=4 memory=device ranks=8"])
        head = ("# OSU MPI-CUDA Latency Test v5.9\n# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)\n"
                "# Size          Latency (us)\n")
        found = self.take(self.write(head + "0 1.05\n"))
        self.assertEqual(list(found), ["micro/pingpong backend=mpi bytes=0 memory=device_host ranks=2"])

    def test_what_is_wrong_is_named(self):
        head = "# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n"
        for content, said in ((head + "1 x\n", ":4: expected a number"), (head + "1 -0.5\n", "a number"),
                              (head + "1 2 3\n", ":4: expected 2 columns"), (head + "1e3 2\n", "an integer"),
                              (head + "1 0.1\n1 0.1\n", "occurs twice"), (head, "no row"), (head + "1 nan\n", "a number"),
                              (head + "1 0." + "1" * 70000 + "\n", "longer than"),
                              ("# OSU MPI Latency Test\n1 2\n", ":1: expected"),
                              ("# OSU MPI Latency Test v7.4\n1 2\n", ":2: expected a line"),
                              (head + "99999999999999999999 1\n", "an integer")):
            with self.subTest(content[-40:]):
                self.take(self.write(content), code=3, said=(said, self.path("given.txt")))

    def test_unknown_columns_and_missing_ranks_are_reported(self):
        head = "# OSU MPI Gather Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)       New Column\n"
        found = self.take(self.write(head + "1 0.5 7\n"), said=('"New Column" is not known', "--ranks"))
        self.assertEqual(list(found), ["micro/gather backend=mpi bytes=1 memory=host"])

    def test_imports_compare(self):
        lines = (GOLDEN / "osu" / "latency.txt").read_text()
        slower = re.sub(r"(\d+\.\d\d)$", lambda m: f"{2 * float(m[1]):.2f}", lines, flags=re.MULTILINE)
        for side, text in (("a", lines), ("b", slower)):
            self.expect(run("import", self.write(text, f"{side}.txt"), "-o", self.path(f"{side}.h5")), 0)
        result = json.loads(run("compare", self.path("a.h5"), "--against", self.path("b.h5"), "--format", "json").stdout)
        self.assertEqual(len(result["rows"]), len(table(GOLDEN / "osu" / "latency.txt")))
        for row in result["rows"]:
            self.assertAlmostEqual(row["change"], 1, places=9)

    def test_children_of_one_rank(self):
        """osu_latency_mp -t 2 forks in the receiver only, which ours does not."""
        text = (GOLDEN / "osu" / "latency_mp_check.txt").read_text().replace("sender: 2", "sender: 0")
        found = self.take(self.write(text))
        self.assertIn("micro/pingpong backend=mpi bytes=8 forked=0_2 memory=host ranks=2", found)
        shown = run("show", self.path("out.h5"), "--format", "osu", "-v").stdout
        self.assertIn("# Number of forked processes in sender: 0\n# Number of forked processes in receiver: 2\n", shown)
        again = self.take(self.write(shown))
        self.assertEqual(set(again), set(found))
        bare = self.take(self.write(re.sub("# Number.*\n", "", text)))
        self.assertIn("micro/pingpong backend=mpi bytes=8 forked=unknown memory=host ranks=2", bare)

    def test_threads_of_both_ranks(self):
        """osu_latency_mt starts one sender and two receivers unless told, which ours does not."""
        text = ("# Number of Sender threads: {} \n# Number of Receiver threads: 2\n\n# OSU MPI Multi-threaded Latency Test v7.4\n"
                "# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n8                       0.49\n16                      0.60\n")
        for sender, threads in ((2, "2"), (1, "1_2")):
            found = self.take(self.write(text.format(sender)))
            self.assertEqual(set(found), {f"micro/thread_pingpong bytes={size} ranks=2 threads={threads}" for size in (8, 16)})
            shown = run("show", self.path("out.h5"), "--format", "osu").stdout
            self.assertIn(f"# Number of Sender threads: {sender}\n# Number of Receiver threads: 2\n", shown)
            self.assertEqual(set(self.take(self.write(shown))), set(found))

    def test_blocks_with_gaps(self):
        """Option -D: of each size a part is sent; the text does not say which. Sizes below a block send nothing."""
        text = ("\n# OSU MPI{} Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)     Transmit Size\n"
                "8                       0.10                 0\n16                      0.41                 8\n"
                "32                      0.52                16\n")
        for title, wanted in ((" Latency", "micro/datatype_pingpong backend=mpi blocks=unknown bytes={} packing=datatype ranks=2"),
                              (" Gather Latency",
                               "micro/datatype_collective backend=mpi blocks=unknown bytes={} collective=gather packing=datatype ranks=2"),
                              ("-CUDA Latency",
                               "micro/datatype_pingpong backend=mpi blocks=unknown bytes={} memory=device packing=datatype ranks=2")):
            found = self.take(self.write(text.format(title)), "--ranks", 2)
            self.assertEqual({key: row["facts"]["extent_bytes"] for key, row in found.items()}, {wanted.format(8): 16, wanted.format(16): 32})
            shown = run("show", self.path("out.h5"), "--format", "osu").stdout
            self.assertRegex(shown, r"# Size +Avg Latency\(us\) +Transmit Size\n16 +0\.41 +8\n32 +0\.52 +16\n")
            self.assertEqual(set(self.take(self.write(shown))), set(found))
        # What ours measure without gaps only keeps its name, and is no row of messages without gaps.
        for title, name in ((" Bandwidth", "micro/bandwidth"), (" Multi-threaded Latency", "micro/thread_pingpong"),
                            (" Reduce Latency", "micro/reduce"), (" Strange Latency", "osu/strange_latency_test")):
            found = self.take(self.write(text.format(title).replace("Avg Latency(us)" if "Band" in title else "?", "Bandwidth (MB/s)")),
                              "--ranks", 2)
            self.assertEqual({row["key"].split()[0] for row in found.values()}, {name})
            for row in found.values():
                self.assertEqual((row["params"]["packing"], row["params"]["blocks"]), ("datatype", "unknown"))


if __name__ == "__main__":
    unittest.main()
