# SPDX-License-Identifier: Apache-2.0
"""The studies' experiments and the tuned ones in their small variants for CPUs, and the plans of the full ones. Without --full
each variant is planned, and those in SAMPLE are run."""
import json
import sys
import unittest

from harness import ProgramTest, planned_keys, rows, run

# What a CPU, or a build without DALI, cannot show, and says. A DALI that does not load is not among it.
REASONS = "pinned memory is for copies to a GPU|needs . ranks, the job has|built without DALI"


FULL = "--full" in sys.argv
# One of each suite, and the table with derived columns; pinned memory; texts of different lengths; the tuned ones.
SAMPLE = {"paper-imaging-precision-cpu", "paper-imaging-pin-cpu", "paper-llm-pin-cpu", "paper-llm-texts-cpu", "tuned-imaging-cpu",
          "tuned-llm-cpu"}

# Experiments of which only a GPU's profile has the numbers.
PROFILED = {"text-precision", "fig-3", "fig-4", "fig-11", "fig-12", "fig-15", "fig-17"}


def names(suite):
    return [one["name"] for one in json.loads(run("list", "--presets", f"(paper|tuned)-{suite}", "--json").stdout)]


class Paper(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.experiments = json.loads(run("study", "--format", "json").stdout)

    def plan(self, preset):
        """The cases of a preset, as --dry-run prints them."""
        done = run("run", "--preset", preset, "-a", "device=cpu", "-a", "threads=1", "--dry-run", ranks=2)
        self.expect(done, 0)
        return frozenset(planned_keys(done))

    def run_small_variants(self, suite, least):
        """Runs each set of cases once: several variants, of tables of one experiment, measure the same."""
        plans = {name: self.plan(name) for name in names(suite) if name.endswith("-cpu")}
        self.assertGreaterEqual(len(plans), least)
        files = {}
        for name, plan in sorted(plans.items(), key=lambda item: len(item[1]), reverse=True):
            with self.subTest(preset=name):
                self.assertTrue(plan)
                if not FULL and name not in SAMPLE:
                    continue
                out = next((file for cases, file in files.items() if plan <= cases), None)
                if not out:
                    out = self.path(f"{name}.h5")
                    self.run_variant(name, out)
                    files[plan] = out
                self.check_tables(name, out)

    def run_variant(self, name, out):
        self.expect(run("run", "--preset", name, "-a", "device=cpu", "-a", "threads=1", "-o", out,
                        "--data", "rgb300=" + self.path("rgb300"), ranks=2, timeout=280), 0)
        table = rows(out)
        self.assertIn("ok", {row["status"] for row in table.values()})
        for key, row in table.items():
            if row["status"] != "ok":
                self.assertEqual(row["status"], "skipped", f"{key}: {row['reason']}")
                self.assertRegex(row["reason"], REASONS, key)
            elif "finetune" in key:
                self.assertEqual(row["facts"]["steps_without_labels"], 0, key)

    def check_tables(self, preset, out):
        """The tables of the preset's experiments, from a CPU-sized run: the study's rows and columns, without its numbers."""
        expected = {one["id"] for one in self.experiments if one["preset"] + "-cpu" == preset} - PROFILED
        tables = {table["id"]: table for table in json.loads(run("study", out, "--format", "json").stdout)} if expected else {}
        self.assertLessEqual(expected, set(tables))
        for table in (tables[name] for name in expected):
            self.assertTrue(table["differences"])
            for row in table["rows"]:
                self.assertTrue(all(cell["published"] is None for cell in row["cells"]))
                if "state" not in row:
                    self.assertGreater(row["cells"][0]["here"], 0)
        if "table-2" in expected:
            self.check_table_2(tables["table-2"])

    def check_table_2(self, table):
        times = {tuple(row["axes"].values()): row["cells"][0]["here"] for row in table["rows"]}
        for row in table["rows"]:
            gpus, precision = row["axes"].values()
            for cell, base in ((row["cells"][2], ("1", precision)), (row["cells"][3], (gpus, "fp64"))):
                if base == (gpus, precision):
                    self.assertIsNone(cell["here"])
                elif times[gpus, precision] and times[base]:
                    self.assertAlmostEqual(cell["here"], times[base] / times[gpus, precision])

    def test_every_small_variant_of_imaging_runs(self):
        self.run_small_variants("imaging", 11)

    def test_every_small_variant_of_llm_runs(self):
        self.run_small_variants("llm", 8)

    def test_every_full_one_has_a_small_variant_and_a_plan(self):
        """cli.study plans the presets that have an experiment."""
        of_experiments = {one["preset"] for one in self.experiments}
        every = names("imaging") + names("llm")
        for name in every:
            if name.endswith("-cpu"):
                continue
            self.assertIn(name + "-cpu", every)
            if name not in of_experiments:
                self.expect(run("run", "--preset", name, "--dry-run"), 0)

    def test_a_profile_of_a_cpu_is_refused_with_the_reason(self):
        for name in ("imaging/train", "llm/finetune"):
            out = self.path("profile.h5")
            self.expect(run("run", name, "--quick", "-a", "ranks=1", "-a", "device=cpu", "-a", "profile=true", "-o", out, "--force"), 4)
            (key, row), = rows(out).items()
            self.assertIn("profile=true", key)
            self.assertEqual((row["status"], row["reason"]), ("skipped", "profile=true needs a GPU"))

    def test_without_the_full_set_the_rows_say_what_is_missing(self):
        out = self.path("full.h5")
        self.expect(run("run", "--preset", "paper-imaging-pin", "-a", "ranks=1", "-o", out), 4)
        for row in rows(out).values():
            self.assertRegex(row["reason"], "--data mnist=DIR|pinned memory")
        self.expect(run("run", "--preset", "paper-llm-pin", "-a", "model=tiny", "-a", "ranks=1", "-o", out, "--force"), 4)
        for row in rows(out).values():
            self.assertRegex(row["reason"], "--data tokenizer=FILE|pinned memory|needs . ranks")


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--full"])
