# SPDX-License-Identifier: Apache-2.0
"""`scalemark study`: the presets have the studies' settings, and published numbers stand in tables of the studies' shape."""
import json
import subprocess
import unittest
from pathlib import Path

from harness import SCALEMARK, ProgramTest, planned_keys, run


def study(*words):
    """JSON of `scalemark study`."""
    done = run("study", *words, "--format", "json")
    if done.returncode != 0:
        raise AssertionError(f"study {words} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def value_of(case, axis, implied):
    """The value of an axis in a planned case; "gpus": ranks x GPUs of a process."""
    if axis == "gpus":
        return str(int(case.get("ranks", "1")) * int(case.get("replicas", "1")))
    return case.get(axis, implied.get(axis))


class Study(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.experiments = study()
        cls.implied = {}
        for benchmark in json.loads(run("list", "--json", "imaging/train|llm/(finetune|tokenizer)", program=SCALEMARK).stdout):
            for axis in benchmark["axes"]:
                if axis.get("implied") is not None:
                    implied = axis["implied"]
                    text = str(implied).lower() if isinstance(implied, bool) else f"{implied:g}" if isinstance(implied, float) else str(implied)
                    cls.implied[axis["name"]] = text

    def plan(self, preset):
        done = run("run", "--preset", preset, "--dry-run", program=SCALEMARK)
        self.expect(done, 0)
        keys = [key.split() for key in planned_keys(done)]
        return [(words[0], dict(word.split("=", 1) for word in words[1:])) for words in keys]

    def differences(self, settings, case):
        found = []
        for setting in settings:
            where = setting.get("where")
            if setting["axis"] == "device" or where and value_of(case, where["axis"], self.implied) not in where["values"]:
                continue
            if value_of(case, setting["axis"], self.implied) != setting["value"]:
                found.append((setting["axis"], value_of(case, setting["axis"], self.implied), setting["value"]))
        return found

    def test_presets_have_the_settings_and_rows_of_their_experiments(self):
        plans = {}
        for experiment in self.experiments:
            (table,) = study(experiment["id"])
            preset = experiment["preset"]
            plans.setdefault(preset, self.plan(preset))
            axes = list(table["rows"][0]["axes"])
            rows = set()
            for _, case in plans[preset]:
                if not self.differences(table["settings"], case):
                    rows.add(tuple(value_of(case, axis, self.implied) for axis in axes))
            missing = {tuple(row["axes"].values()) for row in table["rows"]} - rows
            self.assertEqual(missing, set(), f"{experiment['id']} has rows that {preset} does not run")

    def test_each_preset_of_the_studies_has_an_experiment(self):
        presets = {one["name"] for one in json.loads(run("list", "--presets", "^paper-", "--json", program=SCALEMARK).stdout)
                   if not one["name"].endswith("-cpu")}
        self.assertEqual({one["preset"] for one in self.experiments}, presets)
        self.assertEqual(len({one["id"] for one in self.experiments}), len(self.experiments))

    def test_a_published_table_without_runs(self):
        done = run("study", "table-3")
        self.expect(done, 0)
        for text in ("allocation study, Table 3", "3792 s", "99.30 %", "129.82 %", "8 rows of 8 not run", "--preset paper-imaging-pin"):
            self.assertIn(text, done.stdout)

    def test_predicted_cells_of_several_gpus(self):
        """What the script under tests/peers prints: the study's fine-tuning by the bytes that the program plans."""
        script = Path(__file__).resolve().parents[1] / "peers/predict_studies.py"
        done = subprocess.run([script, "--scalemark", SCALEMARK, "--format", "json"], capture_output=True, text=True, check=True)
        cells = json.loads(done.stdout)
        tuning = [cell for cell in cells if cell["source"] == "Table 5"]
        self.assertEqual((len(cells), len(tuning)), (21, 6))
        for cell in tuning:
            self.assertLess(abs(cell["predicted"] / cell["published"] - 1), 0.08, cell)
        # All parameters of 8B in fp32 but a GPU's own half: layers in both passes, embedding and head once; at 150 GB/s.
        two = next(cell for cell in tuning if cell["gpus"] == 2)
        self.assertAlmostEqual((two["predicted"] - 0.77) * 150e9 / (4 / 2 * (2 * 6.98e9 + 1.05e9)), 1, 2)

    def test_what_is_refused(self):
        self.expect(run("study", "table-9"), 2, "there is no table or figure 'table-9'", "table-2")
        self.expect(run("study", "table-2", self.path("none.h5")), 3, "none.h5")


if __name__ == "__main__":
    unittest.main()
