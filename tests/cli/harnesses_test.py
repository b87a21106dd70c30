# SPDX-License-Identifier: Apache-2.0
"""ReFrame and JUBE run what docs/integration.md shows, and promtool reads what is written for Prometheus: with --full, since pip fetches
ReFrame, and apt promtool."""
import csv
import glob
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from docs_blocks import blocks
from harness import MPIRUN, SCALEMARK, ProgramTest, rows, run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "integration.md"
REFRAME = "4.10.0"
LATENCY = ("run", "micro/pingpong", "-a", "bytes=8", "--quiet")

SITE = """
site_configuration = {
    "systems": [{"name": "here", "hostnames": [".*"], "partitions": [
        {"name": "default", "scheduler": "local", "launcher": "mpirun", "environs": ["builtin"]}]}],
    "logging": [{"handlers": [{"type": "stream", "level": "info", "format": "%(message)s"}], "handlers_perflog": []}],
}
"""


def block(language, beginning):
    """The one block of the page that begins so."""
    found = [code for kind, code, _ in blocks(PAGE.read_text(encoding="utf-8")) if kind == language and code.startswith(beginning)]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} blocks of {language} begin with {beginning}")
    return found[0]


def measured(path):
    """Bytes and latency of the one case of a file that ran."""
    (row,) = (row for row in rows(path).values() if row["status"] == "ok")
    return row["params"]["bytes"], row["metrics"]["latency"]["median"]


class Harness(ProgramTest):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("bin"))
        os.symlink(SCALEMARK, self.path("bin/scalemark"))
        os.symlink(MPIRUN, self.path("bin/mpirun"))
        self.environment = {**os.environ, "PATH": f"{self.path('bin')}:{os.environ['PATH']}", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                            "OMPI_MCA_hwloc_base_binding_policy": "none"}

    def write(self, name, text):
        Path(self.path(name)).write_text(text, encoding="utf-8")

    def start(self, *command, **more):
        return subprocess.run(command, cwd=self.folder, env=self.environment | more, capture_output=True, text=True, timeout=600,
                              check=False)


class Promtool(Harness):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.start("apt-get", "download", "prometheus").returncode, 0)
        (package,) = glob.glob(self.path("prometheus_*.deb"))
        self.assertEqual(self.start("dpkg-deb", "--extract", package, self.path("prometheus")).returncode, 0)

    def check(self, metrics):
        return subprocess.run([self.path("prometheus/usr/bin/promtool"), "check", "metrics"], input=metrics, capture_output=True, text=True,
                              timeout=60, check=False)

    def test_metrics_of_runs_and_of_a_fleet(self):
        results = PAGE.parents[1] / "results"
        files = sorted([*results.glob("cpu-2core/run-*.h5"), *results.glob("h200/imaging-*.h5")])
        metrics = [run("export", file, "--to", "openmetrics").stdout for file in files]
        self.assertGreater(len(metrics), 2)
        screening = self.path("screening.h5")
        self.expect(run("run", "^micro/pingpong$", "-a", "pairs=screening", "-a", "bytes=8", "-a", "memory=host", "-n", 3, "-o", screening, ranks=4), 0)
        for text in [*metrics, run("fleet", screening, "--format", "openmetrics").stdout]:
            self.assertIn("# EOF", text)
            done = self.check(text)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotEqual(self.check(metrics[0].replace('="', "=", 1)).returncode, 0, "it looks at what it gets")


class ReFrame(Harness):
    @classmethod
    def setUpClass(cls):
        cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "scalemark" / f"reframe-{REFRAME}"
        cls.program = cache / "bin" / "reframe"
        if not cls.program.exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", cache], check=True)
            subprocess.run([cache / "bin" / "pip", "install", "--quiet", f"reframe-hpc=={REFRAME}"], check=True)

    def check(self, *options, **more):
        self.write("site.py", SITE)
        self.write("scalemark_check.py", block("python", "import reframe as rfm"))
        return self.start(self.program, "-C", "site.py", "-c", "scalemark_check.py", "-r", "--keep-stage-files", "--report-file=report.json",
                          *options, **more)

    def latency(self):
        """What ReFrame found, and what the result file says."""
        report = json.loads(Path(self.path("report.json")).read_text(encoding="utf-8"))
        (case,) = report["runs"][-1]["testcases"]
        (value,) = (values[0] for name, values in case["perfvalues"].items() if name.endswith(":latency"))
        (path,) = glob.glob(self.path("stage/**/out.h5"), recursive=True)
        return value, measured(path)[1]

    def test_the_class_of_the_page_passes(self):
        done = self.check()
        self.expect(done, 0)
        self.assertIn("PASSED", done.stdout)
        found, latency = self.latency()
        self.assertAlmostEqual(found / latency, 1, places=9)

    def test_a_slower_machine_fails_against_the_baseline(self):
        os.makedirs(self.path("base"))
        for number in range(5):
            self.expect(run(*LATENCY, "-o", self.path(f"base/{number}.h5"), ranks=2), 0)
        self.expect(run("baseline", self.path("base"), "-o", self.path("base.h5")), 0)
        with_baseline = ("-S", f"ScalemarkPingpong.baseline={self.path('base.h5')}")
        done = self.check(*with_baseline)
        self.expect(done, 0)
        done = self.check(*with_baseline, OMPI_MCA_btl="tcp,self", OMPI_MCA_pml="ob1")  # instead of shared memory
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("NOT WORSE", done.stdout + done.stderr)
        self.assertIn("1/1 test case(s)", done.stdout)


class Jube(Harness):
    def test_the_benchmark_of_the_page_gives_its_table(self):
        self.write("scalemark.xml", block("xml", "<jube>"))
        done = self.start("jube", "run", "scalemark.xml", "--result")
        self.expect(done, 0)
        lines = done.stdout.splitlines()
        table = list(csv.DictReader(lines[lines.index("bytes,latency[s],verdict"):][:3]))
        latencies = dict(map(measured, glob.glob(self.path("bench/**/out.h5"), recursive=True)))
        self.assertEqual([row["bytes"] for row in table], ["8", "1024"])
        for row in table:
            self.assertAlmostEqual(float(row["latency[s]"]) / latencies[int(row["bytes"])], 1, places=6)
            self.assertEqual(row["verdict"], "PASS")


if __name__ == "__main__":
    unittest.main()
