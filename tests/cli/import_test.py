# SPDX-License-Identifier: Apache-2.0
"""`import` of what other programs print: the numbers are those of the files, read here by a few lines of Python."""
import json
import pathlib
import random
import re
import subprocess
import unittest

from harness import KERNELS, SCALEMARK, ProgramTest, rows, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results" / "cpu-2core"
GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"


def table(path):
    """Rows of a printed table that begin with a number, split at blanks."""
    return [line.split() for line in path.read_text().splitlines() if re.match(r"\s*\d", line)]


class Importing(ProgramTest):
    def take(self, path, *options, code=0, said=()):
        done = run("import", path, "-o", self.path("out.h5"), "--force", *options)
        self.expect(done, code, *said)
        return rows(self.path("out.h5")) if code == 0 else {}

    def write(self, content, name="given.txt"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content)
        return self.path(name)

    def value(self, row, metric="latency"):
        return row["metrics"][metric]["median"]


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


class WhoseMeasurement(Importing):
    """What another program measured is never called ours, in whatever format it is shown, and however often it goes through."""

    def check(self, path, form, origin, *options):
        self.take(path, *options)
        tool, name = origin, pathlib.Path(path).name
        for step in range(2):
            shown = run("show", self.path("out.h5"), "--format", form).stdout
            self.assertIn(f"# Measured by {tool}, imported from {name}; not by Scalemark\n", shown)
            self.assertNotIn("measured by Scalemark", shown)
            name = f"again{step}.txt"
            self.take(self.write(shown, name))

    def test_texts(self):
        self.check(GOLDEN / "osu" / "latency.txt", "osu", "OSU Micro-Benchmarks 7.4")
        self.check(GOLDEN / "imb" / "pingpong_allreduce_barrier.txt", "imb", "Intel MPI Benchmarks 2021.11")
        self.check(GOLDEN / "imb" / "pingpong_allreduce_barrier.txt", "osu", "Intel MPI Benchmarks 2021.11")
        nccl = self.write("# nccl-tests version 2.19.6\n# Collective test starting: all_reduce_perf\n"
                          "# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1\n"
                          "# Using devices\n#  Rank  0 Group  0 Pid 1 on a device  0 [0000:01:00] GPU\n"
                          "#  Rank  1 Group  0 Pid 2 on a device  1 [0000:02:00] GPU\n#\n"
                          "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n"
                          "           8             2     float     sum      -1    10.00    0.00    0.00       0    11.00    0.00    0.00       0\n"
                          "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0\n#\n", "nccl.txt")
        self.check(nccl, "nccl", "nccl-tests 2.19.6")

    def test_json(self):
        document = {"nvbandwidth": {"version": "v0.8", "testcases": [
            {"name": "host_to_device_memcpy_ce", "status": "Passed", "bandwidth_matrix": [["55.1"]], "sum": 55.1}]}}
        self.take(self.write(json.dumps(document), "nvb.json"))
        shown = json.loads(run("show", self.path("out.h5"), "--format", "nvbandwidth").stdout)["nvbandwidth"]
        self.assertEqual(shown["measured_by"], "nvbandwidth v0.8, imported from nvb.json; not by Scalemark")

    def test_ours_stays_ours(self):
        for form in ("osu", "imb", "nccl"):
            shown = run("show", RESULTS / "run-1.h5", "--format", form).stdout
            self.assertNotIn("# Measured by", shown)
            self.take(self.write(shown))
            self.assertNotIn("# Measured by", run("show", self.path("out.h5"), "--format", form).stdout)


