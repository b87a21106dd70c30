# SPDX-License-Identifier: Apache-2.0
"""What the tests of `import` and `export` share."""
import pathlib
import re

from harness import ProgramTest, rows, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results" / "cpu-2core"
GOLDEN = ROOT / "tests" / "golden"

NCCL_HEAD = ("# nccl-tests version 2.17.1 nccl-headers=22803 nccl-library=22803\n"
             "# Collective test starting: {}\n"
             "# nThread 1 nGpus 2 minBytes 8 maxBytes 128 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0\n"
             "#\n# Using devices\n"
             "#  Rank  0 Group  0 Pid   4711 on   node001 device  0 [0000:0f:00] NVIDIA H100 80GB HBM3\n"
             "#  Rank  1 Group  0 Pid   4711 on   node001 device  1 [0000:2d:00] NVIDIA H100 80GB HBM3\n#\n"
             "#                                                              out-of-place                       in-place\n"
             "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n"
             "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)\n")


def case(samples, **more):
    return {"metric": "time", "unit": "s", "scale": 1e-9, "samples": samples, **more}


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


class Exporting(ProgramTest):
    def export(self, name, *arguments):
        done = run("export", RESULTS / name, *arguments)
        self.expect(done, 0)
        return done.stdout
