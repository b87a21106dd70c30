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
        self.expect(run("compare", self.file(0), self.file(1), self.file(2), "--aa"), 2, "--aa", "at least 4 runs; 3 given")
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
        self.assertIn("rows that need the most runs", self.compare(self.runs, "--power"))

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

    def test_sides_are_named_everywhere(self):
        for side, numbers in (("base", (0, 1)), ("new", (2, 3))):
            os.mkdir(self.path(side))
            for number in numbers:
                shutil.copy(self.file(number), self.path(side))
        sides = [self.path("base"), "--against", self.path("new"), "--fail-on", "none"]
        document = json.loads(self.compare(*sides, "--format", "json"))
        self.assertEqual([document["sides"][side]["name"] for side in "ab"], ["base", "new"])
        self.assertEqual([document["sides"][side]["runs"] for side in "ab"], [2, 2])
        for side in "ab":
            self.assertEqual(document["sides"][side]["hosts"], [os.uname().nodename])
            self.assertRegex(document["sides"][side]["first"], r"^\d{4}-\d{2}-\d{2}T")
        text = self.compare(*sides)
        for line in ("A (base): 2 runs on ", "B (new): 2 runs on "):
            self.assertIn(line, text)
        self.assertEqual(text.splitlines()[-1], document["summary"])
        self.assertIn("new", document["summary"])
        self.assertIn(document["summary"].split(":")[0].split("(")[0].strip(), self.compare(*sides, "--format", "junit"))
        self.assertIn("A (base): 2 runs on ", self.compare(*sides, "--format", "md"))
        lines = self.compare(*sides, "--format", "csv").splitlines()
        self.assertTrue(lines[0].endswith(",side_a,side_b"), lines[0])
        self.assertTrue(all(line.endswith(",base,new") for line in lines[1:]), lines)

    def imported(self, side, runs, factors):
        """Runs of memcpy cases of 1 ms times a factor, the runs apart by 0.1 %; None fails."""
        with open(self.path(side + ".jsonl"), "w", encoding="utf-8") as file:
            for number in range(runs):
                cases = {f"micro/memcpy bytes={2**(20 + k)} ranks=1": {
                    "metric": "latency", "unit": "s", "scale": 1e-9, "direction": "lower",
                    "samples": [int(1e6 * factor * (1 + 0.001 * (number - 1)))]}
                    for k, factor in enumerate(factors) if factor is not None}
                file.write(json.dumps({"run": f"{side}-{number}", "side": side, "cases": cases}) + "\n")
        self.expect(run("import", self.path(side + ".jsonl"), "-o", self.path(side)), 0)
        return os.path.join(self.path(side), side)

    def last_line(self, base, new, code, *more):
        return self.compare(base, "--against", new, *more, code=code).splitlines()[-1]

    def test_the_last_line_says_it_in_one_sentence(self):
        base = self.imported("base", 3, [1, 1, 1, 1])
        slow = self.imported("slow", 3, [1, 1, 1, 4.27])
        self.assertEqual(self.last_line(base, slow, 1), "slow is slower in 1 of 4 cases: memcpy 8 MiB +327 %")
        self.assertEqual(self.last_line(slow, base, 0), "base is faster in 1 of 4 cases: memcpy 8 MiB -77 %")
        mixed = self.imported("mixed", 3, [0.5, 1, 2, 1])
        self.assertEqual(self.last_line(base, mixed, 1), "mixed is slower in 1 of 4 cases: memcpy 4 MiB +100 %, and faster in 1: "
                                                         "memcpy 1 MiB -50 %")
        again = self.imported("again", 3, [1, 1, 1, 1])
        self.assertEqual(self.last_line(base, again, 0), "again is as good as base in all 4 cases, within 1 %")
        fewer = self.imported("fewer", 3, [1, 1, None, 1])
        self.assertEqual(self.last_line(base, fewer, 1), "1 case missing in fewer: memcpy 4 MiB; fewer is as good as base in all 3 "
                                                         "cases, within 1 %")

    def test_the_last_line_says_what_one_run_cannot_tell(self):
        base, one = self.imported("base", 1, [1, 1]), self.imported("one", 1, [1, 1.5])
        self.assertEqual(self.last_line(base, one, 0), "One run per side cannot show whether one changed: largest difference memcpy 2 "
                         "MiB +50 %; all 2 cases undecided (3 runs per side would show the noise)")
        self.assertEqual(self.last_line(base, one, 1, "--single-run-threshold", "10"), "one is over 10 % slower in 1 of 2 cases, by "
                         "one run per side: memcpy 2 MiB +50 %; 1 undecided (3 runs per side would show the noise)")

    def test_a_large_change_amid_noise_needs_few_runs_more(self):
        """-66 % with one noisy side was said to need a thousand runs."""
        for side, values in (("base", [1.0, 1.12, 0.94]), ("new", [0.30, 0.48, 0.27])):
            with open(self.path(side + ".jsonl"), "w", encoding="utf-8") as file:
                for number, value in enumerate(values):
                    steady = {f"micro/memcpy bytes={2**k} ranks=1": 1 + 0.004 * (number - 1) for k in range(2)}
                    cases = {key: {"metric": "latency", "unit": "s", "scale": 1e-9, "direction": "lower", "samples": [int(1e6 * one)]}
                             for key, one in {**steady, "micro/event ranks=1": value}.items()}
                    file.write(json.dumps({"run": f"{side}-{number}", "side": side, "cases": cases}) + "\n")
            self.expect(run("import", self.path(side + ".jsonl"), "-o", self.path(side)), 0)
        sides = [os.path.join(self.path(side), side) for side in ("base", "new")]
        document = json.loads(self.compare(sides[0], "--against", sides[1], "--format", "json"))
        row = next(row for row in document["rows"] if row["key"].startswith("micro/event"))
        self.assertEqual(row["verdict"], "INCONCLUSIVE")
        self.assertLess(row["interval"][1], -0.1)
        self.assertLess(row["runs_needed"], 10)
        self.assertGreater(row["q"], 0.05)
        self.assertIn(f"p={row['q']:.2g}", self.compare(sides[0], "--against", sides[1]))

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
        self.expect(run("compare", "--systems", f"a={self.file(0)}"), 2, "--systems", "at least 2 systems")
        self.expect(run("compare", "--systems", self.file(0), f"b={self.file(1)}"), 2, "--systems", "NAME=PATH")
        self.expect(run("compare", self.file(0), "--systems", f"a={self.file(2)}", f"b={self.file(1)}"), 2, "BASE")


if __name__ == "__main__":
    unittest.main()
