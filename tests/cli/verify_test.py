# SPDX-License-Identifier: Apache-2.0
"""verify and llm/tokenizer: token ids with and without Llama 3's tokenizer, which the project may not bring along; verify on
the statistics' golden files, which name no topic."""
import json
import os
import unittest

from harness import ProgramTest, rows, run

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "tokens.json")
SMALL = os.path.join(os.path.dirname(GOLDEN), "..", "..", "suites", "llm", "data", "tiktoken_small.model")
TOKENIZER = os.environ.get("SCALEMARK_TOKENIZER", "")


class Tokens(ProgramTest):
    def test_without_a_tokenizer_the_small_vocabulary_is_checked(self):
        done = run("verify", GOLDEN, "--format", "json")
        self.expect(done, 0)
        items = json.loads(done.stdout)
        self.assertGreaterEqual(sum(item["status"] == "pass" for item in items), 130)
        skipped = [item for item in items if item["status"] == "skipped"]
        self.assertGreater(len(skipped), 5)
        for item in skipped:
            self.assertIn("--tokenizer", item["reason"])
        self.expect(run("verify", GOLDEN, "--require-all"), 4)

    @unittest.skipUnless(TOKENIZER, "SCALEMARK_TOKENIZER is not set: jobscripts/setup.sh --tokenizer")
    def test_with_the_tokenizer_all_is_checked(self):
        done = run("verify", GOLDEN, "--tokenizer", TOKENIZER, "--require-all")
        self.expect(done, 0)
        self.assertRegex(done.stdout, r"^4[0-9]{2} passed, 0 failed, 0 skipped")

    def test_what_is_no_tokenizer(self):
        self.expect(run("verify", GOLDEN, "--tokenizer", self.path("none")), 2, "none")
        done = run("verify", GOLDEN, "--tokenizer", __file__)
        self.expect(done, 6)
        self.assertIn("verify_test.py:1", done.stdout)
        self.assertIn(" 1 failed,", done.stdout)
        self.assertIn("sha256", run("verify", GOLDEN, "--tokenizer", SMALL).stdout)

    def test_a_changed_id_fails(self):
        with open(GOLDEN, encoding="utf-8") as file:
            golden = json.load(file)
        golden["strings"][3]["ids_small"][0] += 1
        path = self.path("tokens.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(golden, file)
        done = run("verify", path)
        self.expect(done, 6)
        self.assertIn("strings[3].ids_small", done.stdout)


class Statistics(ProgramTest):
    FILES = ["adjust", "moderated", "moderated_edge", "moderated_large", "quantiles", "special", "timeseries"]

    def file(self, name):
        return os.path.join(os.path.dirname(GOLDEN), "stats", name + ".json")

    def test_all_values_are_met(self):
        done = run("verify", *map(self.file, self.FILES), "--require-all")
        self.expect(done, 0)
        self.assertRegex(done.stdout, r"^[0-9]{4} passed, 0 failed, 0 skipped")

    def test_a_changed_value_and_an_unknown_field(self):
        with open(self.file("moderated"), encoding="utf-8") as file:
            golden = json.load(file)
        golden["cases"][0]["note2"] = 1
        path = self.path("changed.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(golden, file)
        self.expect(run("verify", path), 0)
        self.expect(run("verify", path, "--require-all"), 4)
        golden["cases"][0]["expected"]["p_two_sided"][4] *= 1.0001
        with open(path, "w", encoding="utf-8") as file:
            json.dump(golden, file)
        done = run("verify", path)
        self.expect(done, 6)
        self.assertIn("cases[0].expected.p_two_sided", done.stdout)


class Encoding(ProgramTest):
    def test_tokenizers_and_files(self):
        data = self.path("rows.jsonl")
        with open(data, "w", encoding="utf-8") as file:
            file.write('{"instruction": "Say it.", "output": "It."}\n\n{"instruction": "Say no", "output": ""}\n')
        out = self.path("out.h5")
        self.expect(run("run", "llm/tokenizer", "-a", "source=file", "-a", "tokenizer=small,file", "-a", "rows=0", "-n", "3",
                        "-o", out, "--data", "alpaca=" + data, "--data", "tokenizer=" + SMALL, ranks=2), 0)
        cases = list(rows(out).values())
        self.assertEqual([case["status"] for case in cases], ["ok", "ok"])
        for case in cases:
            self.assertIn("bandwidth", case["metrics"])
            self.assertIn("tokens_per_second", case["metrics"])

    def test_files_that_are_missing_or_wrong(self):
        arguments = ["run", "llm/tokenizer", "-a", "rows=5", "-n", "3"]
        out = self.path("a.h5")
        self.expect(run(*arguments, "-a", "tokenizer=file", "-o", out), 4)
        [case] = rows(out).values()
        self.assertEqual((case["status"], case["reason"]), ("skipped", "needs --data tokenizer=FILE"))
        out = self.path("b.h5")
        self.expect(run(*arguments, "-a", "tokenizer=file", "--data", "tokenizer=" + __file__, "-o", out), 3)
        self.assertIn("verify_test.py:1", list(rows(out).values())[0]["reason"])
        data, out = self.path("rows.jsonl"), self.path("c.h5")
        with open(data, "w", encoding="utf-8") as file:
            file.write('{"instruction": "a", "output": "b"}\n{"instruction": "a"\n')
        self.expect(run(*arguments, "-a", "source=file", "-a", "tokenizer=bytes", "--data", "alpaca=" + data, "-o", out), 3)
        self.assertIn("rows.jsonl:2", list(rows(out).values())[0]["reason"])


if __name__ == "__main__":
    unittest.main()
