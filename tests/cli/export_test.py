# SPDX-License-Identifier: Apache-2.0
"""`export`, checked with Python's own readers of JSON and CSV and with that of Prometheus."""
import collections
import csv
import io
import json
import re
import runpy
import sys
import types
import unittest
import unittest.mock

from harness import rows, run
from converting import GOLDEN, RESULTS, ROOT, Exporting, case


class Exports(Exporting):
    def test_csv_has_every_sample(self):
        shown = rows(RESULTS / "run-1.h5")
        table = list(csv.DictReader(io.StringIO(self.export("run-1.h5", "--to", "csv"))))
        key = "micro/pingpong backend=mpi bytes=8 memory=host ranks=2"
        mine = [row for row in table if row["key"] == key and row["metric"] == "latency" and row["rank"] == "0"]
        counted = sorted(float(row["value"]) for row in mine if row["warmup"] == "0")
        metric = shown[key]["metrics"]["latency"]
        self.assertEqual(len(counted), metric["n"])
        middle = (counted[len(counted) // 2] + counted[(len(counted) - 1) // 2]) / 2
        self.assertAlmostEqual(middle, metric["median"], delta=1e-12)
        self.assertEqual({row["key"] for row in table}, set(shown))  # skipped cases keep a line
        summary = list(csv.DictReader(io.StringIO(self.export("run-1.h5", "--to", "csv", "--summary"))))
        # A column for each axis, behind those that were there.
        self.assertEqual(list(table[0])[:12], "run,key,status,reason,metric,unit,better,rank,iteration,warmup,flags,value".split(","))
        axes = sorted({pair.partition("=")[0] for row in table for pair in row["key"].split(" ")[1:]})
        self.assertEqual((list(table[0])[12:], list(summary[0])[19:]), (axes, axes))
        for row in table[:1] + table[-1:] + summary:
            pairs = dict(pair.split("=") for pair in row["key"].split(" ")[1:])
            self.assertEqual({axis: row[axis] for axis in axes if row[axis]}, pairs)
        row = next(row for row in summary if row["key"] == key and row["metric"] == "latency")
        self.assertAlmostEqual(float(row["median"]), metric["median"], delta=1e-18)

    def test_csv_cells_are_no_formulas(self):
        with open(self.path("x.jsonl"), "w", encoding="utf-8") as file:
            json.dump({"run": 1, "cases": {"=HYPERLINK(\"x\")": case([1])}}, file)
        self.expect(run("import", self.path("x.jsonl"), "-o", self.path("x.h5")), 0)
        table = csv.DictReader(io.StringIO(run("export", self.path("x.h5"), "--to", "csv").stdout))
        self.assertEqual([row["key"] for row in table], ["'=HYPERLINK(\"x\")"])

    def test_figures_of_merit(self):
        lines = self.export("run-1.h5", "--to", "fom").splitlines()
        self.assertEqual(lines[-1], "RESULT PASS")
        pattern = re.compile(r"^FOM (.+) (\S+) ([-+0-9.e]+) (\S+)$")
        found = {(m[1], m[2]): (float(m[3]), m[4]) for m in map(pattern.match, lines[:-1])}
        self.assertEqual(len(found), len(lines) - 1)
        for key, row in rows(RESULTS / "run-1.h5").items():
            for name, metric in row["metrics"].items() if row["status"] == "ok" else ():
                value, unit = found[key, name]
                self.assertAlmostEqual(value, metric["median"], delta=1e-11 * abs(metric["median"]))
                self.assertEqual(unit, metric["unit"])

    def test_openmetrics_are_what_prometheus_reads(self):
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
        families = {family.name: family for family in text_string_to_metric_families(self.export("run-1.h5", "--to", "openmetrics"))}
        table = rows(RESULTS / "run-1.h5")
        ok = [row for row in table.values() if row["status"] == "ok"]
        counts = {sample.labels["status"]: sample.value for sample in families["scalemark_cases"].samples}
        self.assertEqual(counts, collections.Counter(row["status"] for row in table.values()))
        words = {"s": "_seconds", "1": "", "By": "_bytes", "By/s": "_bytes_per_second", "flop/s": "_flops_per_second",
                 "1/s": "_per_second", "{image}/s": "_images_per_second", "{token}/s": "_tokens_per_second", "J": "_joules"}
        found = {}
        for family in families.values():
            self.assertEqual(family.type, "gauge")
            self.assertTrue(family.name.endswith(family.unit), family.name)
            for sample in family.samples:
                labels = dict(sample.labels)
                if labels.pop("statistic", None) == "median":
                    found[sample.name, labels.pop("benchmark"), frozenset(labels.items())] = sample.value
        self.assertGreater(len(found), 100)
        for row in ok:
            axes = frozenset((axis, value if isinstance(value, str) else json.dumps(value)) for axis, value in row["params"].items())
            for name, metric in row["metrics"].items():
                if metric["median"] is not None:
                    value = found.pop((f"scalemark_{name}{words[metric['unit']]}", row["name"], axes))
                    self.assertAlmostEqual(value, metric["median"], delta=1e-11 * abs(value))
        self.assertEqual(found, {}, "a line that no case has")

    def test_hostile_names_stay_openmetrics(self):
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
        given = self.path("runs.jsonl")
        case = {"metric": "time", "unit": "s", "scale": 1e-9, "samples": [5, 6, 7]}
        with open(given, "w", encoding="utf-8") as out:
            json.dump({"run": "a", "cases": {'odd/na"me\\x 1st=a"b\\ k-l=\u00e9': case, "odd/plain": case | {"unit": "odd unit/s"}}}, out)
        self.expect(run("import", given, "-o", self.path("odd.h5")), 0)
        done = run("export", self.path("odd.h5"), "--to", "openmetrics")
        self.expect(done, 0)
        samples = [sample for family in text_string_to_metric_families(done.stdout) for sample in family.samples
                   if sample.labels.get("statistic") == "median"]
        self.assertEqual(sorted(sample.value for sample in samples), [6e-9, 6e-9])

    def test_formats_of_continuous_services(self):
        table = rows(RESULTS / "run-1.h5")
        bmf = json.loads(self.export("run-1.h5", "--to", "bmf"))
        self.assertEqual(bmf.keys(), {key for key, row in table.items() if row["status"] == "ok"})
        for key, measures in bmf.items():
            for name, value in measures.items():
                metric = table[key]["metrics"][name]
                self.assertAlmostEqual(value["value"], metric["median"], delta=1e-11 * abs(metric["median"]))
                if "lower_value" in value:
                    self.assertLessEqual(value["lower_value"], value["value"])
        github = json.loads(self.export("run-1.h5", "--to", "github"))
        self.assertGreater(len(github), 20)
        for row in github:
            self.assertLessEqual({"name", "unit", "value"}, row.keys())
            key, name = row["name"].rsplit(" ", 1)
            self.assertEqual((row["value"], row["unit"]), (table[key]["metrics"][name]["median"], table[key]["metrics"][name]["unit"]))
            self.assertEqual(table[key]["metrics"][name]["better"], "lower")

    def test_services_get_no_wrong_data(self):
        self.expect(run("import", GOLDEN / "osu" / "allreduce_full_check_tail.txt", "--ranks", 2, "-o", self.path("wrong.h5")), 0)
        bad = {key for key, row in rows(self.path("wrong.h5")).items() if row["status"] != "ok"}
        self.assertTrue(bad)
        for name in ("bmf", "github"):
            done = run("export", self.path("wrong.h5"), "--to", name)
            self.expect(done, 0, "left out, ")
            self.assertFalse([key for key in bad if key in done.stdout])

    def test_a_failed_case_fails_the_figures(self):
        done = run("import", GOLDEN / "osu" / "allreduce_full_check_tail.txt", "--ranks", 2, "-o", self.path("a.h5"))
        self.expect(done, 0)
        done = run("export", self.path("a.h5"), "--to", "fom")
        self.expect(done, 0, "RESULT FAIL")
        self.assertEqual(done.stdout.splitlines()[-1], "RESULT FAIL")

    def test_formats_without_anything_to_say(self):
        with open(self.path("x.jsonl"), "w", encoding="utf-8") as file:
            json.dump({"run": 1, "cases": {"x": case([1])}}, file)
        self.expect(run("import", self.path("x.jsonl"), "-o", self.path("x.h5")), 0)
        self.expect(run("export", self.path("x.h5"), "--to", "mllog"), 2, "no finished training")
        self.expect(run("export", self.path("x.h5"), "--to", "trace"), 2, "when it ran")
        self.expect(run("export", self.path("x.h5"), "--to", "no_such"), 2, "fom")


class Harnesses(Exporting):
    def test_ramble_finds_each_figure(self):
        """The application's expressions on our lines. Ramble itself, which is on no package index, ran it by hand."""
        told = []

        class Appkit(types.ModuleType):
            ExecutableApplication = object
            OUTPUT_CAPTURE = types.SimpleNamespace(ALL=None)
            __all__ = ["ExecutableApplication", "OUTPUT_CAPTURE", "tags", "executable", "workload", "workload_variable",
                       "figure_of_merit_context", "figure_of_merit", "success_criteria"]

            def __getattr__(self, name):
                return lambda *words, **named: told.append((name, words, named))

        path = ROOT / "packaging" / "ramble" / "applications" / "scalemark" / "application.py"
        with unittest.mock.patch.dict(sys.modules, {"ramble": types.ModuleType("ramble"), "ramble.appkit": Appkit("ramble.appkit")}):
            runpy.run_path(str(path))
        by_name = {name: (words, named) for name, words, named in told}
        lines = self.export("run-1.h5", "--to", "fom").splitlines()
        self.assertRegex(lines[-1], by_name["success_criteria"][1]["match"])
        for name, regex in (("figure_of_merit", "fom_regex"), ("figure_of_merit_context", "regex")):
            found = [re.match(by_name[name][1][regex], line) for line in lines[:-1]]
            self.assertTrue(all(found), name)
            self.assertEqual({match["key"] for match in found},
                             {key for key, row in rows(RESULTS / "run-1.h5").items() if row["status"] == "ok"})
        commands = [words[1] for name, words, _ in told if name == "executable"]
        self.assertEqual([command.split()[:2] for command in commands], [["scalemark", "run"], ["scalemark", "export"]])

    def test_the_experiment_of_benchpark_names_what_there_is(self):
        """Its presets, and the variables of Ramble's application. Benchpark itself, which is on no package index, took it by hand."""
        variants = {}
        directives, experiment = types.ModuleType("benchpark.directives"), types.ModuleType("benchpark.experiment")
        directives.variant = lambda name, **named: variants.update({name: named})
        experiment.Experiment = object
        modules = {"benchpark": types.ModuleType("benchpark"), "benchpark.directives": directives, "benchpark.experiment": experiment}
        with unittest.mock.patch.dict(sys.modules, modules):
            made = runpy.run_path(str(ROOT / "packaging" / "benchpark" / "experiments" / "scalemark" / "experiment.py"))["Scalemark"]()
        self.assertLessEqual(set(variants["preset"]["values"]), {row["name"] for row in json.loads(run("list", "--presets", "--json").stdout)})
        application = (ROOT / "packaging" / "ramble" / "applications" / "scalemark" / "application.py").read_text(encoding="utf-8")
        for model, gpus in (("mpi", False), ("cuda", True)):
            chosen = {name: (named["default"],) for name, named in variants.items()}
            made.spec = types.SimpleNamespace(variants=chosen, satisfies=lambda asked, model=model: asked == f"programming_model={model}")
            (workload, body), = made.compute_applications_section()["scalemark"]["workloads"].items()
            self.assertIn(f'workload("{workload}"', application)
            (one,) = body["experiments"].values()
            self.assertEqual("n_gpus" in one["variables"], gpus)
            self.assertEqual(one["variables"]["n_ranks"], "{n_nodes}*2")
            self.assertEqual("+cuda" in made.compute_spack_section()["packages"]["scalemark"]["pkg_spec"], gpus)


if __name__ == "__main__":
    unittest.main()
