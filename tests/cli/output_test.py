# SPDX-License-Identifier: Apache-2.0
"""Where output goes: a device that is full is told, and no file is lost to a slip of the hand."""
import os
import pathlib
import shutil
import subprocess
import unittest

from harness import ProgramTest, SCALEMARK, run

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "results" / "cpu-2core"
GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"


class PlantedLinks(ProgramTest):
    def test_no_link_is_written_through(self):
        """Names of temporary files cannot be guessed: links at the names that were used once change nothing."""
        target = self.path("target")
        with open(target, "w", encoding="ascii") as file:
            file.write("mine")
        outputs = {"a.csv": ["export", RESULTS / "run-1.h5", "--to", "csv"], "a.html": ["report", RESULTS / "run-1.h5"],
                   "a.h5": ["baseline", RESULTS / "run-1.h5", RESULTS / "run-2.h5"]}
        last = os.getpid()
        for output in outputs:
            for number in range(last, last + 4000):
                os.symlink(target, self.path(f"{output}.{number}.tmp"))
                os.symlink(target, self.path(f".{output}.{number}.tmp"))
        for output, command in outputs.items():
            self.expect(run(*command, "-o", self.path(output)), 0)
            self.assertGreater(os.path.getsize(self.path(output)), 100)
        self.assertEqual(os.path.getsize(target), 4)


class FullDevice(ProgramTest):
    def full(self, *arguments):
        with open("/dev/full", "w", encoding="utf-8") as full:
            return subprocess.run([SCALEMARK, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, text=True,
                                  timeout=60, stdin=subprocess.DEVNULL, check=False)

    def test_output_that_did_not_arrive_is_no_success(self):
        one, two = RESULTS / "run-1.h5", RESULTS / "run-2.h5"
        against = ["compare", one, "--against", two, "--fail-on", "none", "--format"]
        for arguments in ([*against, "text"], [*against, "md"], [*against, "json"], [*against, "csv"], [*against, "junit"],
                          [*against, "html"], ["compare", "--systems", f"a={one}", f"b={two}"], ["show", one],
                          ["show", one, "--format", "jsonl"], ["show", one, "--format", "osu"],
                          ["show", one, "--format", "nccl"], ["list"], ["schema"],
                          ["export", one, "--to", "csv"], ["--help"], ["show", "--help"],
                          ["verify", GOLDEN / "stats" / "adjust.json"]):
            with self.subTest(arguments):
                done = self.full(*arguments)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("standard output could not be written", done.stderr)

    def test_a_run_keeps_its_file(self):
        done = self.full("run", "micro/memcpy", "-a", "direction=h2h", "-a", "bytes=4K", "-n", "3", "-o", self.path("a.h5"))
        self.expect(done, 3, "standard output")
        self.expect(run("show", self.path("a.h5")), 0)


class Destroyed(ProgramTest):
    def setUp(self):
        super().setUp()
        self.file = self.path("a.h5")
        shutil.copy(RESULTS / "run-1.h5", self.file)

    def refused(self, path, *arguments):
        """Twice with --force: nothing is written, and both times said why."""
        before = self.content(path)
        for where in (path, os.path.join(self.folder, ".", os.path.basename(path))):
            self.expect(run(*arguments, "-o", where, "--force"), 2, "--output", os.path.basename(path))
            self.assertEqual(self.content(path), before)
        self.assertEqual([name for name in os.listdir(self.folder) if "tmp" in name], [])

    def test_no_output_is_an_input(self):
        self.refused(self.file, "export", self.file, "--to", "csv")
        self.refused(self.file, "baseline", self.file, RESULTS / "run-2.h5")
        text = self.path("latency.txt")
        shutil.copy(GOLDEN / "osu" / "latency.txt", text)
        self.refused(text, "import", text)

    def test_a_baseline_is_no_run_of_its_folder(self):
        shutil.copy(RESULTS / "run-2.h5", self.path("b.h5"))
        self.refused(self.file, "baseline", self.folder)

    def test_nothing_else_replaces_a_result_file(self):
        self.refused(self.file, "export", RESULTS / "run-2.h5", "--to", "jsonl")
        # One result file may replace another.
        self.expect(run("import", GOLDEN / "osu" / "latency.txt", "-o", self.file, "--force"), 0)

    def test_an_export_replaces_a_file_only(self):
        with open(self.path("target"), "w", encoding="utf-8") as file:
            file.write("kept")
        os.symlink(self.path("target"), self.path("link"))
        self.refused(self.path("link"), "export", self.file, "--to", "csv")
        self.expect(run("export", self.file, "--to", "csv", "-o", self.folder, "--force"), 2, "not a regular file")
        self.expect(run("export", self.file, "--to", "csv", "-o", self.path("target"), "--force"), 0)

    def test_parts_are_not_finalized_into_themselves(self):
        parts = self.path("b.h5.parts")
        os.mkdir(parts)
        shutil.copy(self.file, os.path.join(parts, "meta.h5"))
        for output in (parts, os.path.join(parts, "meta.h5")):
            self.expect(run("finalize", parts, "-o", output, "--force"), 2, "--output")
        self.assertEqual(self.content(os.path.join(parts, "meta.h5")), self.content(self.file))


if __name__ == "__main__":
    unittest.main()
