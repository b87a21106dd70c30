# SPDX-License-Identifier: Apache-2.0
"""MLPerf logs and system descriptions, judged by mlcommons' own checkers (jobscripts/setup.sh --mlperf)."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

from harness import ProgramTest, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results" / "cpu-2core"
RULES = ROOT / "common" / "formats" / "rules" / "mllog.yaml"
CHECKER = os.environ.get("SCALEMARK_MLPERF_LOGGING", "")
FILES = ("run-1", "mnist-full", "finetune-110m")


class Mlperf(ProgramTest):
    def log(self, name):
        done = run("export", RESULTS / f"{name}.h5", "--to", "mllog")
        self.expect(done, 0)
        lines = done.stdout.splitlines()
        for line in lines:
            self.assertTrue(line.startswith(":::MLLOG {"))
        return [json.loads(line[len(":::MLLOG "):]) for line in lines]

    def judge(self, module, *arguments):
        return subprocess.run([sys.executable, "-m", f"mlperf_logging.{module}", *map(str, arguments),
                               "--log_output", self.path("checker.log")], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PYTHONPATH": CHECKER, "PYTHONDONTWRITEBYTECODE": "1"}, check=False)

    def check(self, events):
        with open(self.path("log"), "w", encoding="ascii") as file:
            file.writelines(f":::MLLOG {json.dumps(event)}\n" for event in events)
        done = self.judge("compliance_checker", "--ruleset", "5.0.0", "--config", RULES, self.path("log"))
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertIn("SUCCESS" if done.returncode == 0 else "FAILED", done.stderr)
        return done.returncode == 0

    def test_a_training_reads_from_its_beginning_to_its_end(self):
        for name in FILES:
            events = self.log(name)
            keys = [event["key"] for event in events]
            order = ["submission_benchmark", "init_start", "init_stop", "run_start", "run_stop"]
            places = [keys.index(key) for key in order]
            self.assertEqual(places, sorted(places))
            shown = json.loads(run("show", RESULTS / f"{name}.h5", "--format", "json").stdout)
            trained = {row["key"]: row for row in shown if row["name"] in ("imaging/train", "llm/finetune")}
            self.assertEqual([event["value"] for event in events if event["key"] == "scalemark_key"], list(trained))
            accuracies = [event["value"] for event in events if event["key"] == "eval_accuracy"]
            epochs = sum(row["metrics"]["epoch_accuracy"]["n"] for row in trained.values() if "epoch_accuracy" in row["metrics"])
            self.assertEqual(len(accuracies), epochs)

    def test_durations_are_those_of_the_file(self):
        events = self.log("mnist-full")
        times = {}
        for event in events:
            times.setdefault(event["key"], []).append(event["time_ms"])
        shown = json.loads(run("show", RESULTS / "mnist-full.h5", "--format", "json").stdout)
        totals = [row["metrics"]["total_time"]["median"] for row in shown]
        self.assertGreater(len(totals), 1)
        for total, start, stop in zip(totals, times["run_start"], times["run_stop"]):
            self.assertAlmostEqual(total, (stop - start) / 1000, delta=1e-3)

    @unittest.skipUnless(CHECKER, "SCALEMARK_MLPERF_LOGGING is not set: jobscripts/setup.sh --mlperf")
    def test_the_stock_checker_accepts_our_logs(self):
        for name in FILES:
            self.assertTrue(self.check(self.log(name)), name)

    @unittest.skipUnless(CHECKER, "SCALEMARK_MLPERF_LOGGING is not set: jobscripts/setup.sh --mlperf")
    def test_the_rules_refuse_what_is_not_whole(self):
        good = self.log("mnist-full")

        def without(key):
            return [event for event in good if event["key"] != key]

        def changed(key, **values):
            return [{**event, **values} if event["key"] == key else event for event in good]

        late = [{**event, "time_ms": event["time_ms"] + 10**9} if event["key"] == "epoch_start" else event for event in good]
        cut = good[:max(i for i, event in enumerate(good) if event["key"] == "run_stop")]
        bad = {"no run_stop": without("run_stop"), "no seed": without("seed"), "late epochs": late, "cut": cut,
               "no benchmark": without("submission_benchmark"), "no loss": [event for event in without("train_loss") if event["key"] != "eval_accuracy"],
               "unknown benchmark": changed("submission_benchmark", value="resnet"), "accuracy": changed("eval_accuracy", value=3),
               "aborted": changed("run_stop", metadata={"status": "aborted"}), "no throughput": changed("tracked_stats", value={"throughput": 0}),
               "no epoch ends": without("epoch_stop"), "no init": without("init_start")}
        for what, events in bad.items():
            with self.subTest(what):
                self.assertFalse(self.check(events))

    def system(self, *options):
        done = run("export", RESULTS / "run-1.h5", "--to", "mlperf-system", *options)
        self.expect(done, 0)
        return json.loads(done.stdout), done.stderr

    def test_a_system_description_says_what_the_file_tells_and_lists_the_rest(self):
        description, said = self.system("--submitter", "Us", "--system-name", "box", "--field", "cooling=air")
        self.assertEqual(len(description), 33)
        self.assertEqual([description[key] for key in ("submitter", "system_name", "cooling", "number_of_nodes", "operating_system")],
                         ["Us", "box", "air", "1", "Debian GNU/Linux 12 (bookworm)"])
        self.assertEqual(description["host_processor_vcpu_count"], "2")
        # 24,684,092 KiB; ext4 is no kind of storage; an adapter of a virtual machine has no speed.
        self.assertEqual(description["host_memory_capacity"], "23.54 GiB")
        self.assertEqual(description["host_storage_type"], "")
        empty = sorted(key for key, value in description.items() if not value)
        self.assertEqual(sorted(said.strip().split("): ")[1].split(", ")), empty)
        self.expect(run("export", RESULTS / "run-1.h5", "--to", "mlperf-system", "--field", "coling=air"), 2, "did you mean cooling")

    @unittest.skipUnless(CHECKER, "SCALEMARK_MLPERF_LOGGING is not set: jobscripts/setup.sh --mlperf")
    def test_the_stock_checker_accepts_the_description(self):
        description, _ = self.system("--submitter", "Us", "--system-name", "box")
        for key, accepted in ((None, True), ("cooling", False)):
            description.pop(key, None)
            with open(self.path("box.json"), "w", encoding="utf-8") as file:
                json.dump(description, file)
            done = self.judge("system_desc_checker", self.path("box.json"), "training", "5.0.0")
            self.assertEqual("checker passed" in done.stderr, accepted, done.stderr)


if __name__ == "__main__":
    unittest.main()
