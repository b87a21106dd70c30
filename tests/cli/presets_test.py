# SPDX-License-Identifier: Apache-2.0
"""Presets osu, imb, nccl-tests and nvbandwidth: the sizes, counts and modes of those programs without options (nccl-tests: -b 8 -e
8G -f 2), as their sources have them, printed as they print. What needs GPUs is skipped with its reason where there are none."""
import json
import re
import unittest

import h5py

from harness import ALL, ProgramTest, run

K, M = 1 << 10, 1 << 20
MOVING = ("allgather", "allgatherv", "alltoall", "alltoallv", "broadcast", "gather", "gatherv", "scatter", "scatterv")
REDUCING = ("allreduce", "reduce", "reduce_scatter")
PLANNED = re.compile(r"^(?P<name>\S+)(?P<axes>[^|]*) \| iterations=(?P<iterations>\S+) warmup=(?P<warmup>\S+) .*?(?: operations=(?P<operations>\d+))?$")


def doubling(first, last):
    sizes = [first]
    while sizes[-1] < last:
        sizes.append(2 * sizes[-1])
    return sizes


class Presets(ProgramTest):
    def plan(self, preset, ranks, *more):
        """The axes, iterations (or operations) and warm-up of every case, by benchmark. Nothing is measured."""
        out = self.path(f"{preset}.h5")
        done = run("run", "--preset", preset, "--budget", "0s", "-o", out, "--force", *more, ranks=ranks)
        self.expect(done, 4)
        with h5py.File(out) as file:
            lines = file["run/config"][()].decode().splitlines()
            statuses = {group.attrs["status"].decode() for group in file["cases"].values()}
        self.assertEqual(statuses, {"skipped"})
        plan = {}
        for line in lines:
            if case := PLANNED.match(line):
                axes = dict(pair.split("=") for pair in case["axes"].split())
                counts = [None if count == "auto" else int(count) for count in (case["operations"] or case["iterations"], case["warmup"])]
                plan.setdefault(case["name"].removeprefix("micro/"), []).append((axes, *counts))
        self.assertTrue(plan)
        return plan, done

    def by_size(self, rows, **wanted):
        """Iterations and warm-up by size; each size once; all with the wanted axes."""
        found = {}
        for axes, iterations, warmup in rows:
            for axis, value in wanted.items():
                self.assertEqual(axes.get(axis), value, axes)
            self.assertNotIn(int(axes["bytes"]), found)
            found[int(axes["bytes"])] = (iterations, warmup)
        return found

    def classes(self, sizes, small, large):
        return {size: small if size <= 8 * K else large for size in sizes}

    def test_osu(self):
        plan, _ = self.plan("osu", 2)
        host = {"backend": "mpi", "memory": "host", "ranks": "2"}
        latency = self.classes(doubling(1, 4 * M), (10000, 100), (1000, 10))
        windows = self.classes(doubling(1, 4 * M), (100, 10), (20, 2))
        self.assertEqual(self.by_size(plan["pingpong"], **host), latency)
        for name in ("bandwidth", "bidirectional_bandwidth", "multi_pair"):
            self.assertEqual(self.by_size(plan[name], **host, window="64"), windows)
        for name in ("put", "get", "accumulate", "get_accumulate"):
            self.assertEqual(self.by_size(plan[name], ranks="2", sync="flush", dtype="int8" if "accumulate" in name else None), latency)
        for name, sync in (("put_bandwidth", "flush"), ("get_bandwidth", "flush"), ("put_bidirectional_bandwidth", "pscw")):
            self.assertEqual(self.by_size(plan[name], ranks="2", sync=sync, window="64", window_creation=None), windows)
        for name in ("fetch_and_op", "compare_and_swap"):
            self.assertEqual(self.by_size(plan[name], ranks="2", sync="flush", dtype="int8"), {1: (10000, 100)})
        for name in (*MOVING, "alltoallw"):
            self.assertEqual(self.by_size(plan[name], **host, in_place=None, timing=None, dtype=None),
                             self.classes(doubling(1, M), (1000, 100), (100, 10)), name)
        for name in (*REDUCING, "reduce_scatter_block"):  # OSU reduces MPI_CHAR from 4 B on
            self.assertEqual(self.by_size(plan[name], **host, in_place=None, timing=None, dtype="int8"),
                             self.classes(doubling(4, M), (1000, 100), (100, 10)), name)
        ((axes, *counts),) = plan["barrier"]
        self.assertEqual((axes, counts), ({"backend": "mpi", "ranks": "2"}, [1000, 100]))
        self.assertEqual(len(plan["init"]), 1)
        self.assertEqual(set(plan), {"init", "barrier", "pingpong", "bandwidth", "bidirectional_bandwidth", "multi_pair", "put", "get",
                                     "put_bandwidth", "get_bandwidth", "put_bidirectional_bandwidth",
                                     "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap", *MOVING, "alltoallw", *REDUCING, "reduce_scatter_block"})

    def test_osu_on_four_ranks(self):
        plan, _ = self.plan("osu", 4)
        ranks = {name: sorted({axes["ranks"] for axes, *_ in rows}) for name, rows in plan.items()}
        self.assertEqual(ranks["allreduce"], ["4"])
        self.assertEqual(ranks["pingpong"], ["2", "4"])  # osu_latency and osu_multi_lat
        self.assertEqual(ranks["multi_pair"], ["4"])
        self.assertEqual(ranks["bandwidth"], ["2"])

    def test_imb(self):
        plan, _ = self.plan("imb", 4)

        def counts(sizes):
            repetitions = {size: min(1000, 40 * M // max(size, 1)) for size in sizes}
            return {size: (n, max(10, n // 10)) for size, n in repetitions.items()}

        host = {"backend": "mpi", "memory": "host", "in_place": None, "timing": None}
        self.assertEqual(self.by_size(plan["pingpong"], **host, ranks="2"), counts([0, *doubling(1, 4 * M)]))
        for name in ("sendrecv", *MOVING, *REDUCING):
            first = 4 if name in REDUCING else 1
            for ranks in ("2", "4"):
                rows = [row for row in plan[name] if row[0]["ranks"] == ranks]
                self.assertEqual(self.by_size(rows, **host), counts([0, *doubling(first, 4 * M)]), name)
        self.assertEqual([(axes["ranks"], n, w) for axes, n, w in plan["barrier"]], [("2", 1000, 100), ("4", 1000, 100)])

    def test_nccl_tests(self):
        plan, done = self.plan("nccl-tests", 2)
        self.assertIn("all_reduce_perf -b 8 -e 8G -f 2", done.stderr)
        # Nothing is measured in no time: the form stands.
        self.assertRegex(done.stdout, r"^# scalemark \d+\.\d+ nccl-tests 2\.19\.6 format\n")
        for name in ("allreduce", "reduce_scatter", "broadcast", "reduce"):
            for in_place in (None, "true"):  # false stands in no key
                rows = [row for row in plan[name] if row[0].get("in_place") == in_place]
                found = self.by_size(rows, backend="nccl", memory="device", timing="pipelined", ranks="2")
                self.assertEqual(found, {size: (1, 1) for size in doubling(8, 8 << 30)}, name)
        for name in ("allgather", "alltoall", "alltoallv", "gather", "scatter"):
            rows = [row for row in plan[name] if "in_place" not in row[0]]
            found = self.by_size(rows, backend="nccl", memory="device", timing="pipelined", dtype="fp32")
            self.assertEqual(found, {size: (1, 1) for size in doubling(4, 1 << 30)}, name)
        for name, sizes in (("sendrecv", doubling(8, 8 << 30)), ("hypercube", doubling(4, 1 << 30))):
            self.assertEqual(self.by_size(plan[name], backend="nccl", memory="device"), {size: (20, 1) for size in sizes})

    def test_nvbandwidth(self):
        plan, done = self.plan("nvbandwidth", 2)
        tests = json.loads(done.stdout)["nvbandwidth"]["testcases"]
        self.assertEqual({one["status"] for one in tests}, {"Waived"})
        self.assertLessEqual({"host_to_device_memcpy_ce", "device_to_host_memcpy_sm", "device_local_copy", "host_to_all_memcpy_ce"},
                             {one["name"] for one in tests})
        rows = plan["memcpy"]
        self.assertEqual({(iterations, axes["bytes"]) for axes, iterations, *_ in rows}, {(3, str(512 * M))})
        copies = {(axes["ranks"], axes["direction"], axes["host_memory"], axes.get("engine", "copy_engine")) for axes, *_ in rows}
        self.assertEqual(copies, {(ranks, direction, "pinned", engine) for ranks in "12" for direction in ("h2d", "d2h")
                                  for engine in ("copy_engine", "kernel")} | {(ranks, "d2d", "pageable", "copy_engine") for ranks in "12"} |
                         {("1", "peer", "pageable", engine) for engine in ("copy_engine", "kernel")})
        self.assertEqual(len(rows), len(copies) + 2, "peers are read and written")
        latencies = {(axes["ranks"], axes["device"], axes.get("place", "host"), axes["bytes"]) for axes, *_ in plan["memory_latency"]}
        self.assertEqual(latencies, {("1", "cuda", place, str(2 * M)) for place in ("host", "peer")})

    def measured(self, preset, filter_, *more):
        done = run("run", "--preset", preset, filter_, "-b", 8, "-e", 16 * K, "-f", 2 * K, "-o", self.path("a.h5"), "--force", *more,
                   ranks=2)
        self.expect(done, 0, f"preset {preset}: What ")
        return done.stdout

    def test_printed_as_osu_prints(self):
        text = self.measured("osu", "^micro/(pingpong|allreduce|barrier)$")
        for title in ("Latency Test", "Allreduce Latency Test", "Barrier Latency Test"):
            self.assertIn(f"# OSU MPI {title} v7.4", text)
        self.assertEqual(re.findall(r"^(\d+)  ", text, re.MULTILINE), ["8", str(16 * K)] * 2)
        shown = run("show", self.path("a.h5"), "--format", "osu", "-v").stdout
        # Of the collective: size, average, least, largest, iterations. Each call is timed; a size belongs to OSU's class of it.
        rows = [line.split() for line in shown.splitlines() if re.match(r"\d+( +\d+\.\d+){3} +\d+$", line)]
        self.assertEqual([(cells[0], cells[4]) for cells in rows], [("8", "1000"), (str(16 * K), "100")])

    def test_a_format_of_the_command_line_wins(self):
        text = self.measured("osu", "^micro/allreduce$", "--format", "jsonl")
        self.assertEqual([json.loads(line)["params"]["bytes"] for line in text.splitlines()], [8, 16 * K])
        self.assertEqual(run("run", "--preset", "smoke", "--dry-run", program=ALL).returncode, 0)

    def test_printed_as_imb_prints(self):
        text = self.measured("imb", "^micro/(pingpong|allreduce)$")
        self.assertIn("# Benchmarking PingPong", text)
        self.assertIn("# Benchmarking Allreduce", text)
        rows = [line.split() for line in text.splitlines() if re.match(r" +\d+ +\d+ ", line)]
        self.assertEqual([cells[0] for cells in rows], ["8", str(16 * K)] * 2)
        self.assertEqual([cells[1] for cells in rows[2:]], ["1000", "1000"])
        # A sample of a ping-pong holds several: the last one may be more than was left, by less than itself.
        for cells in rows[:2]:
            self.assertIn(int(cells[1]), range(1000, 1050))

    def test_a_format_that_does_not_exist(self):
        path = self.path("mine.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write('format = "osuu"\n[[benchmark]]\nname = "micro/barrier"\n')
        self.expect(run("run", "--preset", path, "--dry-run"), 2, "mine.toml", "format is 'osuu'", "osu, imb, nccl")

    def test_they_are_listed(self):
        listed = run("list").stdout
        for name in ("osu", "imb", "nccl-tests", "nvbandwidth"):
            self.assertRegex(listed, rf"\b{name}\b")


if __name__ == "__main__":
    unittest.main()
