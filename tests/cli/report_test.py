# SPDX-License-Identifier: Apache-2.0
"""Pages of results, looked at by a real browser."""
import json
import os
import re
import subprocess
import sys
import unittest

from browser import Browser
from harness import ProgramTest, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESULTS = os.path.join(ROOT, "results", "cpu-2core")
RUNS = [os.path.join(RESULTS, f"run-{number}.h5") for number in (1, 2, 3)]
MOST_BYTES = 2_000_000
WRITE_CLUSTER = sys.argv.pop(1)  # tests/common/page/write_cluster.cpp

# Elements that stick out to the right of the window, but for what scrolls by itself.
OUTSIDE = """[...document.querySelectorAll('body *')].filter(e => !e.closest('.wide') &&
    e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).length"""
EMPTY_DRAWINGS = """[...document.querySelectorAll('svg')].filter(s => {
    const box = s.getBoundingClientRect(); return !(box.width > 0 && box.height > 0)}).length"""
# Letters of drawings that are smaller than 9 pixels, outside their drawing, or on top of each other.
SMALL = """[...document.querySelectorAll('svg text')].filter(t =>
    parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getBoundingClientRect().width /
    t.ownerSVGElement.viewBox.baseVal.width < 9).length"""
CLIPPED = """[...document.querySelectorAll('svg text')].filter(t => {
    const a = t.getBoundingClientRect(), b = t.ownerSVGElement.getBoundingClientRect();
    return a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 3 || a.bottom > b.bottom + 3
    }).map(t => t.textContent)"""
OVERLAPPING = """[...document.querySelectorAll('svg')].flatMap(svg => {
    const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    return boxes.flatMap(([one, a], i) => boxes.slice(i + 1).filter(([two, b]) =>
        a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4
        ).map(([two]) => one + ' / ' + two))})"""
UNNAMED = "[...document.querySelectorAll('svg')].filter(s => !s.querySelector('title') || !s.querySelector('desc')).length"


