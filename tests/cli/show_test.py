# SPDX-License-Identifier: Apache-2.0
"""What `show` says of cases that belong together, and of several runs."""
import csv
import io
import json
import math
import os
import shutil
import statistics
import tempfile
import unittest

from harness import ProgramTest, run

RESULTS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "results", "cpu-2core")
FINETUNE = os.path.join(RESULTS, "finetune-110m.h5")
RUNS = [os.path.join(RESULTS, f"run-{i}.h5") for i in (1, 2, 3)]


def rows(path, form="json"):
    text = run("show", path, "--format", form).stdout
    return json.loads(text) if form == "json" else [json.loads(line) for line in text.splitlines()]


class Scaling(unittest.TestCase):
    def test_fixed_steps_of_more_ranks_are_weak(self):
        """50 steps of 2 rows a rank: 2 ranks do twice the work. Their tokens a second, by twice those of one rank: 402.97 /
        (2 x 217.05) = 0.928 for LoRA, 236.29 / (2 x 146.73) = 0.805 for full."""
        for form in ("json", "jsonl"):
            found = {}
            for row in rows(FINETUNE, form):
                scaling = row["scaling"]
                self.assertEqual(scaling["kind"], "weak")
                self.assertEqual(scaling["work"], 100 * row["params"]["ranks"])
                self.assertEqual(scaling["basis"], "tokens_per_second")
                self.assertIsNone(scaling["serial_fraction"])
                self.assertIsNone(scaling["efficiency_interval"])  # of one run
                found[row["params"]["method"], row["params"]["ranks"]] = scaling["efficiency"]
            self.assertEqual(found["lora", 1], 1)
            self.assertAlmostEqual(found["lora", 2], 402.97 / (2 * 217.05), places=4)
            self.assertAlmostEqual(found["full", 2], 236.29 / (2 * 146.73), places=4)
        text = run("show", FINETUNE).stdout
        self.assertIn("weak: the work grows in proportion to the workers, from 100 to 200", text)
        self.assertIn("efficiency 0.928", text)
        self.assertIn("efficiency 0.805", text)

    def test_cases_of_one_number_of_ranks_are_no_curve(self):
        path = os.path.join(RESULTS, "mnist-full.h5")
        self.assertTrue(all("scaling" not in row for row in rows(path)))
        self.assertNotIn("Scaling", run("show", path).stdout)


class Baseline(unittest.TestCase):
    def test_shows_its_rows_and_priors_and_is_no_page(self):
        with tempfile.TemporaryDirectory() as folder:
            path, page = os.path.join(folder, "base.h5"), os.path.join(folder, "page.html")
            runs = [os.path.join(RESULTS, f"run-{i}.h5") for i in (1, 2, 3)]
            self.assertEqual(run("baseline", *runs, "-o", path).returncode, 0)
            text = run("show", path).stdout
            self.assertIn("a baseline of 3 runs and 32 cases", text)
            self.assertNotIn("skipped", text)
            key = "micro/pingpong backend=mpi bytes=2048 memory=host ranks=2"
            line = next(line for line in text.splitlines() if key in line)
            medians = [next(row for row in rows(file) if row["key"] == key)["metrics"]["latency"]["median"] for file in runs]
            logs = [math.log(median) for median in medians]
            mean = math.exp(sum(logs) / 3)
            spread = math.sqrt(sum((one - math.log(mean)) ** 2 for one in logs) / 2)
            self.assertIn(f"{mean * 1e9:.1f} ns", line)
            self.assertIn(f"{100 * spread:.2f} %", line)
            self.assertRegex(text, r"\(others\) +[0-9.e-]+ +[0-9.]+")
            done = run("report", path, "-o", page)
            self.assertEqual(done.returncode, 3)
            self.assertIn("is a baseline", done.stderr)
            self.assertFalse(os.path.exists(page))


