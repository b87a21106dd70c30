# SPDX-License-Identifier: Apache-2.0
"""Measured here, printed as OSU, nccl-tests and IMB print it, and imported: the same keys, and the numbers are those of the
samples by definitions that are written out once more below."""
import csv
import io
import math
import re
import statistics
import unittest

from harness import SWAPS, ProgramTest, rows, run

PAIRS = ("pingpong", "bandwidth", "bidirectional_bandwidth", "multi_pair")
REDUCING = ("allreduce", "reduce", "reduce_scatter")
OF_MPI_ALONE = ("alltoallw", "reduce_scatter_block")
MOVING = ("allgather", "allgatherv", "alltoall", "alltoallv", "broadcast", "gather", "gatherv", "scatter", "scatterv")
ONE_SIDED = ("put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap")
ONE_SIDED_RATES = ("put_bandwidth", "put_bidirectional_bandwidth", "get_bandwidth")
NCCL = ("allreduce", "allgather", "reduce_scatter", "broadcast", "reduce", "alltoall", "alltoallv", "gather", "scatter", "sendrecv")
OSU = (*PAIRS, *REDUCING, *MOVING, *OF_MPI_ALONE, *ONE_SIDED, *ONE_SIDED_RATES, "barrier", "init")
IMB = ("pingpong", "sendrecv", "barrier", *REDUCING, *MOVING)


def names(*groups):
    return "^micro/(" + "|".join(groups) + ")$"


class Measured(ProgramTest):
    """The file of one run, its samples by key, metric and rank."""

    def measure(self, ranks, filter_, *axes, options=()):
        out = self.path("measured.h5")
        pairs = [text for axis in axes for text in ("-a", axis)]
        self.expect(run("run", filter_, "-a", f"ranks={ranks}", *pairs, *options, "-n", "4", "-w", "1", "-o", out, "--force", "--quiet",
                        ranks=ranks, env=SWAPS), 0)
        self.file, self.cases = out, {key: row for key, row in rows(out).items() if row["status"] == "ok"}
        self.samples = {}
        for line in csv.DictReader(io.StringIO(run("export", out, "--to", "csv").stdout)):
            if line["value"] and line["warmup"] == "0":
                ranks_of = self.samples.setdefault((line["key"], line["metric"]), {})
                ranks_of.setdefault(int(line["rank"]), []).append(float(line["value"]))
        self.assertTrue(self.cases)

    def means(self, key, metric):
        """Each rank's mean."""
        return [statistics.fmean(values) for _, values in sorted(self.samples[key, metric].items())]

    def printed(self, form, *options):
        done = run("show", self.file, "--format", form, *options)
        self.expect(done, 0)
        for line in done.stdout.splitlines():
            if not line.startswith("#"):
                self.assertNotRegex(line.lower(), "nan|inf")
        return done.stdout

    def back(self, text, *options, said=""):
        """The rows of an import of the text."""
        with open(self.path("text"), "w", encoding="utf-8") as file:
            file.write(text)
        done = run("import", self.path("text"), "-o", self.path("back.h5"), "--force", *options)
        self.expect(done, 0)
        if said is not None:
            self.assertEqual(done.stderr, said)
        return rows(self.path("back.h5"))

    def near(self, row, metric, want, step):
        """To the last printed digit."""
        self.assertAlmostEqual(row["metrics"][metric]["median"], want, delta=0.501 * step + 1e-12 * want, msg=f"{row['key']} {metric}")