class Imb(Importing):
    def test_all_tables(self):
        found = self.take(GOLDEN / "imb" / "pingpong_allreduce_barrier.txt")
        printed = table(GOLDEN / "imb" / "pingpong_allreduce_barrier.txt")
        self.assertEqual(len(found), len(printed))
        sizes = 0
        for cells in printed:
            if cells is printed[-1]:
                row, want = found["micro/barrier backend=mpi ranks=2"], {
                    "latency": cells[3], "latency_min": cells[1], "latency_max": cells[2]}
            elif len(cells) == 4:
                row = found[f"micro/pingpong backend=mpi bytes={cells[0]} memory=host ranks=2"]
                want = {"latency": cells[2], "bandwidth": cells[3]}
                sizes += 1
            else:
                row = found[f"micro/allreduce backend=mpi bytes={cells[0]} memory=host ranks=2"]
                want = {"latency": cells[4], "latency_min": cells[2], "latency_max": cells[3]}
            self.assertEqual(set(row["metrics"]), set(want))
            for metric, text in want.items():
                scale = 1e6 if metric == "bandwidth" else 1e-6
                self.assertAlmostEqual(self.value(row, metric), float(text) * scale, delta=1e-9 * scale)
            self.assertEqual((row["primary"], row["facts"]["iterations"]), ("latency", 50))
        self.assertEqual(sizes, 14)

    def test_types_ranks_and_tests_that_are_not_ours(self):
        text = ("# MPI_Datatype for reductions    :   MPI_DOUBLE\n# Benchmarking Allreduce\n# #processes = 8\n"
                "# ( 4 additional processes waiting in MPI_Barrier )\n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n8 100 1 3 2\n"
                "# Benchmarking Multi-Exchange\n# #processes = 4\n#bytes #repetitions t_avg[usec] t_new[usec]\n8 100 2.5 1\n")
        found = self.take(self.write(text), said=('"t_new[usec]" is not known',))
        self.assertEqual(sorted(found), ["imb/multi_exchange backend=mpi bytes=8 memory=host ranks=4",
                                         "micro/allreduce backend=mpi bytes=8 dtype=fp64 memory=host ranks=8"])

    def test_non_blocking_collectives(self):
        head = "# Benchmarking {}\n# #processes = 4; rank order (rowwise): \n#    0    2\n# \n"
        columns = " #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n"
        text = (head.format("Iallreduce") + "       #bytes" + columns + "            8         1000        30.50        20.25        20.00        48.15\n" +
                head.format("Ibarrier") + columns + "         1000        31.50        21.25        21.00        51.00\n" +
                head.format("Ireduce_scatter_pure") + "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n8 100 1 3 2\n")
        found = self.take(self.write(text))
        keys = ("micro/allreduce backend=mpi bytes=8 call=nonblocking memory=host ranks=4",
                "micro/barrier backend=mpi call=nonblocking ranks=4",
                "imb/ireduce_scatter_pure backend=mpi bytes=8 memory=host ranks=4")
        self.assertEqual(set(found), set(keys))
        for key, wanted in zip(keys, ((30.5, 20.25, 20, 48.15), (31.5, 21.25, 21, 51))):
            row = found[key]
            for metric, want in zip(("overall_time", "latency", "compute_time"), wanted):
                self.assertAlmostEqual(self.value(row, metric), want * 1e-6, delta=1e-18)
                self.assertEqual(row["metrics"][metric]["unit"], "s")
            self.assertAlmostEqual(self.value(row, "overlap_ratio"), wanted[3] * 1e-2, delta=1e-15)
            self.assertEqual((row["primary"], row["facts"]["iterations"]), ("latency", 1000))

    def test_groups_modes_and_rates(self):
        groups = "# Benchmarking {} \n# ( 2 groups of 2 processes each running simultaneous ) \n# Group  0:     0    1\n#\n"
        text = (groups.format("Multi-PingPong") + "        Group       #bytes #repetitions      t[usec]   Mbytes/sec\n\n"
                "            0            8          100         0.25        32.00\n            1            8          100         0.50        16.00\n" +
                "".join(f"# Benchmarking Unidir_Put \n# #processes = 2 \n#\n#    MODE: {mode} \n#\n"
                        f"#bytes #repetitions t[usec] Mbytes/sec\n8 100 {time} 8.00\n" for mode, time in (("AGGREGATE", 1), ("NON-AGGREGATE", 2))) +
                "# Benchmarking Uniband \n# #processes = 2 \n#bytes #repetitions Mbytes/sec Msg/sec\n8 100 80.50 10062500\n")
        found = self.take(self.write(text))
        self.assertEqual({key: float(f"{self.value(row, row['primary']):.9g}") for key, row in found.items()}, {
            "imb/multi_pingpong backend=mpi bytes=8 group=0 groups=2 memory=host ranks=4": 0.25e-6,
            "imb/multi_pingpong backend=mpi bytes=8 group=1 groups=2 memory=host ranks=4": 0.5e-6,
            "imb/unidir_put backend=mpi bytes=8 memory=host mode=aggregate ranks=2": 1e-6,
            "imb/unidir_put backend=mpi bytes=8 memory=host mode=non_aggregate ranks=2": 2e-6,
            "imb/uniband backend=mpi bytes=8 memory=host ranks=2": 80.5e6})
        rates = found["imb/uniband backend=mpi bytes=8 memory=host ranks=2"]["metrics"]
        self.assertEqual((rates["message_rate"]["median"], rates["message_rate"]["unit"]), (10062500, "1/s"))

    def test_sizes_of_all_ranks_are_divided(self):
        table = "# Benchmarking P_Read_Indv \n# #processes = 2 \n#    MODE: AGGREGATE \n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] Mbytes/sec\n"
        found = self.take(self.write(table + "64 10 1.00 2.00 1.50 32.00\n4096 out-of-mem.; needed X=   8.001 GB\n"))
        key = "micro/mpi_io bytes={} collective_io=false operation=read pointer=individual ranks=2 sync=false"
        self.assertEqual({one: row["status"] for one, row in found.items()}, {key.format(32): "ok", key.format(2048): "skipped"})
        self.take(self.write(table + "65 10 1.00 2.00 1.50 32.00\n"), code=3, said=("equally large parts",))

    def test_tests_of_all_ranks_are_not_those_of_two(self):
        text = ("#    Intel(R) MPI Benchmarks 2021.7, IMB-P2P part\n# Benchmarking PingPong\n# #processes = 4\n"
                "#bytes #repetitions t[usec] Mbytes/sec Msg/sec\n8 100 0.25 32.00 4000000\n\n\n# All processes entering MPI_Finalize\n")
        row, = self.take(self.write(text)).values()
        self.assertEqual(row["key"], "imb/p2p_pingpong backend=mpi bytes=8 memory=host ranks=4")
        self.assertEqual(set(row["metrics"]), {"latency", "bandwidth", "message_rate"})

    def test_sizes_that_were_not_measured_are_skipped(self):
        reasons = ('out-of-mem.; needed X=   8.001 GB; use flag "-mem X" or MAX_MEM_USAGE>=X (IMB_mem_info.h)',
                   "int-overflow.; The production rank*size caused int overflow for given sample",
                   "time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over; use \"-time X\" or SECS_PER_SAMPLE=X")
        text = ("# Benchmarking Alltoall \n# #processes = 2 \n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n"
                "8 100 1.00 3.00 2.00\n" + "".join(f"{1 << 20 + i:>13} {reason}\n" for i, reason in enumerate(reasons)) +
                "# Benchmarking Barrier \n# #processes = 2 \n#repetitions t_min[usec] t_max[usec] t_avg[usec]\n            0 time-out.; over\n")
        found = self.take(self.write(text))
        self.assertEqual(found.pop("micro/alltoall backend=mpi bytes=8 memory=host ranks=2")["status"], "ok")
        self.assertEqual(found.pop("micro/barrier backend=mpi ranks=2")["status"], "skipped")
        self.assertEqual(len(found), 3)
        for i, reason in enumerate(reasons):
            row = found[f"micro/alltoall backend=mpi bytes={1 << 20 + i} memory=host ranks=2"]
            self.assertEqual((row["status"], row["metrics"]), ("skipped", {}))
            self.assertTrue(row["reason"].startswith("IMB: " + reason[:60]), row["reason"])

    def test_what_is_wrong_is_named(self):
        head = "# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n"
        for content, said in ((head + "1 2 3\n", ":4: expected 4 columns"), (head + "1 2 x 3\n", ":4: expected a number"),
                              ("# Benchmarking PingPong\n1 2 3 4\n", ":2: expected"), (head, "no row"),
                              (head.replace("= 2", "= -2"), "an integer")):
            self.take(self.write(content), code=3, said=(said,))


