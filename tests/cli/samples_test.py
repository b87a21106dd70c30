# SPDX-License-Identifier: Apache-2.0
"""Every number of what OSU, IMB and nccl-tests printed, imported and read here: a line split at blanks, no more."""
import decimal
import json
import pathlib
import re
import unittest

import h5py

from harness import ProgramTest, rows, run

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"

# Heading: metric, unit, power of ten, direction.
OSU = {"Avg Latency(us)": ("latency", "s", -6, "lower"), "Min Latency(us)": ("latency_min", "s", -6, "lower"),
       "Max Latency(us)": ("latency_max", "s", -6, "lower"), "Bandwidth (MB/s)": ("bandwidth", "By/s", 6, "higher"),
       "MB/s": ("bandwidth", "By/s", 6, "higher"), "Messages/s": ("message_rate", "1/s", 0, "higher"),
       "Latency (us)": ("latency", "s", -6, "lower"), "Pure Comm.(us)": ("latency", "s", -6, "lower"),
       "Min Comm.(us)": ("latency_min", "s", -6, "lower"), "Max Comm.(us)": ("latency_max", "s", -6, "lower"),
       "Overall(us)": ("overall_time", "s", -6, "lower"), "Compute(us)": ("compute_time", "s", -6, "none"),
       "Coll. Init(us)": ("init_time", "s", -6, "lower"), "MPI_Test(us)": ("test_time", "s", -6, "lower"),
       "MPI_Wait(us)": ("wait_time", "s", -6, "lower"), "Overlap(%)": ("overlap_ratio", "1", -2, "higher"),
       **{f"P{p} Tail Lat(us)": (f"latency_p{p}", "s", -6, "lower") for p in (50, 90, 99)},
       **{f"P{p} Tail BW(MB/s)": (f"bandwidth_p{p}", "By/s", 6, "higher") for p in (50, 90, 99)}}
# Of non-blocking collectives the tails are those of the time beside computation.
OVERLAPPED = OSU | {f"P{p} Tail Lat(us)": (f"overall_time_p{p}", "s", -6, "lower") for p in (50, 90, 99)}
IMB = {"t[usec]": ("latency", "s", -6, "lower"), "t_avg[usec]": ("latency", "s", -6, "lower"),
       "t_min[usec]": ("latency_min", "s", -6, "lower"), "t_max[usec]": ("latency_max", "s", -6, "lower"),
       "Mbytes/sec": ("bandwidth", "By/s", 6, "higher"), "Msg/sec": ("message_rate", "1/s", 0, "higher"),
       "t_ovrl[usec]": ("overall_time", "s", -6, "lower"), "t_pure[usec]": ("latency", "s", -6, "lower"),
       "t_CPU[usec]": ("compute_time", "s", -6, "none"), "overlap[%]": ("overlap_ratio", "1", -2, "higher")}
NCCL = {"time": ("latency", "s", -6, "lower"), "cputime": ("cpu_time", "s", -6, "lower"),
        "algbw": ("bandwidth", "By/s", 9, "higher"), "busbw": ("bus_bandwidth", "By/s", 9, "higher"),
        "i_min": ("latency_min", "s", -6, "lower"), "i_max": ("latency_max", "s", -6, "lower"),
        "i_p99": ("latency_p99", "s", -6, "lower")}

