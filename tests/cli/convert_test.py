# SPDX-License-Identifier: Apache-2.0
"""`import` of runs and `export`, checked with Python's own readers of JSON and CSV."""
import collections
import csv
import io
import json
import math
import os
import pathlib
import re
import runpy
import statistics
import sys
import types
import unittest
import unittest.mock

import h5py

from harness import KERNELS, ProgramTest, rows, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results" / "cpu-2core"
GOLDEN = ROOT / "tests" / "golden"


def case(samples, **more):
    return {"metric": "time", "unit": "s", "scale": 1e-9, "samples": samples, **more}


class Runs(ProgramTest):
    """JSON Lines of runs."""

    def lines(self, *runs, name="runs.jsonl"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in runs)
        return self.path(name)

    def compare(self, a, b, *more):
        done = run("compare", a, "--against", b, "--format", "json", *more)
        self.assertIn(done.returncode, (0, 1, 5), done.stderr)
        return json.loads(done.stdout)

    def test_values_and_keys_are_those_of_the_text(self):
        given = self.lines({"run": "r1", "cases": {
            "micro/allreduce ranks=4 bytes=8": case([100, 300, 200], direction="lower"),
            "llm/finetune model=1b": {"metric": "rate", "unit": "{token}/s", "scale": 0.5, "samples": [8, 10]},
            "signed": {"metric": "delta", "unit": "K", "scale": 2, "samples": [-3, -1, 2]}}})
        done = run("import", given, "-o", self.path("a.h5"))
        self.expect(done, 0)
        self.assertEqual(done.stdout, f"{self.path('a.h5')}: 3 cases\n")
        found = rows(self.path("a.h5"))
        self.assertEqual(sorted(found), ["llm/finetune model=1b", "micro/allreduce bytes=8 ranks=4", "signed"])
        one = found["micro/allreduce bytes=8 ranks=4"]
        self.assertEqual(one["params"], {"bytes": 8, "ranks": 4})
        self.assertAlmostEqual(one["metrics"]["time"]["median"], 200e-9, delta=1e-20)
        self.assertEqual((one["metrics"]["time"]["n"], one["metrics"]["time"]["better"]), (3, "lower"))
        rate = found["llm/finetune model=1b"]["metrics"]["rate"]
        self.assertEqual((rate["median"], rate["better"], rate["unit"]), (4.5, "higher", "{token}/s"))
        self.assertEqual(found["signed"]["metrics"]["delta"]["median"], -2)

    def test_what_is_exported_has_a_digest_that_import_checks(self):
        given = self.lines({"run": "r1", "cases": {
            "micro/allreduce ranks=4 bytes=8": case([100, 300, 200]),
            "real": {"metric": "rate", "unit": "{token}/s", "scale": 0.1, "samples": [8, 10]},
            "signed": {"metric": "delta", "unit": "K", "scale": 1e300, "samples": [-3, -1, 2]}}})
        self.expect(run("import", given, "-o", self.path("a.h5")), 0)
        self.expect(run("export", self.path("a.h5"), "--to", "jsonl", "-o", self.path("a.jsonl")), 0)
        with open(self.path("a.jsonl"), encoding="utf-8") as file:
            text = file.read()
        line = json.loads(text)
        self.assertRegex(line["digest"], "^[0-9a-f]{64}$")
        self.expect(run("import", self.path("a.jsonl"), "-o", self.path("b.h5")), 0)
        # In another order and with other blanks it is the same run.
        turned = {**line, "cases": {key: dict(reversed(one.items())) for key, one in reversed(line["cases"].items())}}
        self.expect(run("import", self.lines(turned, name="turned.jsonl"), "-o", self.path("c.h5")), 0)
        del turned["digest"]
        self.expect(run("import", self.lines(turned, name="without.jsonl"), "-o", self.path("d.h5")), 0)
        for number, change in enumerate((("[100,", "[101,"), ("signed", "signet"), ("\"K\"", "\"J\""), (line["run"][:8], "00000000"),
                                         (line["digest"][:8], "00000000"))):
            self.assertIn(change[0], text)
            with open(self.path(f"{number}.jsonl"), "w", encoding="utf-8") as file:
                file.write(text.replace(*change))
            self.expect(run("import", self.path(f"{number}.jsonl"), "-o", self.path("e.h5")), 3, "does not match its digest")

    def test_several_runs_become_a_folder_and_sides_folders_in_it(self):
        many = self.lines(*({"run": i, "cases": {"x": case([100 + i])}} for i in range(3)))
        self.expect(run("import", many, "-o", self.path("many")), 0)
        self.assertEqual(sorted(os.listdir(self.path("many"))), ["run-0001.h5", "run-0002.h5", "run-0003.h5"])
        sides = self.lines(*({"run": i, "side": side, "cases": {"x": case([value])}}
                             for side, value in (("A", 1000), ("B", 1500)) for i in range(5)), name="sides.jsonl")
        self.expect(run("import", sides, "-o", self.path("sides"), "--tag", "site=here"), 0)
        result = self.compare(self.path("sides/A"), self.path("sides/B"))
        self.assertEqual([(row["key"], row["runs_a"], row["runs_b"]) for row in result["rows"]], [("x", 5, 5)])
        self.assertAlmostEqual(result["rows"][0]["change"], 0.5, places=12)

    def test_golden_tables_give_the_p_values_of_limma(self):
        tables = json.loads((GOLDEN / "stats" / "moderated.json").read_text())["cases"]
        table = next(one for one in tables if one["name"] == "3v3")
        runs = []
        for r in range(table["runs_a"] + table["runs_b"]):
            # 1e-15 s a step: finer than the ten decimals of the logarithms of nanoseconds.
            cases = {f"row n={g}": case([round(math.exp(x[r]) * 1e6)], scale=1e-15)
                     for g, x in enumerate(table["x"]) if x[r] is not None}
            runs.append({"run": r, "side": "A" if r < table["runs_a"] else "B", "cases": cases})
        self.expect(run("import", self.lines(*runs), "-o", self.path("g")), 0)
        result = self.compare(self.path("g/A"), self.path("g/B"), "--threshold", str(table["theta"] * 100))
        self.assertEqual(len(result["rows"]), table["rows"])
        verdicts = set()
        for row in result["rows"]:
            g = int(row["key"].split("=")[1])
            want = {name: table["expected"][name][g] for name in ("d", "treat_p", "treat_p_bh", "p_same")}
            self.assertAlmostEqual(math.log1p(row["change"]), want["d"], delta=1e-9)
            self.assertAlmostEqual(row["p"], want["treat_p"], delta=1e-5 * want["treat_p"])
            self.assertAlmostEqual(row["q"], want["treat_p_bh"], delta=1e-5 * want["treat_p_bh"])
            expected = "SAME" if want["p_same"] <= 0.05 else "INCONCLUSIVE"
            if want["treat_p_bh"] <= 0.05:
                expected = "REGRESSION" if want["d"] > 0 else "IMPROVED"
            self.assertEqual(row["verdict"], expected, row["key"])
            verdicts.add(expected)
        self.assertIn("REGRESSION", verdicts)

    def test_a_round_trip_changes_no_number(self):
        text = []
        for i in (1, 2, 3):
            done = run("export", RESULTS / f"run-{i}.h5", "--to", "jsonl")
            self.expect(done, 0, "left out")
            text.append(done.stdout)
            line = json.loads(done.stdout)
            self.assertTrue(all(isinstance(s, int) for one in line["cases"].values() for s in one["samples"]))
        with open(self.path("all.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(text)
        self.expect(run("import", self.path("all.jsonl"), "-o", self.path("back")), 0)
        before, after = rows(RESULTS / "run-1.h5"), rows(self.path("back/run-0001.h5"))
        compared = 0
        for key, row in before.items():
            if row["status"] != "ok":
                self.assertNotIn(key, after)
                continue
            mine, theirs = (one["metrics"][row["primary"]] for one in (row, after[key]))
            for field in ("median", "low", "high"):
                self.assertAlmostEqual(mine[field], theirs[field], delta=1e-12 * mine[field], msg=key)
            self.assertEqual([mine[f] for f in ("unit", "better", "n")], [theirs[f] for f in ("unit", "better", "n")])
            compared += 1
        self.assertGreater(compared, 20)
        originals = [RESULTS / f"run-{i}.h5" for i in (1, 2, 3)]
        result = json.loads(run("compare", *originals, "--against", self.path("back"), "--format", "json").stdout)
        self.assertEqual(result["only_b"], [])
        self.assertTrue(all(abs(row["change"]) < 1e-12 for row in result["rows"]))
        again = run("export", self.path("back/run-0001.h5"), "--to", "jsonl").stdout
        self.assertEqual(json.loads(again)["cases"], json.loads(text[0])["cases"])

    def test_the_same_run_twice_is_known(self):
        given = self.lines({"run": 1, "cases": {"x": case([5])}})
        for name in ("a.h5", "b.h5"):
            self.expect(run("import", given, "-o", self.path(name)), 0)
        done = run("compare", self.path("a.h5"), "--against", self.path("b.h5"))
        self.expect(done, 2, "are the same run")

    def test_what_is_wrong_is_named_and_nothing_is_left(self):
        good = '{"run": 1, "cases": {"x": {"metric": "t", "unit": "s", "scale": 1, "samples": [1]}}}\n'
        bad = {
            '{"run": 1, "cases": {}}': "at least one case",
            '{"cases": {"x": 1}}': '"run" is missing',
            '{"run": 2, "cases": {"x": {"metric": "t", "unit": "s", "scale": 1, "samples": [1.5]}}}': "integers",
            '{"run": 2, "cases": {"x": {"metric": "t", "unit": "s", "scale": 0, "samples": [1]}}}': "above 0",
            '{"run": 2, "cases": {"x": {"metric": "t", "unit": "s", "scale": 1, "samples": []}}}': "at least one",
            '{"run": 2, "cases": {"x": {"metric": "T 1", "unit": "s", "scale": 1, "samples": [1]}}}': "[a-z]",
            '{"run": 2, "cases": {"x a=1 a=2": {"metric": "t", "unit": "s", "scale": 1, "samples": [1]}}}': "twice",
            '{"run": 2, "run": 3, "cases": {}}': "twice",
            '{"run": 2, "side": "../up", "cases": {"x": 1}}': "letters, digits",
            '{"run": 2, "cases": ' + "[" * 100 + "]" * 100 + "}": "deeper",
            '{"run": 1, "cases": {"x": {"metric": "t", "unit": "s", "scale": 1, "samples": [1]}}}': "occurs twice",
            '{"run": 2, "cases": {"x': "no JSON",
            '{"run": "\x1b[31m", "cases": 1}': "no JSON",
        }
        for line, said in bad.items():
            with self.subTest(line[:60]):
                with open(self.path("bad.jsonl"), "w", encoding="utf-8") as file:
                    file.write(good + line + "\n")
                done = run("import", self.path("bad.jsonl"), "-o", self.path("out"), "--from", "jsonl")
                self.expect(done, 3, f"{self.path('bad.jsonl')}:2", said)
                self.assertNotIn("\x1b", done.stderr)
                self.assertFalse(os.path.exists(self.path("out")))

    def test_unknown_members_are_reported(self):
        done = run("import", self.lines({"run": 1, "extra": 2, "cases": {"x": case([1], note="n")}}), "-o", self.path("a.h5"))
        self.expect(done, 0, '"extra" is not known', '"note" is not known')

    def test_outputs_are_not_replaced_without_force(self):
        given = self.lines({"run": 1, "cases": {"x": case([1])}})
        self.expect(run("import", given, "-o", self.path("a.h5")), 0)
        self.expect(run("import", given, "-o", self.path("a.h5")), 2, "--force")
        self.expect(run("import", given, "-o", self.path("a.h5"), "--force"), 0)
        self.expect(run("export", self.path("a.h5"), "--to", "fom", "-o", self.path("a.h5")), 2, "which is read, too")
        self.expect(run("export", self.path("a.h5"), "--to", "fom", "-o", given), 2, "--force")

    def test_files_of_no_known_format(self):
        for content in ("", "hello\n", "{}", "\0" * 100):
            with open(self.path("x"), "w", encoding="utf-8") as file:
                file.write(content)
            self.expect(run("import", self.path("x"), "-o", self.path("a.h5")), 3, "known formats", "jsonl")
        self.expect(run("import", self.folder, "-o", self.path("a.h5")), 3, "folder")
        self.expect(run("import", "/dev/zero", "-o", self.path("a.h5")), 3, "longer than")


class Shown(ProgramTest):
    def test_sizes_come_back_in_their_order(self):
        sizes = [8, 65536, 128, 1, 2048, 10, 9]
        with open(self.path("x.jsonl"), "w", encoding="utf-8") as file:
            json.dump({"run": 1, "cases": {f"micro/allreduce bytes={size} ranks={ranks}": case([size])
                                           for size in sizes for ranks in (16, 2)}}, file)
        self.expect(run("import", self.path("x.jsonl"), "-o", self.path("x.h5")), 0)
        shown = rows(self.path("x.h5"))
        self.assertEqual([(row["params"]["bytes"], row["params"]["ranks"]) for row in shown.values()],
                         [(size, ranks) for size in sorted(sizes) for ranks in (2, 16)])
        text = run("show", self.path("x.h5")).stdout
        self.assertIn("imported from JSON Lines", text.splitlines()[0])
        self.assertNotIn("0 ranks", text)


class Exports(ProgramTest):
    def export(self, name, *arguments):
        done = run("export", RESULTS / name, *arguments)
        self.expect(done, 0)
        return done.stdout

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

    def test_trace_events_nest(self):
        for name in ("mnist-full.h5", "run-2.h5"):
            trace = json.loads(self.export(name, "--to", "trace"))
            threads = {}
            for event in trace["traceEvents"]:
                self.assertIn(event["ph"], "XM")
                self.assertIsInstance(event["pid"], int)
                if event["ph"] == "M":
                    self.assertIn(event["name"], ("process_name", "thread_name"))
                    continue
                self.assertGreaterEqual(event["ts"], 0)
                self.assertGreaterEqual(event["dur"], 0)
                threads.setdefault((event["tid"], event["cat"]), []).append(event)
            cases = threads.pop((0, "case"))
            # These files are older than phases and beginnings of iterations.
            self.assertLessEqual({category for _, category in threads}, {"epoch"})
            for events in [cases, *threads.values()]:
                for one, other in zip(events, events[1:]):
                    self.assertGreaterEqual(other["ts"] + 1e-3, one["ts"] + one["dur"])
            for event in (event for events in threads.values() for event in events):
                self.assertEqual(event["cat"], "epoch")
                self.assertTrue(any(one["ts"] <= event["ts"] + 1e-3 and
                                    event["ts"] + event["dur"] <= one["ts"] + one["dur"] + 1e-3 for one in cases))
        self.assertTrue(threads)

    def test_a_trace_shows_phases_and_iterations_inside_their_case(self):
        done = run("run", "micro/memcpy", "-a", "direction=h2h", "-a", "host_memory=pageable", "-a", "bytes=4096,65536",
                   "-n", "20", "-w", "3", "-o", self.path("p.h5"), ranks=1)
        self.expect(done, 0)
        events = json.loads(run("export", self.path("p.h5"), "--to", "trace").stdout)["traceEvents"]
        of = lambda category: [event for event in events if event.get("cat") == category]
        cases, phases, samples = of("case"), of("phase"), of("sample")
        self.assertEqual(len(cases), 2)
        self.assertEqual(len(samples), 40)
        for number, case_event in enumerate(cases):
            inside = [one for one in phases if case_event["ts"] <= one["ts"] and
                      one["ts"] + one["dur"] <= case_event["ts"] + case_event["dur"] + 1e-3]
            self.assertEqual([one["name"] for one in inside],
                             ["set up", "first call", "verify", "warm-up", "measure", "verify", "gather"])
            for one, other in zip(inside, inside[1:]):
                self.assertAlmostEqual(one["ts"] + one["dur"], other["ts"], delta=1e-3)
            mine = samples[20 * number:20 * number + 20]
            self.assertEqual([one["name"] for one in mine], [f"sample {i}" for i in range(1, 21)])
            for one, other in zip(mine, mine[1:]):
                self.assertLessEqual(one["ts"] + one["dur"], other["ts"] + 1e-3)
            # The end of a case is known to a millisecond, so its last phases may be cut short.
            self.assertGreaterEqual(mine[0]["ts"] + 1e-3, inside[4]["ts"])
        # What two short cases share of telemetry is there once.
        readings = [(event["name"], event["ts"]) for event in events if event["ph"] == "C"]
        self.assertTrue(readings)
        self.assertEqual(len(readings), len(set(readings)))
        with h5py.File(self.path("p.h5")) as file:
            times = set(t for table in file["telemetry/node"].values() for t in table["t"][:])
        per_name = collections.Counter(name for name, _ in readings)
        self.assertLessEqual(max(per_name.values()), len(times))

    def test_a_trace_shows_telemetry_while_its_cases_ran(self):
        done = run("run", "micro/memcpy", "-a", "direction=h2h", "-a", "host_memory=pageable", "-a", "bytes=4096",
                   "--telemetry", "100ms", "--min-time", "0.2", "-o", self.path("t.h5"), ranks=1)
        self.expect(done, 0)
        events = json.loads(run("export", self.path("t.h5"), "--to", "trace").stdout)["traceEvents"]
        end = max(event["ts"] + event["dur"] for event in events if event["ph"] == "X")
        counters = [event for event in events if event["ph"] == "C"]
        self.assertGreater(len({event["name"] for event in counters}), 2)
        for event in counters:
            self.assertTrue(all(math.isfinite(value) for value in event["args"].values()))
            self.assertLess(-1e3, event["ts"])
            self.assertLess(event["ts"], end + 1e6)

    def test_imb_prints_what_imb_printed(self):
        """A text of IMB's, imported and exported, has the same lines."""
        for golden in sorted((GOLDEN / "imb").glob("*.txt")):
            with self.subTest(golden.stem):
                self.check_imb(golden)

    def check_imb(self, golden):
        self.expect(run("import", golden, "-o", self.path("a.h5"), "--force"), 0)
        printed = run("export", self.path("a.h5"), "--to", "imb").stdout
        # Tables of our own tests: not PingPingMT, which is SendRecvMT of two ranks, and not accesses that are completed all at once.
        theirs = [table for table in self.imb_tables(golden.read_text())
                  if "PingPingMT" not in table[0] and not ("MODE: AGGREGATE" in " ".join(table) and "Read" not in table[0] and "IW" not in table[0])]
        mine = self.imb_tables(printed)
        self.assertEqual(mine, theirs)
        with open(self.path("again.txt"), "w", encoding="utf-8") as file:
            file.write(printed)
        self.expect(run("import", self.path("again.txt"), "-o", self.path("b.h5"), "--force"), 0)
        first = {key: row for key, row in rows(self.path("a.h5")).items() if row["name"].startswith("micro/")}
        second = rows(self.path("b.h5"))
        self.assertEqual(list(first), list(second))
        for key, row in first.items():
            self.assertEqual(row["metrics"], second[key]["metrics"])

    @staticmethod
    def imb_tables(text):
        """The lines of each table, without those of dashes and of Scalemark."""
        found = []
        for line in map(str.rstrip, text.splitlines()):
            if line.startswith("# Benchmarking "):
                found.append([])
            if found and line and not set(line) <= {"#", "-"} and not re.search("Scalemark|MPI_Finalize|not in this", line):
                found[-1].append(line)
        return found

    def test_what_imb_cannot_say_comes_back(self):
        shown, text = rows(RESULTS / "run-1.h5"), self.export("run-1.h5", "--to", "imb")
        with open(self.path("a.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        self.expect(run("import", self.path("a.txt"), "-o", self.path("a.h5")), 0)
        found = rows(self.path("a.h5"))
        names = ("micro/pingpong", "micro/allreduce", "micro/allgather")
        self.assertEqual(set(found), {key for key, row in shown.items() if row["status"] == "ok" and row["name"] in names})
        with open(self.path("b.txt"), "w", encoding="utf-8") as file:
            file.write(text.replace("backend=mpi memory=host ranks=2", "nothing"))
        self.expect(run("import", self.path("b.txt"), "-o", self.path("b.h5")), 3, "axis=value")

    def test_google_benchmark_has_aggregates(self):
        """As --benchmark_report_aggregates_only writes them, from the repetitions that --repetitions adds."""
        shown = rows(RESULTS / "run-1.h5")
        text = self.export("run-1.h5", "--to", "google-benchmark")
        entries = json.loads(text)["benchmarks"]
        whole = json.loads(self.export("run-1.h5", "--to", "google-benchmark", "--repetitions"))["benchmarks"]
        self.assertEqual([one for one in whole if one["run_type"] == "aggregate" or one.get("skipped")
                          or one["repetitions"] == 1], entries)
        for one in entries:  # tools/compare.py of Google Benchmark looks for these in every row
            self.assertLessEqual({"name", "run_type", "real_time", "cpu_time", "time_unit"}, set(one))
        times = {}
        for one in whole:
            if one["run_type"] == "iteration" and not one.get("skipped"):
                times.setdefault(one["run_name"], []).append(one["real_time"])
        how = {"mean": statistics.mean, "median": statistics.median, "stddev": statistics.stdev,
               "cv": lambda all: statistics.stdev(all) / statistics.mean(all)}
        seen = []
        for one in entries:
            if one["run_type"] != "aggregate":
                continue
            seen.append(one["aggregate_name"])
            self.assertEqual(one["name"], f"{one['run_name']}_{one['aggregate_name']}")
            mine = times[one["run_name"]]
            self.assertEqual(one["repetitions"], len(mine))
            self.assertEqual(one["aggregate_unit"], "percentage" if seen[-1] == "cv" else "time")
            self.assertTrue(math.isclose(one["real_time"], how[seen[-1]](mine), rel_tol=1e-6, abs_tol=1e-6), one)
        self.assertEqual(seen, ["mean", "median", "stddev", "cv"] * (len(seen) // 4))
        self.assertGreater(len(seen), 0)
        with open(self.path("a.json"), "w", encoding="utf-8") as file:
            file.write(text)
        done = run("import", self.path("a.json"), "-o", self.path("a.h5"))
        self.expect(done, 0, f"{len(seen) // 4} benchmarks with aggregates only")
        found = rows(self.path("a.h5"))
        self.assertEqual(set(found), set(shown))
        for key, row in found.items():
            self.assertEqual(row["status"], shown[key]["status"])
            if row["status"] == "ok":
                got, want = row["metrics"][row["primary"]], shown[key]["metrics"][row["primary"]]
                self.assertAlmostEqual(got["median"] / want["median"], 1, places=6)

    def test_google_benchmark_has_every_iteration_on_request(self):
        shown = rows(RESULTS / "run-1.h5")
        text = self.export("run-1.h5", "--to", "google-benchmark", "--repetitions")
        entries = [one for one in json.loads(text)["benchmarks"] if one["run_type"] == "iteration"]
        samples = list(csv.DictReader(io.StringIO(self.export("run-1.h5", "--to", "csv"))))
        key = "micro/memcpy bytes=65536 direction=h2h host_memory=pageable ranks=2"
        times = {}
        for row in samples:
            if row["key"] == key and row["metric"] == shown[key]["primary"] and row["warmup"] == "0":
                times.setdefault(int(row["iteration"]), []).append(float(row["value"]))
        mine = [one for one in entries if one["scalemark_key"] == key]
        self.assertEqual([one["repetition_index"] for one in mine], list(range(len(times))))
        for one, ranks in zip(mine, times.values()):
            self.assertAlmostEqual(one["real_time"], max(ranks) * 1e9, delta=1e-6 * one["real_time"])
            self.assertEqual(one["time_unit"], "ns")
        with open(self.path("a.json"), "w", encoding="utf-8") as file:
            file.write(text)
        done = run("import", self.path("a.json"), "-o", self.path("a.h5"))
        self.expect(done, 0)
        self.assertEqual(done.stderr, "")
        found = rows(self.path("a.h5"))
        self.assertEqual(set(found), set(shown))
        for key, row in found.items():
            self.assertEqual(row["status"], shown[key]["status"])
            if row["status"] == "ok":
                self.assertAlmostEqual(row["metrics"][row["primary"]]["median"] /
                                       shown[key]["metrics"][row["primary"]]["median"], 1, places=6)

    def test_google_benchmark_as_google_benchmark_writes_it(self):
        options = ["--benchmark_filter=memcpy/bytes:4096", "--benchmark_format=json", "--benchmark_repetitions=3",
                   "--benchmark_min_time=0.01"]
        done = run("-o", self.path("k.h5"), *options, f"--benchmark_out={self.path('theirs.json')}",
                   "--benchmark_out_format=json", program=KERNELS)
        self.expect(done, 0)
        with open(self.path("theirs.json"), encoding="utf-8") as file:
            theirs = json.load(file)["benchmarks"]
        mine = json.loads(run("export", self.path("k.h5"), "--to", "google-benchmark", "--repetitions").stdout)["benchmarks"]
        self.assertEqual(len(mine), len(theirs))
        self.assertEqual({one["run_type"] for one in mine}, {"iteration", "aggregate"})
        for got, want in zip(mine, theirs):
            self.assertEqual(got["run_name"] + "/real_time", want["run_name"])
            for member in ("run_type", "repetitions", "repetition_index", "threads", "iterations", "time_unit",
                           "aggregate_name", "aggregate_unit"):
                self.assertEqual(got.get(member), want.get(member), member)
            if want.get("aggregate_name") in ("stddev", "cv"):
                continue  # of rounded nanoseconds
            for member in ("real_time", "bytes_per_second"):
                self.assertAlmostEqual(got[member] / want[member], 1, places=3, msg=member)

    def test_formats_without_anything_to_say(self):
        with open(self.path("x.jsonl"), "w", encoding="utf-8") as file:
            json.dump({"run": 1, "cases": {"x": case([1])}}, file)
        self.expect(run("import", self.path("x.jsonl"), "-o", self.path("x.h5")), 0)
        self.expect(run("export", self.path("x.h5"), "--to", "mllog"), 2, "no finished training")
        self.expect(run("export", self.path("x.h5"), "--to", "trace"), 2, "when it ran")
        self.expect(run("export", self.path("x.h5"), "--to", "no_such"), 2, "fom")


if __name__ == "__main__":
    unittest.main()