class Pages(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def made_up(self, kind, seed):
        path = self.path(f"{kind}-{seed}.h5")
        subprocess.run([WRITE_CLUSTER, path, str(seed), kind], check=True, timeout=120)
        return path

    def report(self, *arguments):
        path = self.path("page.html")
        done = run("report", *arguments, "-o", path)
        self.expect(done, 0, "wrote ")
        return path

    def look(self, path):
        """What holds for every page."""
        self.assertLess(os.path.getsize(path), MOST_BYTES)
        for width, dark in ((1280, False), (360, False), (1280, True)):
            with self.subTest(width=width, dark=dark):
                self.browser.open(path, width, dark=dark)
                self.assertEqual(self.browser.requests(), [f"file://{path}"])
                self.assertEqual(self.browser.complaints(), [])
                self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
                for check in (OUTSIDE, EMPTY_DRAWINGS, SMALL, UNNAMED):
                    self.assertEqual(self.browser.evaluate(check), 0, check)
                self.assertEqual(self.browser.evaluate(CLIPPED), [])
                self.assertEqual(self.browser.evaluate(OVERLAPPING), [])
                color = self.browser.evaluate("getComputedStyle(document.body).backgroundColor")
                light = sum(map(int, re.findall(r"\d+", color)[:3])) > 3 * 128
                self.assertEqual(light, not dark, color)
        self.assertTrue(self.browser.pdf().startswith(b"%PDF-"))

    def test_of_committed_results(self):
        path = self.report(RESULTS)
        self.look(path)
        titles = self.browser.evaluate("[...document.querySelectorAll('h2')].map(h => h.textContent)")
        for title in ("Curves over message size", "Scaling over ranks", "Spread over iterations and runs", "Ranks and iterations",
                      "Trainings", "Where the ranks ran", "All rows", "Environment"):
            self.assertIn(title, titles)
        # Each entry of the contents leads somewhere, and each chart has its numbers.
        self.assertEqual(self.browser.evaluate(
            "[...document.querySelectorAll('nav a')].filter(a => !document.querySelector(a.hash)).length"), 0)
        self.assertGreater(self.browser.evaluate("document.querySelectorAll('figure').length"), 20)
        self.assertEqual(self.browser.evaluate(
            "[...document.querySelectorAll('#curves figure')].filter(f => !f.querySelector('details table')).length"), 0)

    def test_scaling_is_of_the_kind_that_was_measured(self):
        path = self.report(os.path.join(RESULTS, "finetune-110m.h5"))
        self.browser.open(path)
        text = self.browser.evaluate("document.querySelector('#scaling').textContent")
        self.assertIn("perfect weak scaling", text)
        self.assertIn("the work grows with the workers, from 100 to 200", text)
        self.assertIn("92.8", text)  # 402.97 / (2 x 217.05), tokens a second
        self.assertNotIn("serial fraction", text)

    def test_numbers_are_those_of_show(self):
        path = self.report(RUNS[0])
        self.browser.open(path)
        rows = {row["key"]: row for row in json.loads(run("show", RUNS[0], "--format", "json").stdout)}
        data = json.loads(self.browser.evaluate("document.querySelector('#data textarea').value"))
        self.assertEqual(len(data["rows"]), sum(row["status"] == "ok" for row in rows.values()))
        for row in data["rows"]:
            for name, metric in row["metrics"].items():
                self.assertAlmostEqual(metric["value"] / rows[row["key"]]["metrics"][name]["median"], 1, places=9)

    def test_with_a_base_begins_with_the_verdict(self):
        path = self.report(RUNS[1], RUNS[2], "--base", RUNS[0])
        self.look(path)
        compared = json.loads(run("compare", RUNS[0], "--against", RUNS[1], RUNS[2], "--format", "json").stdout)
        self.assertEqual(self.browser.evaluate("document.querySelector('.verdict b').textContent"), compared["verdict"])

    def test_of_a_cluster_names_what_is_wrong_with_it(self):
        base = [self.made_up("cluster", seed) for seed in (1, 2, 3)]
        slow = [self.made_up("slow", seed) for seed in (4, 5, 6)]
        path = self.report(*slow, "--base", *base)
        self.look(path)
        text = self.browser.evaluate("document.body.innerText")
        self.assertIn("REGRESSION", text.split("Runs on this page")[0])
        self.assertIn("gpu_driver", self.browser.evaluate("document.querySelector('#comparable').innerText"))
        # 20 % slower above 1 MiB, and nothing below.
        worst = self.browser.evaluate("[...document.querySelectorAll('#worst tbody td:nth-child(2)')].map(e => e.textContent)")
        self.assertEqual(len(worst), 5)
        for key in worst:
            self.assertGreater(int(re.search(r"bytes=(\d+)", key)[1]), 1 << 20)
        # Rank 11 computes 9 % longer.
        self.assertIn("rank 11", self.browser.evaluate("document.querySelector('#look tbody').innerText"))
        self.assertIn("rank 11 on node2 showed no sign of life", self.browser.evaluate("document.querySelector('#failed').innerText"))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#places figure').length"), 2)
        self.assertGreater(self.browser.evaluate("document.querySelectorAll('#published tbody tr').length"), 0)
        self.assertGreater(self.browser.evaluate("document.querySelectorAll('#curves path.t').length"), 0)  # the base
        peaks = "[...document.querySelectorAll('#curves svg text')].filter(t => t.textContent == 'peak').length"
        self.assertGreater(self.browser.evaluate(peaks), 0)

    def test_of_a_file_that_means_harm(self):
        path = self.report(self.made_up("hostile", 1))
        self.look(path)
        # Nothing of it became an element, and the JSON to copy is whole.
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('script, img, iframe, [onerror], [onload]').length"), 0)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('style, textarea').length"), 2)
        data = json.loads(self.browser.evaluate("document.querySelector('#data textarea').value"))
        self.assertTrue(any("<script>alert(1)</script>" in row["key"] for row in data["rows"]))

    def test_comparison_as_a_page(self):
        done = run("compare", RUNS[0], RUNS[1], "--against", RUNS[2], "--format", "html", "--fail-on", "none")
        self.expect(done, 0)
        path = self.path("compare.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(done.stdout)
        self.look(path)
        compared = json.loads(run("compare", RUNS[0], RUNS[1], "--against", RUNS[2], "--format", "json").stdout)
        self.assertEqual(self.browser.evaluate("document.querySelector('.verdict b').textContent"), compared["verdict"])
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#all tbody tr').length"), len(compared["rows"]))

    def test_of_nothing_but_parts_that_are_missing(self):
        self.expect(run("report", self.path("none.h5"), "-o", self.path("p.html")), 3, "none.h5")
        self.assertFalse(os.path.exists(self.path("p.html")))

    def test_never_takes_the_place_of_anything_but_a_page(self):
        kept = self.path("kept.h5")
        with open(kept, "wb") as file:
            file.write(b"results")
        self.expect(run("report", RUNS[0], "-o", kept), 2, "--output", "kept.h5")
        self.assertEqual(self.content(kept), b"results")
        page = self.report(RUNS[0])
        self.assertEqual(self.report(RUNS[1]), page)


if __name__ == "__main__":
    unittest.main()
