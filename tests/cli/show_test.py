# SPDX-License-Identifier: Apache-2.0
"""What `show` says of cases that belong together."""
import json
import os
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


if __name__ == "__main__":
    unittest.main()
