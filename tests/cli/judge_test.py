# SPDX-License-Identifier: Apache-2.0
"""What `compare` decides, from runs with known numbers: baselines, other hardware, whole runs, gates."""
import json
import os
import random
import shlex
import unittest

from harness import ProgramTest, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Judge(ProgramTest):
    def side(self, name, runs, factor=1.0, ranks=8, keys=30, noise=0.004, metric="latency", unit=("s", 1e-9)):
        """Runs of `keys` cases, imported as a folder; `unit` with its scale."""
        draw = random.Random(name)
        with open(self.path(name + ".jsonl"), "w", encoding="utf-8") as file:
            for r in range(runs):
                cases = {f"micro/allreduce bytes={2**k} ranks={ranks}": {
                    "metric": metric, "unit": unit[0], "scale": unit[1], "direction": "lower",
                    "samples": [int(1e6 * 1.2**k * factor * draw.gauss(1, noise))]} for k in range(keys)}
                file.write(json.dumps({"run": f"{name}-{r}", "side": name, "cases": cases}) + "\n")
        self.expect(run("import", self.path(name + ".jsonl"), "-o", self.path(name)), 0)
        return os.path.join(self.path(name), name)

    def compare(self, code, base, new, *more):
        done = run("compare", base, "--against", new, "--format", "json", *more)
        self.expect(done, code)
        return json.loads(done.stdout)

    def test_a_baseline_judges_one_run(self):
        base, equal, worse = self.side("base", 5), self.side("equal", 1), self.side("worse", 1, 1.1)
        file = self.path("base.h5")
        done = run("baseline", base, "-o", file)
        self.expect(done, 0)
        self.assertEqual(done.stdout, f"{file}: a baseline of 5 runs and 30 cases\n")
        self.assertLess(os.path.getsize(file), 200_000)
        self.expect(run("baseline", base, "-o", file), 2, "exists")
        self.expect(run("baseline", base, "-o", file, "--force"), 0)
        found = self.compare(1, file, worse)
        self.assertEqual((found["counts"]["regression"], found["counts"]["runs_a"]), (30, 5))
        self.assertIn("stored", found["method"])
        self.assertAlmostEqual(found["shift"]["change"], 0.1, delta=0.01)
        self.assertEqual(self.compare(0, file, equal)["counts"]["regression"], 0)
        for form in ("text", "md", "json", "html"):
            told = run("compare", file, "--against", worse, "--format", form).stdout
            self.assertIn("A is a baseline, which stores medians only: tails, modes, slow ranks and telemetry are not "
                          "compared", told, form)
            told = run("compare", base, "--against", worse, "--format", form).stdout
            self.assertNotIn("is a baseline", told, form)
        self.expect(run("compare", file, "--against", base), 2, "same run")
        self.expect(run("compare", equal, "--against", file), 2, "baseline")
        self.expect(run("baseline", equal, "-o", self.path("one.h5")), 2, "at least 2 runs")
        self.assertIn("a baseline of 5 runs", run("show", file).stdout)

    def test_nothing_that_can_be_compared_is_no_pass(self):
        base, zero, other = self.side("base", 4), self.side("zero", 4, 0), self.side("other", 4, metric="time")
        for new, word in ((zero, "unusable"), (other, "other metric")):
            found = self.compare(1, base, new)
            self.assertEqual((found["verdict"], found["counts"]["failed"]), ("FAILED", 30))
            self.assertEqual({row["b"] for row in found["failed"]}, {word})
            self.assertIn("no case has a usable value of the same metric on both sides", found["method"])
            self.expect(run("compare", base, "--against", new, "--fail-on", "regression"), 4, "nothing was compared")
        self.expect(run("compare", zero, "--against", base), 4, "nothing was compared")

    def test_parts_of_a_run_are_one_run(self):
        """Two files with other cases of the same four runs."""
        folders = []
        for part in (0, 1):
            draw, lines = random.Random(part), []
            for r in range(4):
                cases = {f"micro/allreduce bytes={2**k} ranks=8": {
                    "metric": "time", "unit": "s", "scale": 1e-9, "samples": [int(1e6 * draw.gauss(1, 0.01))]}
                    for k in range(10 * part, 10 * part + 10)}
                lines.append(json.dumps({"run": f"r{r}", "cases": cases}))
            with open(self.path(f"part{part}.jsonl"), "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
            folders.append(self.path(f"part{part}"))
            self.expect(run("import", self.path(f"part{part}.jsonl"), "-o", folders[-1]), 0)
        other = self.side("other", 3, metric="time")
        found = run("compare", *folders, "--against", other, "--format", "json", "--fail-on", "none")
        self.expect(found, 0)
        counts = json.loads(found.stdout)["counts"]
        self.assertEqual((counts["runs_a"], counts["runs_b"], counts["only_b"]), (4, 3, 10))
        for mode, told in (("--aa", "A/A test: 4 runs"), ("--power", "plan from 4 runs, 20 rows")):
            done = run("compare", *folders, mode)
            self.expect(done, 0)
            self.assertIn(told, done.stdout, mode)
        done = run("baseline", *folders, "-o", self.path("joined.h5"))
        self.expect(done, 0)
        self.assertIn("4 runs and 20 cases", done.stdout)
        self.expect(run("compare", *folders, "--against", folders[1]), 2, "same run")
        self.expect(run("compare", folders[0], folders[0], "--against", other), 2, "same run")

    def test_units_of_one_dimension_are_compared(self):
        base = self.side("base", 4)
        for unit, scale in (("ms", 1e-6), ("us", 1e-3), ("ns", 1)):
            found = self.compare(1, base, self.side(unit, 4, 1.1, unit=(unit, scale)))
            self.assertEqual(found["counts"]["regression"], 30, unit)
            for row in found["rows"]:
                self.assertAlmostEqual(row["change"], 0.1, delta=0.02)

    def test_clusters_of_different_size_are_compared(self):
        a, b = self.side("small", 3, 1.0, 8), self.side("large", 3, 1.2, 16)
        self.assertEqual(self.compare(4, a, b, "--fail-on", "none")["rows"], [])
        for option, key in (("ranks=8->16", "ranks=8->16"), ("ranks=*", "ranks=*")):
            rows = self.compare(1, a, b, "--map", option)["rows"]
            self.assertEqual(len(rows), 30)
            self.assertTrue(all(row["key"].endswith(" " + key) for row in rows))
        self.expect(run("compare", a, "--against", b, "--map", "bytes=drop"), 2, "bytes=1 ranks=8", "map the axes")
        self.expect(run("compare", a, "--against", b, "--map", "ranks"), 2, "AXIS=VALUE->VALUE")

    def test_the_examples_of_the_documentation_run(self):
        os.mkdir(self.path("work"))
        small, large = self.path("work/small"), self.path("work/large")
        os.rename(self.side("small", 3, 1.0, 8), small)
        os.rename(self.side("large", 3, 1.2, 16), large)
        with open(os.path.join(ROOT, "docs/comparing.md"), encoding="utf-8") as file:
            section = file.read().split("## Other machines: --map")[1].split("\n## ")[0]
        commands = [line.split(None, 1)[1] for line in section.splitlines() if line.startswith("    scalemark ")]
        self.assertEqual(len(commands), 2)
        for command, code, key in zip(commands, (1, 0), ("ranks=8->16", "ranks=*")):
            done = run(*shlex.split(command), "--format", "json", cwd=self.path("work"))
            self.expect(done, code)
            rows = json.loads(done.stdout)["rows"]
            self.assertEqual(len(rows), 30)
            self.assertTrue(all(row["key"].endswith(" " + key) for row in rows), rows[0])
        systems = ["--systems", f"s={small}", f"l={large}"]
        self.expect(run("compare", *systems), 4, "nothing was compared")
        self.expect(run("compare", *systems, "--map", "ranks=drop"), 0)
        done = run("compare", *systems, "--map", "ranks=8->16")
        self.expect(done, 2, '--map is "ranks=8->16"; with --systems', "AXIS=*, AXIS=drop")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn("not with --systems", run("compare", "--help").stdout)
        for mode in ("--aa", "--power"):
            self.expect(run("compare", small, mode, "--map", "ranks=*"), 2, "--map", mode)

    def test_what_moved_the_whole_run_is_told_apart(self):
        a, b = self.side("before", 5, noise=0.002), self.side("after", 5, 1.05, noise=0.002)
        plain = self.compare(1, a, b)
        self.assertAlmostEqual(plain["shift"]["change"], 0.05, delta=0.002)
        low, high = plain["shift"]["interval"]
        self.assertLess(low, 0.05)
        self.assertGreater(high, 0.05)
        self.assertEqual([one["rows"] for one in plain["geomeans"]], [30])
        relative = self.compare(0, a, b, "--relative-to-run")
        self.assertTrue(relative["shift"]["removed"])
        self.assertAlmostEqual(relative["shift"]["change"], plain["shift"]["change"], delta=1e-12)
        self.assertEqual(relative["counts"]["regression"], 0)
        text = run("compare", a, "--against", b, "--relative-to-run").stdout
        self.assertIn("whole run (median of 30 rows): +5.0", text)
        self.assertIn("taken out of the rows", text)

    def test_gates(self):
        a, b = self.side("x", 3, keys=4), self.side("y", 3, keys=4)
        self.expect(run("compare", a, "--against", b, "--min-rows", "4"), 0)
        self.expect(run("compare", a, "--against", b, "--min-rows", "5"), 4, "--min-rows is 5")
        self.expect(run("compare", a, "--against", b, "--paired", "yes"), 2, "--paired")
        self.expect(run("compare", a, "--against", b, "--paired", "maybe"), 2, "--paired")
        self.assertIn("family-wise error rate", run("compare", a, "--against", b, "--fwer").stdout)


if __name__ == "__main__":
    unittest.main()