# File: what its keys are, with {} for the size. They were printed on two ranks.
OSU_KEYS = {
    "acc_latency_check_tail": "micro/accumulate backend=mpi bytes={} dtype=int8 ranks=2 sync=flush",
    "bw_check_tail": "micro/bandwidth backend=mpi bytes={} memory=host ranks=2 window=64",
    "cas_latency_check": "micro/compare_and_swap backend=mpi bytes={} dtype=int8 ranks=2 sync=flush",
    "get_bw": "micro/get_bandwidth backend=mpi bytes={} ranks=2 sync=lock window=64 window_creation=create",
    "iallreduce": "micro/allreduce backend=mpi bytes={} call=nonblocking dtype=int8 memory=host ranks=2",
    "ialltoall_full_check_tail": "micro/alltoall backend=mpi bytes={} call=nonblocking memory=host ranks=2",
    "ibarrier_full": "micro/barrier backend=mpi call=nonblocking ranks=2",
    "ibcast_check": "micro/broadcast backend=mpi bytes={} call=nonblocking memory=host ranks=2",
    "latency_persistent": "micro/pingpong backend=mpi bytes={} call=persistent memory=host ranks=2",
    "mbw_mr_check_tail": "micro/multi_pair backend=mpi bytes={} memory=host ranks=2 window=64",
    "put_latency": "micro/put backend=mpi bytes={} ranks=2 sync=flush",
    "reduce_scatter_full_tail": "micro/reduce_scatter backend=mpi bytes={} dtype=int8 memory=host ranks=2",
    "allgather": "micro/allgather backend=mpi bytes={} memory=host ranks=2",
    "allreduce": "micro/allreduce backend=mpi bytes={} dtype=int8 memory=host ranks=2",
    "allreduce_full": "micro/allreduce backend=mpi bytes={} dtype=int8 memory=host ranks=2",
    "allreduce_full_check_tail": "micro/allreduce backend=mpi bytes={} dtype=int8 memory=host ranks=2",
    "barrier": "micro/barrier backend=mpi ranks=2",
    "barrier_full": "micro/barrier backend=mpi ranks=2",
    "bcast_int": "micro/broadcast backend=mpi bytes={} dtype=int32 memory=host ranks=2",
    "bibw": "micro/bidirectional_bandwidth backend=mpi bytes={} memory=host ranks=2 window=64",
    "bw": "micro/bandwidth backend=mpi bytes={} memory=host ranks=2 window=64",
    "latency": "micro/pingpong backend=mpi bytes={} memory=host ranks=2",
    "latency_check": "micro/pingpong backend=mpi bytes={} memory=host ranks=2",
    "latency_mp_check": "micro/pingpong backend=mpi bytes={} forked=2 memory=host ranks=2",
    "mbw_mr": "micro/multi_pair backend=mpi bytes={} memory=host ranks=2 window=64",
    "multi_lat": "micro/pingpong backend=mpi bytes={} memory=host ranks=2"}
SENTENCES = {"init", "hello"}


class Samples(ProgramTest):
    def take(self, path, *options, said=()):
        """The cases of an import, whether its run is complete, and what was said."""
        done = run("import", path, "-o", self.path("out.h5"), "--force", *options)
        self.expect(done, 0, *said)
        with h5py.File(self.path("out.h5")) as file:
            complete = bool(file.attrs["complete"])
        return rows(self.path("out.h5")), complete, done.stderr

    def write(self, content, name="given.txt"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content)
        return self.path(name)

    def check(self, row, wanted):
        """`wanted`: metric to printed text, unit, power of ten, direction; nothing else is there."""
        self.assertEqual(set(row["metrics"]), set(wanted), row["key"])
        for name, (text, unit, power, better) in wanted.items():
            metric = row["metrics"][name]
            self.assertEqual((metric["unit"], metric["better"], metric["n"]), (unit, better, 1), f"{row['key']} {name}")
            want = float(decimal.Decimal(text).scaleb(power))
            self.assertAlmostEqual(metric["median"], want, delta=4e-16 * want, msg=f"{row['key']} {name}")


