# SPDX-License-Identifier: Apache-2.0
"""`import` says whose measurement it was, and refuses what was cut or changed."""
import json
import pathlib
import random
import subprocess
import unittest

from harness import SCALEMARK, rows, run
from converting import GOLDEN, NCCL_HEAD, RESULTS, Importing


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


class Changed(Importing):
    """Files that were cut or changed are imported or refused, and what is imported can be shown; many more of them in
    tests/fuzz/fuzz_import.cpp."""

    def test_cut_and_changed_files(self):
        chance = random.Random(5)
        samples = [path.read_bytes() for folder in ("osu", "imb") for path in sorted((GOLDEN / folder).glob("*.txt"))]
        samples.append(run("export", RESULTS / "run-1.h5", "--to", "nccl").stdout.encode())
        samples.append(NCCL_HEAD.format("all_reduce_perf").encode() + b"8 2 float sum -1 1.5 0 0 0 1.6 0 0 N/A\n")
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