class NcclTests(Importing):
    HEAD = ("# nccl-tests version 2.17.1 nccl-headers=22803 nccl-library=22803\n"
            "# Collective test starting: {}\n"
            "# nThread 1 nGpus 2 minBytes 8 maxBytes 128 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0\n"
            "#\n# Using devices\n"
            "#  Rank  0 Group  0 Pid   4711 on   node001 device  0 [0000:0f:00] NVIDIA H100 80GB HBM3\n"
            "#  Rank  1 Group  0 Pid   4711 on   node001 device  1 [0000:2d:00] NVIDIA H100 80GB HBM3\n#\n"
            "#                                                              out-of-place                       in-place\n"
            "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n"
            "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)\n")
    FOOT = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 1.5\n#\n"

    def text(self, program, *lines):
        return self.write(self.HEAD.format(program) + "".join(line + "\n" for line in lines) + self.FOOT)

    def test_allreduce(self):
        found = self.take(self.text("all_reduce_perf", "8  2  float  sum  -1  17.08  0.01  0.02  0  16.76  0.03  0.04  0",
                                    "67108864 16777216 float sum -1 1.2e+05 0.56 0.57 0 119999 0.58 0.59 3"))
        base = "micro/allreduce backend=nccl bytes={} {}memory=device ranks=2 timing=pipelined"
        row = found[base.format(8, "")]
        for metric, want in (("latency", 17.08e-6), ("bandwidth", 0.01e9), ("bus_bandwidth", 0.02e9)):
            self.assertAlmostEqual(self.value(row, metric), want, delta=1e-12 * abs(want))
        self.assertAlmostEqual(self.value(found[base.format(8, "in_place=true ")]), 16.76e-6, delta=1e-17)
        self.assertAlmostEqual(self.value(found[base.format(67108864, "")]), 0.12, delta=1e-14)
        self.assertEqual(found[base.format(67108864, "in_place=true ")]["status"], "failed")
        self.assertEqual(row["verified"], {"done": True, "checked": 1, "wrong": 0})

    def test_sizes_are_those_of_osu(self):
        found = self.take(self.text("./build/all_gather_perf", "128 16 float none -1 20.0 1 0.5 0 21.0 1 0.5 N/A"))
        row = found["micro/allgather backend=nccl bytes=64 dtype=fp32 memory=device ranks=2 timing=pipelined"]
        self.assertEqual(row["facts"]["total_bytes"], 128)

    def test_our_own_text_comes_back(self):
        """Every row that `--to nccl` prints is read again, with its key, all of its digits and the ranks of the run."""
        file = RESULTS / "run-1.h5"
        text = run("export", file, "--to", "nccl").stdout
        self.assertTrue(text.startswith("# "))
        self.assertEqual(text, run("show", file, "--format", "nccl").stdout)
        done = run("import", self.write(text), "-o", self.path("out.h5"))
        self.expect(done, 0)
        self.assertEqual(done.stderr, "")
        found, measured = rows(self.path("out.h5")), rows(file)
        wanted = {key: row for key, row in measured.items() if re.match("micro/all(reduce|gather) ", key) and row["status"] == "ok"}
        self.assertEqual(set(found), set(wanted))
        self.assertGreater(len(found), 2)
        for key, row in found.items():
            self.assertEqual(row["facts"]["total_bytes"], wanted[key]["facts"]["total_bytes"])
            self.assertEqual(row["verified"]["wrong"], 0)
        printed = [line for line in text.splitlines() if re.match(r" *\d", line)]
        again = run("show", self.path("out.h5"), "--format", "nccl").stdout
        self.assertEqual([line for line in again.splitlines() if re.match(r" *\d", line)], printed)
        self.assertEqual(len(printed), len(found))  # in_place was not measured
        for broken, said in (("# Parameters of Scalemark: ranks=0", "number of ranks"), ("# Parameters of Scalemark: ranks", "pairs")):
            head = self.HEAD.format("all_gather_perf").replace("#\n# Using", broken + "\n# Using", 1)
            self.take(self.write(head + "8 2 float none -1 1 1 1 0 1 1 1 0\n"), code=3, said=(said,))
        huge = self.HEAD.format("reduce_scatter_perf").replace("#\n# Using", "# Parameters of Scalemark: ranks=99999999\n# Using", 1)
        self.take(self.write(huge + "8 1000000000000000 double sum -1 1 1 1 0 1 1 1 0\n"), code=3, said=("too many",))

    def test_what_was_not_measured_is_no_case(self):
        found = self.take(self.text("all_reduce_perf", "8 2 float sum -1 1.00 0.01 0.02 0 N/A N/A N/A N/A"))
        self.assertEqual(list(found), ["micro/allreduce backend=nccl bytes=8 memory=device ranks=2 timing=pipelined"])

    def test_a_cut_text_is_not_complete(self):
        self.take(self.write(self.HEAD.format("reduce_perf") + "8 2 half max 1 17.08 0 0 0 16.76 0 0 0\n"))
        self.assertIn("op=max", " ".join(rows(self.path("out.h5"))))
        done = run("export", self.path("out.h5"), "--to", "fom")
        self.assertEqual(done.stdout.splitlines()[-1], "RESULT FAIL")

    def test_older_texts_need_the_program_and_tags_of_mpirun_are_taken_off(self):
        lines = self.HEAD.split("\n", 2)[2].replace("#wrong", " error") + "8 2 float sum -1 1.5 0 0 0e+00 1.6 0 0 0e+00\n" + self.FOOT
        tagged = "".join(f"[1,0]<stdout>:{line}\n" for line in lines.splitlines())
        self.take(self.write(tagged), code=3, said=("--program",))
        found = self.take(self.write(tagged), "--program", "all_reduce_perf", "--ranks", 16)
        self.assertIn("micro/allreduce backend=nccl bytes=8 memory=device ranks=16 timing=pipelined", found)

    def test_settings_that_change_what_is_measured(self):
        """-m, -G and -u: of a text's third line; of JSON's config, but for -u, -R and -D."""
        path = self.text("all_reduce_perf", "8  2  float  sum  -1  17.08  0.01  0.02  0  16.76  0.03  0.04  0")
        said = pathlib.Path(path).read_text()
        others = said.replace("agg iters: 1 validation: 1 graph: 0", "agg iters: 4 validation: 1 graph: 2 unalign: 3")
        key = "micro/allreduce aggregate=4 backend=nccl bytes=8 graphs=true {}memory=device ranks=2 timing=pipelined unalign=3"
        found = self.take(self.write(others))
        self.assertEqual(set(found), {key.format(""), key.format("in_place=true ")})
        self.assertEqual({row["facts"]["iterations"] for row in found.values()}, {20})
        result = {"size": 8, "count": 2, "type": "float", "redop": "sum", "root": "-1", "out_of_place": {"time": 17, "alg_bw": 0.5, "bus_bw": 0.7}}
        document = {"args": ["all_reduce_perf", "-m", "4", "-u", "3", "-R", "2"], "config": {"aggregated_iterations": 4, "graph": 2}, "results": [result]}
        self.assertEqual(set(self.take(self.write(json.dumps(document)), "--ranks", 2)),
                         {key.format("").replace("timing", "registration=symmetric timing")})
        for kernel, moved in (("1", "lsa"), ("4", "multimem")):
            document["args"] = ["all_reduce_perf", "-R", "2", "-D", kernel]
            found = self.take(self.write(json.dumps(document)), "--ranks", 2)
            self.assertEqual({row["params"]["device_api"] for row in found.values()}, {moved})

    def test_json(self):
        group = {"time": 17.081234, "alg_bw": 0.5, "bus_bw": 0.75, "nwrong": 0.0}
        result = {"size": 1024, "count": 256, "type": "float", "redop": "sum", "root": "    -1", "out_of_place": group,
                  "in_place": None, "actual_iterations": 20, "experiment_name": "AllReduce", "surprise": 1,
                  "out_of_place_per_iter": {"times_us": [16.5, 18.25, 17.0], "p50_us": 17.0}}
        document = {"version": 1, "args": ["/opt/all_reduce_perf", "-b", "8"], "env": ["TOKEN=s3cret"], "nccl_version": 22803,
                    "config": {"devices": [{"rank": i, "hostname": "n1", "device_info": "NVIDIA H100"} for i in range(4)]},
                    "results": [result], "end_time": "2026-01-01 00:00:00"}
        path = self.write(json.dumps(document), "nccl.json")
        found = self.take(path, said=('"surprise" is not known',))
        row = found["micro/allreduce backend=nccl bytes=1024 memory=device ranks=4 timing=pipelined"]
        self.assertAlmostEqual(self.value(row), 17e-6, delta=1e-17)
        self.assertEqual(row["metrics"]["latency"]["n"], 3)
        self.assertAlmostEqual(self.value(row, "bus_bandwidth"), 0.75e9, delta=1e-3)
        with open(self.path("out.h5"), "rb") as file:
            self.assertNotIn(b"s3cret", file.read())
        result["out_of_place"] = {**group, "time": "fast"}
        self.take(self.write(json.dumps(document), "nccl.json"), code=3, said=("results[0].out_of_place", '"time"'))