class Osu(Samples):
    def test_every_number_of_every_table(self):
        files = {path.stem for path in (GOLDEN / "osu").glob("*.txt")}
        self.assertEqual(files, set(OSU_KEYS) | SENTENCES, "a sample is not looked at")
        for name, template in OSU_KEYS.items():
            with self.subTest(name):
                found, complete, _ = self.take(GOLDEN / "osu" / f"{name}.txt", "--ranks", 2)
                self.check_table((GOLDEN / "osu" / f"{name}.txt").read_text().splitlines(), template, found)
                self.assertEqual(complete, name != "allreduce_full_check_tail")

    def check_table(self, lines, template, found):
        heading = next(line for line in lines if re.match(r"# (Size|Avg|Overall\()", line))
        columns = re.split(r"\s{2,}| (?=P\d)", heading[2:].strip())
        meanings = OVERLAPPED if "Overall(us)" in columns else OSU
        printed = [line.split() for line in lines if re.match(r"\s*\d", line)]
        self.assertGreater(len(printed), 0)
        self.assertEqual(len(found), len(printed))
        for cells in printed:
            self.assertEqual(len(cells), len(columns))
            named = dict(zip(columns, cells))
            row = found[template.format(named.get("Size"))]
            self.check(row, {meanings[column][0]: (text, *meanings[column][1:]) for column, text in named.items() if column in OSU})
            self.assertLessEqual(set(named) - set(OSU), {"Size", "Iterations", "Validation"})
            self.assertEqual(row["primary"], "bandwidth" if "bandwidth" in row["metrics"] else "latency")
            self.assertEqual(row["facts"].get("iterations"), int(named["Iterations"]) if "Iterations" in named else None)
            checked, passed = "Validation" in named, named.get("Validation", "Pass") in ("Pass", "passed")
            self.assertEqual(row["verified"], {"done": checked, "checked": int(checked), "wrong": int(not passed)})
            self.assertEqual(row["status"], "ok" if passed else "failed")

    def test_a_run_that_failed_half_way_keeps_its_rows(self):
        path = GOLDEN / "osu" / "allreduce_full_check_tail.txt"
        found, complete, said = self.take(path, "--ranks", 2)
        self.assertFalse(complete)
        self.assertEqual(len(found), 3)
        self.assertIn("DATA VALIDATION ERROR", said)
        with h5py.File(self.path("out.h5")) as file:
            self.assertIn("DATA VALIDATION ERROR", str(file["run"].attrs["exit_reason"]))
        self.assertIn("is not complete", run("show", self.path("out.h5"), "--format", "csv").stderr)

    def test_sentences(self):
        found, complete, _ = self.take(GOLDEN / "osu" / "init.txt")
        words = re.search("nprocs.*", (GOLDEN / "osu" / "init.txt").read_text())[0].replace(",", "").split()
        row, = found.values()
        self.assertEqual((row["key"], row["primary"], complete), (f"micro/init backend=mpi ranks={words[1]}", "time", True))
        self.check(row, {metric: (words[at], "s", -3, "lower") for metric, at in (("time_min", 3), ("time_max", 6), ("time", 9))})
        found, complete, _ = self.take(GOLDEN / "osu" / "hello.txt")
        self.assertEqual([(key, row["status"], row["metrics"]) for key, row in found.items()],
                         [("osu/hello backend=mpi ranks=2", "skipped", {})])

    def test_all_samples_in_one_text_keep_their_numbers(self):
        """By cat, those of different tests: a title begins a table of its own."""
        names = ("latency", "allreduce_full", "bcast_int", "barrier", "mbw_mr", "init", "hello")
        text = "".join((GOLDEN / "osu" / f"{name}.txt").read_text() for name in names)
        together, complete, _ = self.take(self.write(text), "--ranks", 2)
        apart = {}
        for name in names:
            apart.update(self.take(GOLDEN / "osu" / f"{name}.txt", "--ranks", 2)[0])
        self.assertTrue(complete)
        self.assertEqual(set(together), set(apart))
        for key, row in together.items():
            self.assertEqual((row["metrics"], row["facts"]), (apart[key]["metrics"], apart[key]["facts"]))


