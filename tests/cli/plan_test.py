# SPDX-License-Identifier: Apache-2.0
"""`scalemark plan`: what a job will cost and show, from earlier runs of its cases."""
import json
import re
import shutil
import unittest

from header_edits import copy_of_another_machine
from harness import ProgramTest, planned_keys, rows, run

CASES = ["micro/(pingpong|allreduce)", "-a", "backend=mpi", "-a", "memory=host", "-a", "bytes=8,4K", "--max-time", "50ms"]


class Plan(ProgramTest):
    def measure(self, name, *words):
        path = self.path(name)
        self.expect(run("run", *CASES, *words, "-o", path, ranks=2), 0)
        return path

    def plan(self, *words):
        done = run("plan", *words, "--format", "json")
        self.expect(done, 0)
        return json.loads(done.stdout)

    def test_it_plans_what_a_run_measures(self):
        files = [self.measure(f"run-{number}.h5") for number in range(3)]
        planned = planned_keys(run("run", *CASES, "--dry-run", ranks=2))
        plan = self.plan(*CASES, "--from", *files, "--runs", "3,20", "--effect", 20)
        self.assertEqual([row["key"] for row in plan["rows"]], planned)
        self.assertEqual((plan["ranks"], plan["nodes"], plan["earlier_runs"]), (2, 1, 3), "the job of the files")
        measured = [rows(file) for file in files]
        for row in plan["rows"]:
            values = sorted(one[row["key"]]["metrics"][row["metric"]]["median"] for one in measured)
            self.assertAlmostEqual(row["value"] / values[1], 1)
            self.assertGreater(row["seconds"], 0)
            self.assertGreaterEqual(row["runs_needed"], 2)
        self.assertAlmostEqual(plan["measured_seconds"], sum(row["seconds"] for row in plan["rows"]))
        self.assertEqual((plan["measured"], plan["bounded"], plan["unknown"]), (len(planned), 0, 0))
        self.assertAlmostEqual(plan["plan"][1]["node_hours"], 20 * plan["measured_seconds"] / 3600)

        text = run("plan", *CASES, "--from", *files)
        self.expect(text, 0)
        self.assertIn(f"{len(planned)} cases on 2 ranks, 1 node, from 3 earlier runs", text.stdout)

    def test_new_cases_have_bounds_and_larger_jobs_more_nodes(self):
        file = self.measure("run.h5", "-a", "ranks=2")
        plan = self.plan(*CASES, "-a", "ranks=2,4", "--from", file, "--ranks", 4, "--ranks-per-node", 2)
        new = [row for row in plan["rows"] if "ranks=4" in row["key"]]
        self.assertTrue(new)
        for row in new:
            self.assertEqual((row["value"], row["seconds"], row["longest"]), (None, None, 0.05))
        self.assertEqual((plan["nodes"], plan["bounded"]), (2, len(new)))
        self.assertAlmostEqual(plan["bounded_seconds"], 0.05 * len(new))

    def test_collectives_on_other_ranks_are_predicted(self):
        file = self.measure("run.h5", "-a", "ranks=2")
        more = self.path("more.h5")
        self.expect(run("run", "^micro/allreduce$", "-a", "backend=mpi", "-a", "memory=host", "-a", "bytes=8,4K", "-a", "ranks=3", "-n", 5,
                        "-o", more, ranks=3), 0)
        plan = self.plan("^micro/allreduce$", "-a", "backend=mpi", "-a", "memory=host", "-a", "bytes=4K", "-a", "ranks=2,8", "--from", file,
                         more, "--ranks", 8)
        two, eight = sorted(plan["rows"], key=lambda row: row["key"])
        self.assertEqual((two["predicted"], eight["value"]), (None, None))
        done = run("predict", "--from", file, more, "--workload", "micro/allreduce", "-a", "ranks=8", "-a", "bytes=4K", "--format", "json")
        self.expect(done, 0)
        (predicted,) = json.loads(done.stdout)
        self.assertAlmostEqual(eight["predicted"] / predicted["seconds"], 1)
        self.assertIn("untested", eight["source"])
        text = run("plan", "^micro/allreduce$", "-a", "backend=mpi", "-a", "memory=host", "-a", "bytes=4K", "-a", "ranks=2,8", "--from", file,
                   more, "--ranks", 8)
        self.expect(text, 0)
        self.assertRegex(text.stdout, rf"(?m)^ *~ [\d.]+ [mun]?s  {re.escape(eight['source'])} .*micro/allreduce ")

    def made_up(self, times):
        """A file of these cases, ns by key."""
        cases = {key: {"metric": "latency", "unit": "s", "scale": 1e-9, "samples": [time]} for key, time in times.items()}
        with open(self.path("rows.jsonl"), "w", encoding="utf-8") as file:
            file.write(json.dumps({"run": "rows", "cases": cases}) + "\n")
        self.expect(run("import", self.path("rows.jsonl"), "-o", self.path("rows.h5")), 0)
        return self.path("rows.h5")

    def test_a_barrier_is_predicted(self):
        rows_file = self.made_up({f"micro/barrier backend=mpi ranks={2 ** k}": 1000 * k for k in (1, 2, 3)})
        plan = self.plan("^micro/barrier$", "-a", "backend=mpi", "-a", "ranks=8,64", "--from", rows_file, "--ranks", 64)
        (new,) = (row for row in plan["rows"] if "ranks=64" in row["key"])
        self.assertEqual(new["source"], "dissemination")
        self.assertAlmostEqual(new["predicted"], 6e-6)

    def test_a_predicted_figure_has_the_interval_of_predict(self):
        rows_file = self.made_up({f"micro/allreduce backend=mpi memory=host bytes={size} ranks={ranks}":
                                  2 * (ranks - 1) * 10_000 + 2 * (ranks - 1) * size // ranks for ranks in (2, 4, 8) for size in (1024, 4096, 16384)})
        words = ["^micro/allreduce$", "-a", "backend=mpi", "-a", "memory=host", "-a", "bytes=4K"]
        near, far = self.plan(*words, "-a", "ranks=16,64", "--from", rows_file, "--ranks", 64)["rows"]
        done = run("predict", "--from", rows_file, "--workload", "micro/allreduce", "-a", "bytes=4K", "-a", "ranks=16", "--format", "json")
        (told,) = json.loads(done.stdout)
        self.assertEqual((near["low"], near["high"]), (told["low"], told["high"]))
        self.assertLess(near["low"], near["predicted"])
        self.assertEqual((far["low"], far["high"]), (None, None))
        text = run("plan", *words, "-a", "ranks=16", "--from", rows_file, "--ranks", 16)
        self.assertRegex(" ".join(text.stdout.split()), r"~ [\d.]+ us \[[\d.]+ us, [\d.]+ us\] .* In brackets: the interval of 90 %\.")

    def test_it_says_how_far_beyond_the_rows_a_form_is_used(self):
        rows_file = self.made_up({f"micro/allreduce backend=mpi memory=host bytes=4096 ranks={ranks}": 2 * (ranks - 1) * 10_000
                                  for ranks in (2, 3, 4)})
        words = ["^micro/allreduce$", "-a", "backend=mpi", "-a", "memory=host", "-a", "bytes=4K", "--from", rows_file, "--ranks", 4096]
        near, far = self.plan(*words, "-a", "ranks=4,4096")["rows"]
        self.assertEqual((near["beyond_measured_ranks"], far["beyond_measured_ranks"]), (None, 1024))
        text = run("plan", *words, "-a", "ranks=4,4096")
        self.expect(text, 0)
        self.assertIn("4096 ranks are 1024 times the most that was measured; the forms were tested over 1.3 times only.",
                      " ".join(text.stdout.split()))

    def test_without_files_it_tells_memory_and_bounds(self):
        plan = self.plan("^micro/memcpy$", "-a", "bytes=1M", "--sweeps", 3, "--max-time", "2s")
        self.assertEqual(plan["earlier_runs"], 0)
        for row in plan["rows"]:
            self.assertGreaterEqual(row["memory"], 2 << 20)
            self.assertEqual(row["longest"], 6)

    def test_a_whole_preset(self):
        planned = planned_keys(run("run", "--preset", "osu", "--dry-run", ranks=2))
        plan = self.plan("--preset", "osu", "--ranks", 2)
        self.assertEqual([row["key"] for row in plan["rows"]], planned)
        self.assertGreater(len(planned), 50)
        self.assertEqual((plan["measured"], plan["bounded"] + plan["unknown"]), (0, len(planned)))
        self.assertAlmostEqual(plan["bounded_seconds"], sum(row["longest"] or 0 for row in plan["rows"]))

    def test_what_it_refuses(self):
        file = self.measure("run.h5", "-a", "ranks=2")
        self.expect(run("plan", "^micro/memcpy$", "--from", file), 4)
        self.expect(run("plan", "micro/nothing", "--from", file), 2)
        self.expect(run("plan", *CASES, "--from", self.path("missing.h5")), 3)
        self.expect(run("plan", *CASES, "--ranks", 0), 2)
        self.expect(run("plan", *CASES, "--effect", "nan"), 2)
        self.expect(run("plan", *CASES, "--ranks", 4, "--ranks-per-node", 8), 2,
                    "--ranks-per-node is 8, and the job has 4 ranks; allowed: at most the --ranks")
        self.expect(run("plan", *CASES, "--from", file, "--ranks-per-node", 3), 2, "--ranks-per-node is 3, and the job has 2 ranks")
        self.expect(run("plan", *CASES, "--from", file, "--ranks", 1), 4, "left out")  # fewer than were on a node before
        again = self.path("again.h5")
        shutil.copy(file, again)
        self.expect(run("plan", *CASES, "--from", file, again), 2, "are the same run; give each run once")
        other = copy_of_another_machine(file, self.path("other.h5"))
        mixed = run("plan", *CASES, "--from", file, other)
        self.expect(mixed, 3, f"{other} is of another machine: its cpu_model is Another CPU")
        self.assertEqual((mixed.stdout, len(mixed.stderr.splitlines())), ("", 1), mixed.stderr)
        fewer = run("plan", *CASES, "-a", "ranks=2,4", "--from", file)
        self.expect(fewer, 0)
        self.assertIn("left out, which such a job cannot run", fewer.stderr)


if __name__ == "__main__":
    unittest.main()
