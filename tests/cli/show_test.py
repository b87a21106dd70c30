# SPDX-License-Identifier: Apache-2.0
"""What `show` says of cases that belong together."""
import json
import os
import tempfile
import unittest

from harness import run

RESULTS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "results", "cpu-2core")
FINETUNE = os.path.join(RESULTS, "finetune-110m.h5")


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
        self.assertIn("weak: the work grows with the workers, from 100 to 200", text)
        self.assertIn("efficiency 0.928", text)
        self.assertIn("efficiency 0.805", text)

    def test_cases_of_one_number_of_ranks_are_no_curve(self):
        path = os.path.join(RESULTS, "mnist-full.h5")
        self.assertTrue(all("scaling" not in row for row in rows(path)))
        self.assertNotIn("Scaling", run("show", path).stdout)


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