class SeveralRuns(ProgramTest):
    """Three committed runs as one table, checked by Python from what each of them shows alone."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("set"))
        for path in RUNS:
            shutil.copy(path, self.path("set"))

    def test_medians_and_spreads_of_a_folder(self):
        alone = [{row["key"]: row for row in rows(path)} for path in RUNS]
        found = rows(self.path("set"))
        self.assertEqual([row["key"] for row in found], list(alone[0]))
        measured = 0
        for row in found:
            mine = [one[row["key"]] for one in alone]
            self.assertEqual((row["status"], row["runs"]), (mine[0]["status"], 3))
            self.assertEqual(row["params"], mine[0]["params"])
            if row["status"] != "ok":
                self.assertEqual((row["reason"], len(row["without"])), (mine[0]["reason"], 3))
                continue
            measured += 1
            self.assertEqual(row["primary"], mine[0]["primary"])
            for name in (row["primary"], "bandwidth"):
                if name not in row["metrics"]:
                    continue
                got, want = row["metrics"][name], [one["metrics"][name]["median"] for one in mine]
                for mine_here, theirs in zip(got["values"], want):
                    self.assertAlmostEqual(mine_here / theirs, 1, places=9)
                logs = [math.log(value) for value in want]
                reach = 4.302652729749464 * statistics.stdev(logs) / math.sqrt(3)  # Student's t, 2 degrees of freedom
                for field, value in (("median", statistics.median(want)), ("spread", statistics.stdev(logs)),
                                     ("low", math.exp(statistics.mean(logs) - reach)),
                                     ("high", math.exp(statistics.mean(logs) + reach)), ("min", min(want)), ("max", max(want))):
                    self.assertTrue(math.isclose(got[field], value, rel_tol=1e-9), (row["key"], name, field))
                self.assertEqual(got["n"], 3)
        self.assertGreater(measured, 20)
        lines = run("show", self.path("set"), "--format", "jsonl").stdout.splitlines()
        self.assertEqual([json.loads(line) for line in lines], found)

    def test_the_table_and_csv(self):
        text = run("show", *RUNS).stdout
        self.assertIn("3 runs of 2 ranks on 1 node", text)
        row = next(row for row in rows(self.path("set")) if row["key"] == "micro/pingpong backend=mpi bytes=2048 memory=host ranks=2")
        latency, bandwidth = row["metrics"]["latency"], row["metrics"]["bandwidth"]
        self.assertRegex(text, rf"(?m)^  mpi +2048  host +{latency['median'] * 1e6:.4f} +{100 * latency['spread']:.1f} % "
                               rf"+\[{latency['min'] * 1e6:.4f}, {latency['max'] * 1e6:.4f}\] +{bandwidth['median'] / 1e9:.3f} +3$")
        self.assertRegex(text, r"77 cases: 32 measured in all 3 runs, 45 skipped\n")
        lines = list(csv.DictReader(io.StringIO(run("show", self.path("set"), "--format", "csv").stdout)))
        mine = next(one for one in lines if one["key"] == row["key"] and one["primary"] == "true")
        self.assertEqual((mine["n"], mine["runs"], mine["bytes"], mine["memory"]), ("3", "3", "2048", "host"))
        self.assertAlmostEqual(float(mine["median"]) / latency["median"], 1, places=9)

    def test_message_costs_of_the_runs_medians(self):
        """One line a sweep, from the medians of the three runs; the objects of its cases say the same."""
        found = {row["key"]: row for row in rows(self.path("set"))}
        costs = {key: row["message_cost"] for key, row in found.items() if "message_cost" in row}
        alone = [{row["key"] for row in rows(path) if "message_cost" in row} for path in RUNS]
        self.assertEqual(set(costs), set.union(*alone))
        text = run("show", self.path("set")).stdout
        self.assertEqual(text.count("\nMessage costs, time = latency + bytes / bandwidth:\n"), 1)
        for sweep in {cost["sweep"] for cost in costs.values()}:
            self.assertEqual(text.count(f"\n  {sweep}\n"), 1, sweep)
        # Only the chosen cases have a line.
        self.assertNotIn("Message costs", run("show", self.path("set"), "micro/lora_step").stdout)
        some = run("show", self.path("set"), "micro/pingpong").stdout
        self.assertIn("\n  micro/pingpong ", some[some.index("Message costs"):])
        self.assertNotIn("allreduce", some)

    def test_case_is_the_last_word(self):
        for words in ([self.path("set"), "micro/memcpy"], [*RUNS, "micro/memcpy"], [RUNS[0], "micro/memcpy"]):
            done = run("show", *words, "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual({row["name"] for row in json.loads(done.stdout)}, {"micro/memcpy"})
        # A folder of the same name is no path here: there are no runs in it.
        os.makedirs(self.path("micro/memcpy"))
        done = run("show", "set", "micro/memcpy", "--format", "json", cwd=self.folder)
        self.assertEqual({row["name"] for row in json.loads(done.stdout)}, {"micro/memcpy"})
        self.expect(run("show", self.path("set"), "micro/memcpyy"), 2, "memcpyy", "did you mean")
        self.expect(run("show", self.path("set"), "memcpy", "pingpong"), 2, "given twice", "memcpy", "pingpong")

    def test_a_folder_of_one_run_is_that_run(self):
        for name in ("run-2.h5", "run-3.h5"):
            os.remove(self.path("set/" + name))
        self.assertEqual(run("show", self.path("set")).stdout, run("show", RUNS[0]).stdout)

    def test_what_differs_and_what_is_missing_is_said(self):
        done = run("show", RUNS[0], FINETUNE)
        self.assertEqual(done.returncode, 0, done.stderr)
        above = done.stdout[:done.stdout.index("\n\n")]
        self.assertIn("The runs were not made under the same conditions: ", above)
        self.assertIn("program.git_revision", above)
        self.assertIn("not in finetune-110m.h5", done.stdout)
        self.assertNotIn("not made under the same conditions", run("show", *RUNS).stdout)
        self.assertIn("not made under the same conditions", run("show", RUNS[0], FINETUNE, "--format", "csv").stderr)

    def test_what_cannot_be_one_table_is_refused(self):
        for form in ("osu", "imb", "nccl", "nvbandwidth", "google-benchmark"):
            self.expect(run("show", self.path("set"), "--format", form), 2, form, "one run", "table, csv, json, jsonl")
        self.expect(run("show", RUNS[0], RUNS[0]), 2, "the same run")
        self.assertEqual(run("baseline", *RUNS, "-o", self.path("base.h5")).returncode, 0)
        self.expect(run("show", self.path("base.h5"), RUNS[0]), 2, "base.h5", "is a baseline")
        self.expect(run("show", RUNS[0], self.path("no.h5")), 3, "no.h5")

    def test_a_folder_without_runs_says_what_is_there(self):
        os.makedirs(self.path("empty"))
        self.expect(run("show", self.path("empty")), 3, "no run in this folder", "0 other files and 0 folders", "Give a result file")
        done = run("show", self.folder)
        self.expect(done, 3, "no run in this folder", "0 other files and 2 folders", f"Runs are in {self.path('set')} (3)")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1)


class MessageCosts(unittest.TestCase):
    def test_of_a_made_up_network(self):
        """2 us and 10 GB/s; n1/2 is 20000 bytes."""
        with tempfile.TemporaryDirectory() as folder:
            runs, file, page = (os.path.join(folder, name) for name in ("runs.jsonl", "run.h5", "page.html"))
            cases = {f"micro/pingpong bytes={size} ranks=2": {"metric": "latency", "unit": "s", "scale": 1e-12, "better": "lower",
                                                              "samples": [2_000_000 + 100 * size]}
                     for size in (8 * 4**i for i in range(10))}
            with open(runs, "w", encoding="utf-8") as out:
                json.dump({"run": "a", "cases": cases}, out)
            self.assertEqual(run("import", runs, "-o", file).returncode, 0)
            self.assertIn("latency 2.000 us, bandwidth 10.00 GB/s, n1/2 19.53 KiB", run("show", file).stdout)
            for form in ("json", "jsonl"):
                found = rows(file, form)
                self.assertEqual(len(found), 10)
                for row in found:
                    cost = row["message_cost"]
                    self.assertTrue(cost["follows_model"])
                    self.assertAlmostEqual(cost["latency"] / 2e-6, 1, places=9)
                    self.assertAlmostEqual(cost["bandwidth"] / 10e9, 1, places=6)
                    self.assertAlmostEqual(cost["half_bandwidth_bytes"], 20000, places=1)
            self.assertEqual(run("report", file, "-o", page).returncode, 0)
            with open(page, encoding="utf-8") as text:
                self.assertIn("latency 2.000 us, bandwidth 10.00 GB/s, n1/2 19.53 KiB", text.read())

    def test_what_does_not_fit_has_no_numbers(self):
        path = os.path.join(RESULTS, "run-1.h5")
        self.assertIn("does not follow the model: residuals of", run("show", path).stdout)
        costs = [row["message_cost"] for row in rows(path) if "message_cost" in row]
        self.assertEqual(len(costs), 15)  # three operations at five sizes
        self.assertTrue(all(cost["latency"] is None and not cost["follows_model"] for cost in costs))


if __name__ == "__main__":
    unittest.main()