class Osu(Measured):
    def check(self, found, decimals):
        step = 10.0 ** (-6 - decimals)
        self.assertEqual(set(found), set(self.cases))
        for key, row in found.items():
            self.assertEqual(row["primary"], self.cases[key]["primary"])
            for name, metric in row["metrics"].items():
                theirs = self.cases[key]["metrics"].get(re.sub("_(min|max|p50|p90|p99)$", "", name), metric)
                self.assertEqual(metric["unit"], theirs["unit"], f"{key} {name}")
                if name != "compute_time":  # of an import it is neither good nor bad
                    self.assertEqual(metric["better"], theirs["better"], f"{key} {name}")
            name = row["name"].removeprefix("micro/")
            if name == "init":
                times = [int(1000 * time) for time in self.means(key, "time")]
                for metric, want in (("time", sum(times) // len(times)), ("time_min", min(times)), ("time_max", max(times))):
                    self.assertAlmostEqual(row["metrics"][metric]["median"], want * 1e-3, delta=1e-12)
            elif name in ("bandwidth", "bidirectional_bandwidth", "multi_pair", *ONE_SIDED_RATES):
                self.check_rate(row, name, decimals)
            elif "call=nonblocking" in key:
                self.check_overlap(row, step)
            elif name in ("pingpong", *ONE_SIDED):  # rank 0 times them
                self.near(row, "latency", self.means(key, "latency")[0], step)
            else:
                means = self.means(key, "latency")
                for metric, want in (("latency", statistics.fmean(means)), ("latency_min", min(means)), ("latency_max", max(means))):
                    self.near(row, metric, want, step)
                self.assertEqual(row["facts"]["iterations"], 4)
            if name not in ("init", "barrier", "put", "get", *ONE_SIDED_RATES):
                self.assertEqual((row["verified"]["done"], row["verified"]["wrong"]), (True, 0), key)

    def check_rate(self, row, name, decimals):
        key, params = row["key"], row["params"]
        pairs = params["ranks"] // 2 if name == "multi_pair" else 1
        time = statistics.fmean(self.means(key, "time")[:pairs])  # of those that send
        messages = params["window"] * pairs * (2 if "bidirectional" in name else 1)
        self.near(row, "bandwidth", messages * params["bytes"] / time, 10.0 ** (6 - decimals))
        if name == "multi_pair":
            self.near(row, "message_rate", messages / time, 10.0 ** -decimals)

    def check_overlap(self, row, step):
        key = row["key"]
        pure, overall, compute = (statistics.fmean(self.means(key, metric)) for metric in ("latency", "overall_time", "compute_time"))
        for metric, want in (("latency", pure), ("overall_time", overall), ("compute_time", compute)):
            self.near(row, metric, want, step)
        self.near(row, "overlap_ratio", max(0, 1 - (overall - compute) / pure), 1e-2 * step * 1e6)

    def test_every_benchmark_comes_back(self):
        self.measure(2, names(*OSU), "backend=mpi", "memory=host", "bytes=8,1000", "sync=flush,fence")
        self.assertEqual({row["name"] for row in self.cases.values()}, {f"micro/{name}" for name in OSU})
        for decimals in (5, 2):
            text = self.printed("osu", "-vv", "--decimals", decimals)
            self.assertNotIn("not in this format", text)
            found = self.back(text)
            self.check(found, decimals)
            for row in found.values():
                if row["name"] not in ("micro/init", "micro/put", "micro/get"):
                    tail = "bandwidth" if "bandwidth" in row["metrics"] else "latency"
                    self.assertLessEqual({f"{tail}_p50", f"{tail}_p90", f"{tail}_p99"}, set(row["metrics"]))
        # As OSU itself prints it, without what stands behind the titles: still the keys that ours have.
        plain = re.sub(r"( \[\w[^]]*\])? \(OSU 7.4 format, [^)]*\)", "", self.printed("osu"))
        self.assertNotIn("Scalemark", plain)
        self.assertEqual(set(self.back(plain, "--ranks", 2, said=None)), set(self.cases))

    def test_every_way_to_call_comes_back(self):
        self.measure(2, names(*REDUCING, *MOVING, "barrier"), "backend=mpi", "memory=host", "bytes=64",
                     "call=blocking,nonblocking,persistent")
        self.assertTrue(any("call=nonblocking" in key for key in self.cases))
        found = self.back(self.printed("osu", "-v", "--decimals", 5))
        for row in found.values():
            row["verified"] = self.cases[row["key"]]["verified"]  # -vv prints it
        self.check(found, 5)
        plain = re.sub(r"( \[\w[^]]*\])? \(OSU 7.4 format, [^)]*\)", "", self.printed("osu"))
        self.assertEqual(set(self.back(plain, "--ranks", 2, said=None)), set(self.cases))

    def test_several_pairs_come_back(self):
        self.measure(4, names("pingpong", "multi_pair"), "backend=mpi", "memory=host", "bytes=8", "window=2")
        self.check(self.back(self.printed("osu", "-v", "--decimals", 5)), 5)

    def test_what_osu_has_no_table_of_is_said(self):
        self.measure(2, names("sendrecv", "comm_create", "pingpong"), "backend=mpi", "memory=host", "bytes=8", "pairs=all")
        text = self.printed("osu")
        self.assertEqual(sorted(re.findall(r"# not in this format: (.*): ok", text)), sorted(self.cases))
        self.assertEqual(len(text.splitlines()), len(self.cases))
        self.assertEqual({row["name"] for row in self.cases.values()}, {"micro/sendrecv", "micro/comm_create", "micro/pingpong"})


def as_superbench(text, in_place):
    """What SuperBench takes of one table (cuda_nccl_bw_performance.py, rule by rule): size to busbw, algbw and time."""
    lines = text.splitlines()
    first = max(i for i, line in enumerate(lines) if "out-of-place" in line)
    last = max(i for i, line in enumerate(lines) if "Out of bounds values" in line)
    lines = lines[first + 1:last]
    head = next(line for line in lines if "time" in line and "busbw" in line)[1:].split()
    place = {name: -1 - head[::-1].index(name) if in_place else head.index(name) - len(head) for name in ("busbw", "algbw", "time")}
    found = {}
    for words in (line.split() for line in lines):
        if words and words[0][0].isdigit() and int(words[head.index("size")]) != 0:
            found[int(words[head.index("size")])] = {name: float(words[at]) for name, at in place.items()}
    return found


class NcclTests(Measured):
    def test_every_benchmark_comes_back(self):
        self.measure(2, names(*NCCL), "backend=mpi", "memory=host", "bytes=1000,65536", "in_place=false,true")
        self.assertEqual({row["name"] for row in self.cases.values()}, {f"micro/{name}" for name in NCCL})
        text = self.printed("nccl")
        self.assertNotIn("not in this format", text)
        printed = [line.split() for line in text.splitlines() if re.match(r"\s*\d", line)]
        found = self.back(text)
        self.assertEqual(set(found), set(self.cases))
        for key, row in found.items():
            mine = self.cases[key]
            time = statistics.fmean(self.means(key, "latency"))
            total = mine["facts"]["total_bytes"]
            self.assertEqual((row["facts"]["total_bytes"], row["primary"]), (total, "latency"))
            self.assertEqual((row["verified"]["done"], row["verified"]["wrong"]), (True, 0))
            factor = {"allreduce": 1, "broadcast": 1, "reduce": 1, "sendrecv": 1}.get(row["name"].removeprefix("micro/"), 0.5)
            for metric, want, unit, scale, width in (("latency", time, "s", 1e-6, 7), ("bandwidth", total / time, "By/s", 1e9, 6),
                                                     ("bus_bandwidth", factor * total / time, "By/s", 1e9, 6)):
                self.assertEqual(row["metrics"][metric]["unit"], unit)
                # As many decimals as fit, two at most.
                decimals = max(0, min(2, width - 1 - len(str(int(want / scale)))))
                self.near(row, metric, want, scale * 10.0 ** -decimals)
        for table in text.split("# Collective test starting: ")[1:]:
            name = table.split("_perf")[0].replace("all_", "all")
            for in_place in (False, True) if name != "sendrecv" else (False,):
                mine = {row["facts"]["total_bytes"]: row for row in found.values()
                        if row["name"] == f"micro/{name}" and row["params"].get("in_place", False) == in_place}
                taken = as_superbench(table, in_place)
                self.assertEqual((set(taken), len(taken)), (set(mine), 2), name)
                for size, numbers in taken.items():
                    for column, metric, scale in (("time", "latency", 1e-6), ("algbw", "bandwidth", 1e9), ("busbw", "bus_bandwidth", 1e9)):
                        want = mine[size]["metrics"][metric]["median"]
                        self.assertAlmostEqual(numbers[column] * scale, want, delta=max(1e-12 * scale, 2 * math.ulp(want)))
        # in_place=false and =true are the two halves of a row.
        self.assertEqual(len(printed), len({(row["name"], row["params"]["bytes"]) for row in self.cases.values()}))

    def test_what_nccl_tests_have_no_table_of_is_said(self):
        self.measure(2, names("barrier", "bandwidth", "gatherv", "put"), "backend=mpi", "memory=host", "bytes=8")
        text = self.printed("nccl")
        self.assertEqual(sorted(re.findall(r"# not in this format: (.*): ok", text)), sorted(self.cases))
        self.assertNotIn("Collective", text)


class Imb(Measured):
    def test_every_benchmark_comes_back(self):
        self.measure(2, names(*IMB), "backend=mpi", "memory=host", "bytes=8,1000")
        self.assertEqual({row["name"] for row in self.cases.values()}, {f"micro/{name}" for name in IMB})
        text = self.printed("imb", "--decimals", 5)
        self.assertNotIn("not in this format", text)
        found = self.back(text)
        self.assertEqual(set(found), set(self.cases))
        for key, row in found.items():
            if row["name"] == "micro/pingpong":
                self.near(row, "latency", self.means(key, "latency")[0], 1e-11)
                continue
            means = self.means(key, "latency")
            for metric, want in (("latency", statistics.fmean(means)), ("latency_min", min(means)), ("latency_max", max(means))):
                self.near(row, metric, want, 1e-11)
            if row["name"] == "micro/sendrecv":
                self.near(row, "bandwidth", 2 * row["params"]["bytes"] / max(means), 10.0)
        self.comes_back_without_parameters(text)

    def comes_back_without_parameters(self, text):
        # As IMB itself prints it: still the keys that ours have.
        plain = re.sub("# Parameters of Scalemark:.*\n", "", text).replace("IMB 2021.11 format, measured by Scalemark", "IMB")
        self.assertNotIn("Scalemark", plain)
        self.assertEqual(set(self.back(plain)), set(self.cases))

    def test_threads_accesses_and_files_come_back(self):
        """IMB-MT, IMB-RMA and IMB-IO, whose tables count the bytes of all threads or all ranks."""
        folder = f"mpi_io={self.path('files')}"
        for filter_, axes in (("thread_(pingpong|collective|bandwidth)", ("threads=1,3", "bytes=8,1000", "collective=broadcast,reduce,allreduce")),
                              ("thread_exchange", ("threads=1,3", "bytes=8,1000")),
                              ("(put|get)", ("sync=flush", "window_creation=create", "bytes=8,1000", "target=waits,computes")),
                              ("(get_)?accumulate", ("sync=flush", "window_creation=create", "bytes=8,1000")),
                              ("multi_(put|get)", ("sync=flush", "window_creation=create", "bytes=8,1000", "pattern=neighbors")),
                              ("mpi_io", ("bytes=1000", "file_bytes=60K", "pointer=explicit,individual,shared,own_file", "operation=read",
                                          "call=blocking,nonblocking"))):
            with self.subTest(filter_):
                self.measure(2, f"^micro/{filter_}$", *(f"micro/thread_collective:{axis}" if axis.startswith("collective") else axis for axis in axes),
                             options=("--data", folder) if filter_ == "mpi_io" else ())
                text = self.printed("imb", "--decimals", 5)
                left_out = re.findall("# not in this format: (.*?): ", text)
                # There is a Truly_passive_put, but no such get.
                self.assertEqual(left_out, [key for key in self.cases if "micro/get " in key and "computes" in key])
                for key in left_out:
                    del self.cases[key]
                self.assertEqual(set(self.back(text)), set(self.cases))
                if filter_ != "mpi_io":  # IMB says nothing of a file's size
                    self.comes_back_without_parameters(text)


if __name__ == "__main__":
    unittest.main()