class Nvbandwidth(Importing):
    def document(self, *tests, **more):
        return self.write(json.dumps({"nvbandwidth": {"version": "v0.8", "git_version": "v0.8", "CUDA Runtime Version": 13000,
                                                      "Driver Version": "580.95.05", "testcases": list(tests), **more}}))

    def test_matrices(self):
        copy = {"name": "host_to_device_memcpy_ce", "status": "Passed", "sum": 111.0,
                "bandwidth_description": "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
                "bandwidth_matrix": [["55.25", "55.75"]]}
        peers = {"name": "device_to_device_memcpy_read_ce", "status": "Passed", "sum": 700.5,
                 "bandwidth_description": "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)",
                 "bandwidth_matrix": [["N/A", "350"], ["350.5", "N/A"]]}
        latency = {"name": "device_to_device_latency_sm", "status": "Passed", "bandwidth_matrix": [["N/A", "700.5"]],
                   "bandwidth_description": "memory latency SM GPU(row) <-> GPU(column) (ns)"}
        waived = {"name": "multinode_device_to_device_memcpy_read_ce", "status": "Waived"}
        found = self.take(self.document(copy, peers, latency, waived))
        row = found["micro/memcpy direction=h2d host_memory=pinned ranks=1"]
        for metric, want in (("bandwidth", 55.5e9), ("bandwidth_min", 55.25e9), ("total_bandwidth", 111e9)):
            self.assertAlmostEqual(self.value(row, metric), want, delta=1)
        row = found["nvbandwidth/device_to_device_memcpy_read_ce ranks=1"]
        self.assertAlmostEqual(self.value(row, "bandwidth"), 350.25e9, delta=1)
        row = found["nvbandwidth/device_to_device_latency_sm ranks=1"]
        self.assertAlmostEqual(self.value(row), 700.5e-9, delta=1e-18)
        self.assertEqual(row["metrics"]["latency"]["better"], "lower")
        self.assertEqual(found["nvbandwidth/multinode_device_to_device_memcpy_read_ce ranks=1"]["status"], "skipped")

    def test_what_is_wrong_is_named(self):
        good = {"name": "x", "status": "Passed", "bandwidth_matrix": [["1"]]}
        for change, said in (({"bandwidth_matrix": [["fast"]]}, "numbers"), ({"bandwidth_matrix": [1]}, "lists"),
                             ({"bandwidth_matrix": []}, "passed"), ({"name": 7}, '"name"'), ({"name": "y" * 300}, "200 bytes")):
            self.take(self.document({**good, **change}), code=3, said=("testcases[0]", said))
        self.take(self.document(good, good), code=3, said=("occurs twice",))
        self.take(self.document({"name": "x", "status": "Error", "error": "ASSERT failed"}, error="it ended"))
        self.assertEqual(next(iter(rows(self.path("out.h5")).values()))["status"], "failed")


