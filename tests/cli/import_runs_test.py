# SPDX-License-Identifier: Apache-2.0
"""`import` of runs, and their `export`, checked with Python's own reader of JSON."""
import json
import math
import os
import unittest

from harness import ProgramTest, rows, run
from converting import GOLDEN, RESULTS, case


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


if __name__ == "__main__":
    unittest.main()
