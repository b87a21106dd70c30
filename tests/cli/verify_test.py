# SPDX-License-Identifier: Apache-2.0
"""verify and llm/tokenizer: token ids with and without Llama 3's tokenizer, which the project may not bring along; verify on
the statistics' golden files, which name no topic."""
import json
import os
import subprocess
import unittest

from harness import SCALEMARK, ProgramTest, rows, run

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
        self.assertRegex(done.stdout, r"(?m)^[0-9]{4} passed, 0 failed, 0 skipped$")

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


class ManyFiles(ProgramTest):
    """What is no golden file is one line; the others are checked, and printed as they finish."""
    DATA_SET = os.path.join(os.path.dirname(GOLDEN), "stack_exchange_paired_tiny.json")
    ADJUST, SERIES = (os.path.join(os.path.dirname(GOLDEN), "stats", name + ".json") for name in ("adjust", "timeseries"))

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def items(self, done):
        by_file = {}
        for item in json.loads(done.stdout):
            by_file.setdefault(item["file"], []).append(item)
        return by_file

    def test_what_is_no_golden_file_is_skipped_in_one_line(self):
        foreign = [self.DATA_SET, self.write("number.json", "7"), self.write("empty.json", "{}"),
                   self.write("other.json", '{"rows": [1, 2]}'), self.write("topic.json", '{"topic": "weather"}')]
        done = run("verify", self.ADJUST, *foreign, self.SERIES, "--format", "json")
        self.expect(done, 0)
        found = self.items(done)
        self.assertEqual(list(found), [self.ADJUST, *foreign, self.SERIES])
        for path in foreign:
            [item] = found[path]
            self.assertEqual((item["status"], item["error"], item["tolerance"]), ("skipped", None, None))
            self.assertRegex(item["reason"], "no golden file|topic 'weather' is not part of this build")
        for path in (self.ADJUST, self.SERIES):
            self.assertGreater(len(found[path]), 5)
            self.assertEqual({item["status"] for item in found[path]}, {"pass"})
        text = run("verify", self.DATA_SET, self.ADJUST)
        self.expect(text, 0)
        self.assertEqual(text.stdout.count(self.DATA_SET), 1)
        self.assertRegex(text.stdout, r"(?m)^skipped .*stack_exchange.*no golden file")
        self.expect(run("verify", *foreign), 4)
        self.expect(run("verify", self.DATA_SET, self.ADJUST, "--require-all"), 4)

    def test_what_cannot_be_read_is_exit_code_3_and_the_others_are_checked(self):
        locked = self.write("fifo", "")
        os.remove(locked)
        os.mkfifo(locked)
        with open(self.ADJUST, encoding="utf-8") as file:
            half = self.write("half.json", file.read()[:3000])
        bad = {self.path("none.json"): "No such file", self.folder: "directory", locked: "",
               half: "holds no JSON", self.write("deep.json", "[" * 1_000_000): "holds no JSON",
               self.write("binary.json", "\0\x7fELF" * 99): "holds no JSON", self.write("void.json", ""): "holds no JSON"}
        changed = self.write("changed.json", '{"topic": "tokens"}')
        done = run("verify", *bad, changed, self.ADJUST, "--format", "json")
        self.expect(done, 3)
        found = self.items(done)
        for path, reason in bad.items():
            [item] = found[path]
            self.assertEqual((item["item"], item["status"]), ("file", "fail"))
            self.assertIn(reason.lower(), item["reason"].lower())
            self.assertIn(f"scalemark verify: {path}: {item['reason']}\n", done.stderr)
        self.assertEqual([item["status"] for item in found[changed]], ["fail"])
        self.assertEqual({item["status"] for item in found[self.ADJUST]}, {"pass"})
        self.expect(run("verify", changed, self.DATA_SET, self.ADJUST), 6)
        # Valid, however deep: parsed, and refused as what it is not.
        deep = self.write("nested.json", "[" * 500_000 + "]" * 500_000)
        self.assertEqual(self.items(run("verify", deep, self.ADJUST, "--format", "json"))[deep][0]["status"], "skipped")

    def test_progress_says_which_file_of_how_many(self):
        done = run("verify", self.ADJUST, self.DATA_SET, self.SERIES)
        self.assertEqual(done.stderr.splitlines(),
                         [f"[1/3] {self.ADJUST}", f"[2/3] {self.DATA_SET}", f"[3/3] {self.SERIES}"])

    def test_items_are_printed_while_others_are_checked(self):
        large = os.path.join(os.path.dirname(self.ADJUST), "moderated_large.json")
        for form, first in (("text", "adjust.json: "), ("json", '"pass"')):
            with subprocess.Popen([SCALEMARK, "verify", self.ADJUST, *[large] * 300, "--format", form], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                seen = ""
                while first not in seen:
                    line = process.stdout.readline()
                    self.assertTrue(line, "ended without a result")
                    seen += line
                process.kill()
                seen += process.stdout.read()
                self.assertIn(self.ADJUST, seen)
                self.assertEqual(process.wait(), -9, "it printed nothing before it was done")

    def test_a_terminal_gets_one_line_that_is_written_over(self):
        from pty import openpty
        parent, child = openpty()
        with open("/dev/null", "w", encoding="utf-8") as null:
            done = subprocess.run([SCALEMARK, "verify", self.ADJUST, self.SERIES], stdout=null, stderr=child, timeout=60,
                                  env={**os.environ, "COLUMNS": "40"}, check=False)
        os.close(child)
        text = os.read(parent, 65536).decode()
        os.close(parent)
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("\n", text)
        self.assertTrue(text.endswith("\r\x1b[2K"), repr(text))
        for line in text.split("\r\x1b[2K"):
            self.assertLess(len(line.rstrip("\r")), 40)
        self.assertIn("[2/2]", text)


class LibraryErrors(ProgramTest):
    """Files that say how far the library's own fp32 is off; those of LibTorch builds only."""
    FILE = os.path.join(os.path.dirname(GOLDEN), "quant_seed2.json")

    def test_fp32_may_be_as_far_off_as_the_library_and_no_broken_result_passes(self):
        done = run("verify", self.FILE, "--precision", "fp32", "--format", "json")
        items = json.loads(done.stdout)
        if any("not part of this build" in item["reason"] for item in items):
            self.expect(done, 4)
            return
        self.expect(done, 0)
        with open(self.FILE, encoding="utf-8") as file:
            golden = json.load(file)
        stated = golden["qlora_model"]["gradients_step0"]
        checked = {item["item"]: item for item in items}
        for name, gradient in stated.items():
            item = checked[f"qlora_model.gradients_step0.{name}.fp32_relative_l2_error"]
            self.assertAlmostEqual(item["tolerance"], 1.5 * gradient["fp32_relative_l2_error"])
            sums = checked[f"qlora_model.gradients_step0.{name}.fp32.abs_sum"]
            self.assertAlmostEqual(sums["tolerance"], 1.5 * gradient["fp32_relative_l2_error"] * gradient["abs_sum"])
        golden["qlora_model"]["alpha"] *= 1.01
        path = self.path("changed.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(golden, file)
        done = run("verify", path, "--precision", "fp32")
        self.expect(done, 6)
        self.assertRegex(done.stdout, r"(?m)^fail .*gradients_step0\..*\.fp32\.abs_sum")


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