class GoogleBenchmark(Importing):
    def test_the_kernels_own_json_gives_what_their_result_file_has(self):
        done = run("--benchmark_filter=memcpy/bytes:4096", "--benchmark_repetitions=3", "--benchmark_min_time=0.01",
                   f"--benchmark_out={self.path('k.json')}", "--benchmark_out_format=json", "-o", self.path("k.h5"),
                   program=KERNELS)
        self.expect(done, 0)
        found, own = self.take(self.path("k.json")), rows(self.path("k.h5"))
        self.assertEqual(sorted(found), sorted(own))
        self.assertTrue(found)
        document = json.loads(pathlib.Path(self.path("k.json")).read_text())
        for key, row in found.items():
            mine = row["metrics"]
            self.assertEqual((mine["time"]["n"], row["primary"]), (3, "time"))
            self.assertAlmostEqual(mine["time"]["median"], own[key]["metrics"]["time"]["median"], delta=1e-3 * mine["time"]["median"])
        medians = [one["real_time"] * 1e-9 for one in document["benchmarks"] if one.get("aggregate_name") == "median"]
        self.assertEqual(len(medians), len(found))
        for want, got in zip(sorted(medians), sorted(row["metrics"]["time"]["median"] for row in found.values())):
            self.assertAlmostEqual(want, got, delta=2e-15)

    def test_names_counters_and_failures(self):
        row = {"name": "BM_sort<int>/1024/mode:2/threads:4", "run_type": "iteration", "repetitions": 1, "threads": 4,
               "iterations": 10, "real_time": 1.5, "cpu_time": 1.25, "time_unit": "ms", "misses": 3.5,
               "items_per_second": 2e6, "note": "text"}
        bad = {"name": "BM_gone", "run_type": "iteration", "error_occurred": True, "error_message": "no file", "iterations": 0,
               "real_time": 0, "cpu_time": 0, "time_unit": "ns", "threads": 1}
        path = self.write(json.dumps({"context": {"library_version": "v1.9"}, "benchmarks": [row, bad]}))
        found = self.take(path, said=('"note" is not known',))
        got = found["kernels/BM_sort<int> arg0=1024 mode=2 ranks=1 threads=4"]
        for metric, want in (("time", 1.5e-3), ("cpu_time", 1.25e-3), ("misses", 3.5), ("item_rate", 2e6)):
            self.assertAlmostEqual(self.value(got, metric), want, delta=1e-12 * want)
        gone = found["kernels/BM_gone ranks=1 threads=1"]
        self.assertEqual((gone["status"], gone["reason"]), ("failed", "no file"))
        for change in ({"time_unit": "h"}, {"real_time": -1}, {"real_time": 1e9, "time_unit": "s"}, {"threads": -1}):
            path = self.write(json.dumps({"context": {}, "benchmarks": [{**row, **change}]}))
            self.take(path, code=3, said=("benchmarks[0]",))


