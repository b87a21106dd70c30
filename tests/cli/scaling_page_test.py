# SPDX-License-Identifier: Apache-2.0
"""`scalemark predict -o page.html`: times over ranks, as predicted and measured."""
import html.parser
import json
import re
import unittest

from harness import ProgramTest, run

PREDICT = ["--workload", "micro/allreduce"]


class Tags(html.parser.HTMLParser):
    """The texts of a page, by the element that they are in; fails for elements that are not closed."""

    def __init__(self, page):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(page)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "path", "line", "rect", "circle", "polygon", "br", "link", "use"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    def of(self, tag):
        return [text for one, text in self.texts if one == tag]


class ScalingPage(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        lines = []
        for ranks in (2, 4, 8, 16):
            cases = {}
            for bytes_ in (1024, 65536):
                rounds = ranks.bit_length() - 1  # recursive doubling, 10 us a message and 1 ns a byte
                samples = [rounds * (10_000 + bytes_) + i for i in range(5)]
                cases[f"micro/allreduce bytes={bytes_} ranks={ranks}"] = {"metric": "latency", "unit": "s", "scale": 1e-9,
                                                                         "samples": samples}
            lines.append(json.dumps({"run": f"on{ranks}", "cases": cases}))
        cls.text = "\n".join(lines) + "\n"

    def rows(self):
        source = self.path("rows.jsonl")
        with open(source, "w", encoding="utf-8") as file:
            file.write(self.text)
        folder = self.path("rows")
        self.expect(run("import", source, "-o", folder), 0)
        return folder

    def test_lines_and_numbers_are_those_of_predict(self):
        rows, page = self.rows(), self.path("page.html")
        self.expect(run("predict", "--from", rows, *PREDICT, "-o", page), 0, "wrote")
        with open(page, encoding="utf-8") as file:
            tags = Tags(file.read())
        done = run("predict", "--from", rows, *PREDICT, "-a", "ranks=4096", "--format", "json")
        self.expect(done, 0)
        cells = " ".join(tags.of("td"))
        for line in json.loads(done.stdout):
            self.assertTrue(line["fits"])
            # Four significant digits in the table of numbers: 12 rounds.
            self.assertAlmostEqual(line["seconds"] / (12 * (10e-6 + line["bytes"] * 1e-9)), 1, 3)
            self.assertIn(f"{line['seconds'] * 1e6:.1f} us", cells)
        shares = [float(one.removesuffix(" %")) for one in tags.of("td") if re.fullmatch(r"\d+ %", one)]
        self.assertEqual(shares, [round(100 * 10_000 / (10_000 + bytes_)) for bytes_ in (1024, 65536)])
        self.assertIn("recursive doubling", cells)
        self.assertIn("16 of 4096", cells)

    def test_it_replaces_pages_only(self):
        rows, page = self.rows(), self.path("page.html")
        self.expect(run("predict", "--from", rows, *PREDICT, "-a", "ranks=32", "-o", page), 0)
        self.expect(run("predict", "--from", rows, *PREDICT, "-o", page), 2, "--force to replace that page")
        self.expect(run("predict", "--from", rows, *PREDICT, "-o", page, "--force"), 0)
        other = self.path("rows.jsonl")
        self.expect(run("predict", "--from", rows, *PREDICT, "-o", other, "--force"), 2, "is not a Scalemark page")
        self.expect(run("predict", "--from", rows, *PREDICT, "-o", self.path("b.html"), "--format", "json"), 2, "give one of them")
        self.expect(run("predict", "--from", rows, *PREDICT), 2, "ranks=... is missing")


if __name__ == "__main__":
    unittest.main()