class Imb(Samples):
    ONE_SIDED = "micro/{} backend=mpi bytes={{}} ranks=2 sync=flush window_creation=create"
    FILE = "micro/mpi_io bytes={{}} collective_io={} operation={} {}ranks=2 sync={}"
    # Keys with {} for the size; that of IMB is of all threads, or of all ranks.
    KEYS = {"PingPong": "micro/pingpong backend=mpi bytes={} memory=host ranks=2",
            "Allreduce": "micro/allreduce backend=mpi bytes={} memory=host ranks=2",
            "Barrier": "micro/barrier backend=mpi ranks=2",
            "Unidir_put NON-AGGREGATE": ONE_SIDED.format("put"),
            "Unidir_put AGGREGATE": "imb/unidir_put backend=mpi bytes={} memory=host mode=aggregate ranks=2",
            "Exchange_get": "micro/multi_get backend=mpi bytes={} pattern=neighbors ranks=2 sync=flush window_creation=create",
            "Truly_passive_put": "micro/put backend=mpi bytes={} ranks=2 sync=flush target=computes window_creation=create",
            **{f"{name} NON-AGGREGATE": f"micro/{name.lower()} backend=mpi bytes={{}} dtype=fp32 ranks=2 sync=flush window_creation=create"
               for name in ("Accumulate", "Get_accumulate")},
            **{f"{name} AGGREGATE": f"imb/{name.lower()} backend=mpi bytes={{}} memory=host mode=aggregate ranks=2"
               for name in ("Accumulate", "Get_accumulate")},
            "PingPongMT": "micro/thread_pingpong bytes={} ranks=2 threads=2",
            "PingPingMT": "imb/pingpingmt backend=mpi bytes={} memory=host ranks=2 threads=2",
            "ExchangeMT": "micro/thread_exchange bytes={} pattern=neighbors ranks=2 threads=2",
            "BiBandMT": "micro/thread_bandwidth bidirectional=true bytes={} ranks=2 threads=2 window=64",
            "UniBandMT": "micro/thread_bandwidth bidirectional=false bytes={} ranks=2 threads=2 window=64",
            "BcastMT": "micro/thread_collective bytes={} collective=broadcast ranks=2 threads=2",
            "P_Write_Priv NON-AGGREGATE": FILE.format("false", "write", "pointer=own_file ", "true"),
            "P_Write_Priv AGGREGATE": "imb/p_write_priv backend=mpi bytes={} memory=host mode=aggregate ranks=2",
            "C_Read_Expl AGGREGATE": FILE.format("true", "read", "", "false"),
            "P_IWrite_Shared AGGREGATE": "micro/mpi_io bytes={} call=nonblocking collective_io=false operation=write pointer=shared "
                                         "ranks=2 sync=false"}

    def tables(self, lines):
        """(test and mode, columns, cells) of each row."""
        for line in lines:
            words = line.split()
            if words[:2] == ["#", "Benchmarking"]:
                test = words[2]
            elif words[:2] == ["#", "MODE:"]:
                test += " " + words[2]
            elif words and words[0] in ("#bytes", "#repetitions"):
                columns = words
            elif words and words[0][0].isdigit():
                yield test, columns, words

    def columns_of(self, test):
        """Our names of a test's columns."""
        if test == "Truly_passive_put":
            return {"t_pure[usec]": ("waiting_latency", "s", -6, "lower"), "t_ovrl[usec]": ("latency", "s", -6, "lower")}
        if self.KEYS[test].startswith(("micro/multi", "micro/mpi_io")) and "call" not in self.KEYS[test]:
            return {column: (name.replace("latency", "time"), *more) for column, (name, *more) in IMB.items()}
        return IMB

    def test_every_number_of_every_table(self):
        files = sorted((GOLDEN / "imb").glob("*.txt"))
        self.assertTrue(files)
        for path in files:
            found, complete, said = self.take(path)
            self.assertEqual((complete, said), (True, ""))
            printed = list(self.tables(path.read_text().splitlines()))
            self.assertEqual(len(found), len(printed))
            for test, columns, cells in printed:
                named, ours = dict(zip(columns, cells, strict=True)), self.columns_of(test)
                parts = 2 if self.KEYS[test].startswith(("micro/thread", "micro/mpi_io")) else 1
                row = found[self.KEYS[test].format(int(named.get("#bytes", 0)) // parts)]
                self.check(row, {ours[column][0]: (text, *ours[column][1:]) for column, text in named.items() if column in ours})
                self.assertEqual(set(named) - set(ours), {"#repetitions"} if test == "Barrier" else {"#bytes", "#repetitions"})
                primary = "time" if ours is not IMB and "t_avg[usec]" in named else "latency"
                self.assertEqual((row["primary"], row["status"], row["facts"]["iterations"]), (primary, "ok", int(named["#repetitions"])))

    def test_a_text_that_was_cut_is_not_complete(self):
        text = (GOLDEN / "imb" / "pingpong_allreduce_barrier.txt").read_text()
        whole, _, _ = self.take(GOLDEN / "imb" / "pingpong_allreduce_barrier.txt")
        cut, complete, _ = self.take(self.write(text[:text.index("# Benchmarking Barrier")]))
        self.assertFalse(complete)
        self.assertEqual(set(cut), {key for key in whole if "barrier" not in key})
        self.assertEqual(cut, {key: whole[key] for key in cut})


class NcclTests(Samples):
    """Layouts of nccl-tests 2.19.6 (src/util.cu), and those of releases before 2.16 without some of the columns."""
    LEAD = "#       size         count      type   redop    root"
    HALF = "     time   algbw   busbw  #wrong"
    PER_ITERATION = "    i_min    i_max    i_p99    i_cv%"
    HEAD = ("# nccl-tests version 2.19.6 nccl-headers=22803 nccl-library=22803\n# Collective test starting: all_reduce_perf\n"
            "# nThread 1 nGpus 2 minBytes 0 maxBytes 64 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0\n"
            "#\n# Using devices\n"
            "#  Rank  0 Group  0 Pid   4711 on   node001 device  0 [0000:0f:00] NVIDIA H100 80GB HBM3\n"
            "#  Rank  1 Group  0 Pid   4711 on   node001 device  1 [0000:2d:00] NVIDIA H100 80GB HBM3\n#\n"
            "#                                                              out-of-place                       in-place          \n")
    FOOT = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 1.5 \n#\n# Collective test concluded: all_reduce_perf\n\n"
    KEY = "micro/allreduce backend=nccl bytes={} {}memory=device ranks=2 timing=pipelined"

    def check_text(self, heading, lines, per_half, leading=5, key=KEY, head=HEAD, options=(), iterations=20, said=()):
        """`per_half` columns stand in each half, `leading` in front of them."""
        text = head + heading + "\n" + "".join(line + "\n" for line in lines) + self.FOOT
        found, complete, stderr = self.take(self.write(text), *options, said=said)
        self.assertTrue(complete)
        columns = heading[1:].replace("timestamp", "").split()
        seen = set()
        for line in lines:
            cells = line.split()[:leading + 2 * per_half]
            if int(cells[0]) in seen:
                continue
            seen.add(int(cells[0]))
            for half, place in enumerate(("", "in_place=true ")):
                start = leading + half * per_half
                named = dict(zip(columns[start:start + per_half], cells[start - len(columns):][:per_half]))
                row = found.pop(key.format(cells[0], place))
                self.check(row, {NCCL[name][0]: (value, *NCCL[name][1:]) for name, value in named.items() if name in NCCL})
                self.assertEqual(row["facts"]["total_bytes"], int(cells[0]))
                self.assertEqual(row["facts"].get("iterations"), iterations)
                wrong = named.get("#wrong", "N/A")
                self.assertEqual((row["verified"]["done"], row["status"]),
                                 (wrong != "N/A", "ok" if wrong in ("N/A", "0") else "failed"))
        self.assertEqual(found, {})
        return stderr

    def test_every_number_of_the_text(self):
        lines = ["           0             0     float     sum      -1    14.20    0.00    0.00       0    14.10    0.00    0.00       0",
                 "           8             2     float     sum      -1    17.08    0.01    0.02       0    16.76    0.03    0.04     N/A",
                 "          16             4     float     sum      -1  12345.6  100.00  187.50       0  1.2e+07   2e+07   3e+07       3"]
        self.assertEqual(self.check_text(self.LEAD + 2 * self.HALF + " ", lines, 4), "")

    def test_rows_of_size_zero_are_one(self):
        line = "           0             0     float     sum      -1    {}    0.00    0.00       0    14.10    0.00    0.00       0"
        said = self.check_text(self.LEAD + 2 * self.HALF, [line.format(time) for time in ("14.20", "15.20", "16.20")], 4)
        self.assertEqual(said.count("one more row of size 0"), 2, "one of each line")

    def test_times_of_the_cpu_iterations_and_stamps(self):
        line = ("           8             2     float     sum      -1    17.08    0.01    0.02       0{}"
                "    16.76    0.03    0.04       0{}{}")
        stamp, times = "  2026-01-02 03:04:05", "    15.01    19.02    18.03     1.04"
        heading = self.LEAD + 2 * self.HALF
        self.assertEqual(self.check_text(heading.replace("   time", "cputime"), [line.format("", "", "")], 4), "")
        self.assertEqual(self.check_text(heading + "            timestamp", [line.format("", "", stamp)], 4), "")
        heading = self.LEAD + 2 * (self.HALF + self.PER_ITERATION)
        self.check_text(heading, [line.format(times, times, "")], 8, said=('"i_cv%" is not known',))
        self.check_text(heading + "            timestamp", [line.format(times, times, stamp)], 8)

    def test_older_texts_have_fewer_columns(self):
        head = self.HEAD.split("\n", 2)[2].replace("Group  0 ", "")
        half = "     time   algbw   busbw  error"
        numbers = "    34.27    0.00    0.00    N/A    33.57    0.00    0.00    N/A"
        for program, columns, cells, name, params in (
                ("all_gather_perf", "", "", "allgather", "dtype=fp32 {}memory=device ranks=2"),
                ("alltoall_perf", "   redop", "        ", "alltoall", "dtype=fp32 {}memory=device ranks=2"),
                ("broadcast_perf", "    root", "       1", "broadcast", "dtype=fp32 {}memory=device ranks=2 root=1"),
                ("reduce_perf", "   redop    root", "     max       0", "reduce", "{}memory=device op=max ranks=2")):
            with self.subTest(program):
                lines = head + "#       size         count    type" + columns + 2 * half + "\n" + "          64            16   float" + cells + numbers
                found, _, _ = self.take(self.write(lines + "\n" + self.FOOT), "--program", program)
                size = 32 if name in ("allgather", "alltoall") else 64
                for place, time in (("", "34.27"), ("in_place=true ", "33.57")):
                    row = found.pop(f"micro/{name} backend=nccl bytes={size} {params.format(place)} timing=pipelined")
                    self.check(row, {"latency": (time, "s", -6, "lower"), "bandwidth": ("0.00", "By/s", 9, "higher"),
                                     "bus_bandwidth": ("0.00", "By/s", 9, "higher")})
                self.assertEqual(found, {})

    def test_numbers_that_could_not_be_computed_are_none(self):
        lines = [self.LEAD + 2 * self.HALF, "8 2 float sum -1 0.00 inf inf 0 nan nan nan 0"]
        found, _, _ = self.take(self.write(self.HEAD + "\n".join(lines) + "\n" + self.FOOT))
        row, = found.values()
        self.check(row, {"latency": ("0.00", "s", -6, "lower")})

    def test_every_number_of_the_json(self):
        def group(time, algbw, busbw, wrong):
            return {"time": time, "alg_bw": algbw, "bus_bw": busbw, "nwrong": wrong}
        results = [{"size": size, "count": size // 4, "type": "float", "redop": "sum", "root": "    -1",
                    "out_of_place": group(17.081234 + size, 0.5 + size, 0.75 + size, 0.0),
                    "in_place": group(16.000001 + size, 0.25, 0.125, None if size else 2.0), "actual_iterations": 20,
                    "experiment_name": ""} for size in (0, 8, 1024)]
        document = {"version": 3, "start_time": "2026-01-01 00:00:00", "args": ["/opt/all_reduce_perf"], "env": ["A=b"],
                    "nccl_version": 22803, "config": {"devices": [{"rank": i, "hostname": "n1", "device_info": "H100"} for i in range(2)]},
                    "results": [results[0], *results], "end_time": "2026-01-01 00:00:01"}
        found, complete, said = self.take(self.write(json.dumps(document), "x.json"))
        self.assertTrue(complete)
        self.assertEqual(said.count("one more result of size 0"), 2)
        for result in results:
            for name, place in (("out_of_place", ""), ("in_place", "in_place=true ")):
                one = result[name]
                row = found.pop(self.KEY.format(result["size"], place))
                self.check(row, {"latency": (f"{one['time']:.6f}", "s", -6, "lower"),
                                 "bandwidth": (f"{one['alg_bw']:.6f}", "By/s", 9, "higher"),
                                 "bus_bandwidth": (f"{one['bus_bw']:.6f}", "By/s", 9, "higher")})
                self.assertEqual(row["facts"], {"total_bytes": result["size"], "iterations": 20})
                self.assertEqual(row["status"], "failed" if one["nwrong"] == 2.0 else "ok")
                self.assertEqual(row["verified"]["done"], one["nwrong"] is not None)
        self.assertEqual(found, {})
        del document["end_time"]
        self.assertFalse(self.take(self.write(json.dumps(document), "x.json"))[1])


if __name__ == "__main__":
    unittest.main()
