# SPDX-License-Identifier: Apache-2.0
"""compare on files of real runs: its modes and formats, from the outside."""
import json
import os
import shutil
import tempfile
import unittest
import xml.etree.ElementTree

from harness import ProgramTest, run

SIZES = [4096, 8192, 16384, 32768]


class Compare(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.runs = tempfile.mkdtemp(prefix="scalemark-test-")
        cls.addClassCleanup(shutil.rmtree, cls.runs, ignore_errors=True)
        for number in range(4):
            done = run("run", "micro/memcpy", "-a", "direction=h2h", "-a", "bytes=4K:32K:*2", "-a", "host_memory=pageable",
                       "-n", "20", "-o", cls.file(number))
            if done.returncode != 0:
                raise AssertionError(done.stderr)

    @classmethod
    def file(cls, number):
        return os.path.join(cls.runs, f"run-{number}.h5")

    def compare(self, *arguments, code=0, env=None):
        done = run("compare", *arguments, env=env)
        self.expect(done, code)
        return done.stdout

    def test_aa_takes_four_runs(self):
        self.expect(run("compare", self.file(0), self.file(1), self.file(2), "--aa"), 2, "--aa", "at least 4 runs; there are 3")
        document = json.loads(self.compare(self.runs, "--aa", "--format", "json"))
        self.assertEqual((document["format"], document["runs"], document["splits"]), ("scalemark-self-test", 4, 3))
        self.assertEqual(sorted(row["tests"] for row in document["rows"]), [3] * len(SIZES))
        self.assertIn("split into 2 v 2 in all 3 ways", self.compare(self.runs, "--aa"))

    def test_a_run_given_twice_is_refused(self):
        again = self.path("again.h5")
        shutil.copy(self.file(0), again)
        for arguments in [["--aa"], ["--power"], ["--against", again]]:
            self.expect(run("compare", self.runs, again, *arguments), 2, "again.h5", "the same run")

    def test_power_plans_runs(self):
        document = json.loads(self.compare(self.runs, "--power", "--runs", "3,20", "--effect", "10,50", "--format", "json"))
        self.assertEqual((document["format"], document["base_runs"], document["nodes"]), ("scalemark-run-plan", 4, 1))
        self.assertEqual([line["runs"] for line in document["plan"]], [3, 20])
        self.assertGreater(document["run_seconds"], 0)
        for line in document["plan"]:
            self.assertAlmostEqual(line["node_hours"], line["runs"] * document["run_seconds"] / 3600)
        few, many = document["plan"]
        self.assertLessEqual(few["both_sides"][0]["rows"], many["both_sides"][1]["rows"])
        self.assertIn("rows that need most runs", self.compare(self.runs, "--power"))

    def test_a_sweep_is_one_line(self):
        sides = [self.file(0), self.file(1), "--against", self.file(2), self.file(3), "--fail-on", "none"]
        plain = self.compare(*sides, env={"LC_ALL": "C"})
        lines = [line for line in plain.splitlines() if "micro/memcpy" in line]
        self.assertEqual(len(lines), 1, plain)
        self.assertIn("bytes=4096..32768", lines[0])
        self.assertTrue(plain.isascii())
        self.assertFalse(self.compare(*sides, env={"LC_ALL": "C.UTF-8"}).isascii())
        every = self.compare(*sides, "--all")
        for size in SIZES:
            self.assertEqual(every.count(f"bytes={size} "), 1, every)

    def test_junit_is_xml_with_a_test_case_a_row(self):
        sides = [self.file(0), self.file(1), "--against", self.file(2), self.file(3), "--fail-on", "none"]
        suite = xml.etree.ElementTree.fromstring(self.compare(*sides, "--format", "junit")).find("testsuite")
        names = [case.get("name") for case in suite.findall("testcase")]
        rows = json.loads(self.compare(*sides, "--format", "json"))["rows"]
        self.assertEqual(names, [row["key"] for row in rows])
        self.assertEqual(suite.get("tests"), str(len(rows)))

    def test_systems_side_by_side(self):
        systems = ["--systems", f"old={self.file(0)}", f"new={self.file(1)}", f"old={self.file(2)}", f"new={self.file(3)}"]
        document = json.loads(self.compare(*systems, "--format", "json"))
        self.assertEqual(document["systems"], [{"name": "old", "runs": 2}, {"name": "new", "runs": 2}])
        self.assertEqual(len(document["rows"]), len(SIZES))
        for row in document["rows"]:
            old, new = row["cells"]
            self.assertAlmostEqual(new["ratio"], new["value"] / old["value"])
        text = self.compare(*systems)
        self.assertIn("systems: old (2 runs), new (2 runs)", text)
        self.expect(run("compare", "--systems", f"a={self.file(0)}", f"b={self.file(0)}"), 2, "the same run")
        self.expect(run("compare", "--systems", f"a={self.file(0)}"), 2, "--systems", "two systems")
        self.expect(run("compare", "--systems", self.file(0), f"b={self.file(1)}"), 2, "--systems", "NAME=PATH")
        self.expect(run("compare", self.file(0), "--systems", f"a={self.file(2)}", f"b={self.file(1)}"), 2, "BASE")


if __name__ == "__main__":
    unittest.main()