class Changed(Importing):
    """Files that were cut or changed are imported or refused, and what is imported can be shown; many more of them in
    tests/fuzz/fuzz_import.cpp."""

    def test_cut_and_changed_files(self):
        chance = random.Random(5)
        samples = [path.read_bytes() for folder in ("osu", "imb") for path in sorted((GOLDEN / folder).glob("*.txt"))]
        samples.append(run("export", RESULTS / "run-1.h5", "--to", "nccl").stdout.encode())
        samples.append(NcclTests.HEAD.format("all_reduce_perf").encode() + b"8 2 float sum -1 1.5 0 0 0 1.6 0 0 N/A\n")
        samples.append(b'{"run": 1, "cases": {"x a=1": {"metric": "t", "unit": "s", "scale": 1e-9, "samples": [1, 2]}}}')
        samples.append(b'{"nvbandwidth": {"version": "1", "testcases": [{"name": "x", "status": "Passed", "bandwidth_matrix": [["1.5", "N/A"]]}]}}')
        pieces = [b'"', b"{", b"]", b"#", b"-1", b"1e308", b"9" * 30, b"\0", b"\xff", b"\x1b[31m", b"\n", b"null", b" "]
        codes = []
        for _ in range(30):
            text = bytearray(chance.choice(samples))
            for _ in range(chance.choice((1, 1, 3))):
                at = chance.randrange(len(text) + 1)
                change = chance.randrange(3)
                if change == 0:
                    text[at:at] = chance.choice(pieces)
                elif change == 1:
                    del text[at:at + chance.randrange(1, 30)]
                else:
                    del text[at:]
            with open(self.path("changed"), "wb") as file:
                file.write(text)
            done = subprocess.run([SCALEMARK, "import", self.path("changed"), "-o", self.path("changed.h5"), "--force"],
                                  capture_output=True, timeout=60, check=False)
            self.assertIn(done.returncode, (0, 3), bytes(text) + done.stderr)
            self.assertNotIn(b"\x1b", done.stderr)
            codes.append(done.returncode)
            if done.returncode == 0:
                rows(self.path("changed.h5"))
        self.assertEqual(set(codes), {0, 3})


if __name__ == "__main__":
    unittest.main()
