# SPDX-License-Identifier: Apache-2.0
"""Pages of results, looked at by a real browser."""
import json
import os
import re
import subprocess
import sys
import unittest

from browser import Browser
from harness import ALL, ProgramTest, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESULTS = os.path.join(ROOT, "results", "cpu-2core")
H200 = os.path.join(ROOT, "results", "h200")
RUNS = [os.path.join(RESULTS, f"run-{number}.h5") for number in (1, 2, 3)]
MOST_BYTES = 2_000_000
WRITE_CLUSTER = sys.argv.pop(1)  # tests/common/html/write_cluster.cpp

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


# Numbers of a forest plot's axis that cover each other, and parts of it outside of their plot.
CROWDED = """[...document.querySelectorAll('.fx .fp')].flatMap(axis => {
    const boxes = [...axis.querySelectorAll('.ft')].map(t => t.getBoundingClientRect());
    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b => a.left < b.right - 1 && b.left < a.right - 1))}).length"""
OFF_AXIS = """[...document.querySelectorAll('.fp i, .bp i')].filter(i => {
    const a = i.getBoundingClientRect(), b = i.parentElement.getBoundingClientRect();
    return a.left < b.left - 13 || a.right > b.right + 13}).length"""
# Parts of the first screen: its tiles, its machine card and their texts that are wider than their place.
CUT = """[...document.querySelectorAll('.tiles li, .tiles li *, .card td, .verdict')].filter(e =>
    e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display != 'inline').length"""


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

    def report(self, *arguments, **options):
        path = self.path("page.html")
        done = run("report", *arguments, "--force", "-o", path, **options)
        self.expect(done, 0, "wrote ")
        return path

    @staticmethod
    def text(path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def look(self, path):
        """What holds for every page."""
        self.assertLess(os.path.getsize(path), MOST_BYTES)
        for width, dark in ((1280, False), (390, False), (360, False), (1280, True), (390, True)):
            with self.subTest(width=width, dark=dark):
                self.browser.open(path, width, dark=dark)
                self.assertEqual(self.browser.requests(), [f"file://{path}"])
                self.assertEqual(self.browser.complaints(), [])
                self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
                for check in (OUTSIDE, EMPTY_DRAWINGS, SMALL, UNNAMED, CROWDED, OFF_AXIS, CUT):
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

    def test_what_a_step_consists_of(self):
        h100 = os.path.join(ROOT, "results", "h100")
        measured = [os.path.join(h100, "explain-lora.h5"), os.path.join(h100, "explain-lora-rows")]
        path = self.report(*measured, program=ALL)
        self.look(path)
        if os.environ["HAVE_LIBTORCH"] != "ON":  # that program has no trainings
            return self.assertNotIn('id="steps"', self.text(path))
        steps = self.browser.evaluate("[...document.querySelectorAll('#steps .bg')].map(g => g.textContent)")
        self.assertEqual(len(steps), 1)
        self.assertRegex(steps[0], r"^llm/finetune .*method=lora.*: 435\.8 ms Rows are missing, so that nothing is said of what bounds")
        self.assertRegex(steps[0], r"products\s*307\.1 ms, 70\.5 %, 16 rows missing")
        self.assertRegex(steps[0], r"normalisations\s*rows are missing")
        self.assertRegex(steps[0], r"sums of gradients\s*1\.913 ms, 0\.4 %, 4 rows missing")
        # Rows of another machine explain nothing, and a training without rows is not drawn.
        self.assertNotIn('id="steps"', self.text(self.report(*measured, RUNS[0], program=ALL)))
        mobilenet = os.path.join(H200, "explain-mobilenet.h5")
        self.assertNotIn('id="steps"', self.text(self.report(mobilenet, os.path.join(H200, "explain-8b-rows"), program=ALL)))

        rows = os.path.join(H200, "explain-mobilenet-rows.h5")
        path = self.report(mobilenet, rows, "--base", os.path.join(H200, "train-nchw.h5"), program=ALL)
        self.look(path)
        steps = self.browser.evaluate("[...document.querySelectorAll('#steps .bg')].map(g => g.textContent)")
        self.assertEqual(len(steps), 2)
        self.assertRegex(steps[0], r"(?s)Rows are missing.*exposed launch time\s*2\.886 ms, 31\.5 %.*classifier\s*rows are missing")

    def test_scaling_is_of_the_kind_that_was_measured(self):
        path = self.report(os.path.join(RESULTS, "finetune-110m.h5"))
        self.browser.open(path)
        text = self.browser.evaluate("document.querySelector('#scaling').textContent")
        self.assertIn("perfect weak scaling", text)
        self.assertIn("the work grows in proportion to the workers, from 100 to 200", text)
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
        self.assertIn("REGRESSION", text[:text.index("Machine")])
        self.assertIn("gpu_driver", self.browser.evaluate("document.querySelector('#comparable').innerText"))
        # 20 % slower above 1 MiB, and nothing below.
        worst = self.browser.evaluate("[...document.querySelectorAll('#worst td[data-h=case]')].map(e => e.textContent)")
        self.assertEqual(len(worst), 5)
        for key in worst:
            self.assertRegex(key, r" ([2-9]|\d\d+) MiB ")
        # Rank 11 computes 9 % longer.
        self.assertIn("rank 11", self.browser.evaluate("document.querySelector('#look tbody').innerText"))
        self.assertIn("rank 11 on node2 showed no progress", self.browser.evaluate("document.querySelector('#failed').innerText"))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#places figure').length"), 2)
        published = self.browser.evaluate("document.querySelector('#published').innerText")
        for text in ("allocation study, Table 2", "2094 s", "--preset paper-imaging-precision"):
            self.assertIn(text, published)
        self.assertGreater(self.browser.evaluate("document.querySelectorAll('#curves path.t').length"), 0)  # the base
        peaks = "[...document.querySelectorAll('#curves svg text')].filter(t => t.textContent == 'peak').length"
        self.assertGreater(self.browser.evaluate(peaks), 0)

    def test_the_page_judges_as_compare_does(self):
        sides = [RUNS[0], "--against", RUNS[1]]
        options = ["--threshold", "3", "--relative-to-run", "--fwer", "--paired", "no", "--map", "bytes=drop"]
        self.expect(run("compare", *sides, *options), 2, "--map makes two cases")
        self.expect(run("report", RUNS[1], "--base", RUNS[0], *options, "-o", self.path("x.html")), 2, "--map makes two cases")
        options[-1] = "ranks=*"
        texts = {}
        for kept in (options, options[:2]):
            said = run("compare", *sides, *kept, "--fail-on", "none").stdout
            done = run("report", RUNS[1], "--base", RUNS[0], *kept, "--force", "-o", self.path("page.html"))
            self.expect(done, 0)
            page = self.content(self.path("page.html")).decode()
            for text in ("taken out of the rows below", "family-wise error rate"):
                self.assertEqual(text in said, text in page, text)
                texts.setdefault(text, set()).add(text in page)
        self.assertEqual(set(map(len, texts.values())), {2})

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
        self.expect(run("report", RUNS[0], "--force", "-o", kept), 2, "--output", "kept.h5")
        self.assertEqual(self.content(kept), b"results")

    def test_replaces_a_page_with_force_only(self):
        page = self.path("page.html")
        self.expect(run("report", RUNS[0], "-o", page), 0)
        first = self.content(page)
        for arguments in ([RUNS[1]], [RUNS[1], "--base", RUNS[0]], ["--systems", f"a={RUNS[0]}", f"b={RUNS[1]}"]):
            self.expect(run("report", *arguments, "-o", page), 2, "--output", "page.html", "--force")
            self.assertEqual(self.content(page), first)
        self.expect(run("report", RUNS[1], "--force", "-o", page), 0)
        self.assertNotEqual(self.content(page), first)

    def test_first_screen_of_runs(self):
        self.browser.open(self.report(*RUNS), 1280)
        tiles = self.browser.evaluate("[...document.querySelectorAll('.tiles li')].map(t => t.innerText)")
        self.assertEqual([tile.split("\n")[0] for tile in tiles],
                         ["LLM fine-tuning", "Image training", "Ping-pong bandwidth", "Allreduce bus bandwidth", "Convolution",
                          "Memory copy"])
        rows = {row["key"]: row for row in json.loads(run("show", RUNS[0], "--format", "json").stdout)}
        rate = next(row["metrics"]["images_per_second"]["median"] for key, row in rows.items() if key.startswith("imaging/train"))
        self.assertAlmostEqual(float(re.search(r"(\d+) image/s", tiles[1])[1]) / rate, 1, delta=0.1)
        self.assertIn("512 KiB", tiles[2])
        self.assertIn("latency", tiles[2])
        card = self.browser.evaluate("document.querySelector('.card').innerText")
        for text in ("AMD EPYC, 2 logical CPUs", "none", "23.5 GiB", "not used: one node", "Open MPI v4.1.4", "revision f838b9d0667a",
                     "2026-11-21 08:27 to 08:28 UTC", "3 runs"):
            self.assertIn(text, card)
        # All of it is above the fold; nothing that went well is announced in colour.
        self.assertLess(self.browser.evaluate("document.querySelector('.first').getBoundingClientRect().bottom"), 900)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('header .verdict').length"), 0)

    def test_first_screen_of_a_comparison(self):
        planted = os.path.join(RESULTS, "planted")
        path = self.report(os.path.join(planted, "busy"), "--base", os.path.join(planted, "quiet"))
        self.look(path)
        self.browser.open(path, 1280)
        band = self.browser.evaluate("document.querySelector('.verdict').innerText")
        for text in ("REGRESSION", "busy", "quiet", "slower", "of 8 cases"):
            self.assertIn(text, band)
        header = self.browser.evaluate("document.querySelector('header').innerText")
        self.assertNotIn("COMPLETE", header)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('header .verdict').length"), 1)
        self.assertGreaterEqual(self.browser.evaluate("document.querySelectorAll('.tiles li').length"), 4)
        # The forest plot is as wide as the page, says what its axis is, and marks what it cuts off.
        self.assertGreater(self.browser.evaluate("document.querySelector('.forest').getBoundingClientRect().width"), 1200)
        forest = self.browser.evaluate("document.querySelector('.forest').innerText")
        for text in ("cost of B against A [%]", "B slower \u2192", "\u2190 B faster", "+100", "128 MiB"):
            self.assertIn(text, forest)
        self.assertGreater(self.browser.evaluate("document.querySelectorAll('.forest .far').length"), 0)
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('.forest .fr:not(.fx):not(.fd):not(.fh)')].filter(r => !r.title).length"), 0)
        # What decides stands first on a telephone, without scrolling.
        self.browser.open(path, 390)
        self.assertLess(self.browser.evaluate("document.querySelector('#worst td[data-h=\"change %\"]').getBoundingClientRect().right"), 390)
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('#worst .wide')].filter(e => e.scrollWidth > e.clientWidth).length"), 0)

    def test_units_are_as_people_read_them(self):
        path = self.report(RESULTS)
        self.browser.open(path)
        self.assertNotRegex(self.browser.evaluate("document.body.innerText"), r"\d By\b")
        self.assertNotRegex(self.browser.evaluate("document.querySelector('#all').innerText"), r"\b(524288|67108864)\b")
        self.assertGreater(self.browser.evaluate("document.querySelectorAll('#curves path.p title').length"), 10)
        self.assertIn("NHWC is", self.browser.evaluate("document.querySelector('#layouts').innerText"))
        trainings = self.browser.evaluate("document.querySelector('#trainings').textContent")
        self.assertIn("image/s", trainings)
        self.assertIn("token/s", trainings)

    def test_brackets_are_explained(self):
        self.browser.open(self.report(*RUNS))
        self.assertIn("least and largest run", self.browser.evaluate("document.querySelector('#all thead').innerText"))
        self.browser.open(self.report(RUNS[0]))
        self.assertIn("95 % interval within the run", self.browser.evaluate("document.querySelector('#all thead').innerText"))

    def test_systems_side_by_side(self):
        planted = os.path.join(RESULTS, "planted")
        given = [f"{name}={os.path.join(planted, name)}" for name in ("quiet", "busy", "again")]
        path = self.report("--systems", *given)
        self.look(path)
        self.browser.open(path)
        text = self.browser.evaluate("document.querySelector('.verdict').innerText")
        self.assertIn("busy is slower than quiet", text)
        table = json.loads(run("compare", "--systems", *given, "--format", "json").stdout)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#all tbody tr').length"), len(table["rows"]))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#bars .bg').length"), len(table["rows"]))
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('.card thead th')].map(t => t.textContent)"),
                         ["quiet", "busy", "again"])
        data = json.loads(self.browser.evaluate("document.querySelector('#data textarea').value"))
        self.assertEqual(data["rows"], table["rows"])
        self.expect(run("report", RUNS[0], "--systems", *given, "-o", self.path("n.html")), 2, "--systems")
        self.expect(run("report", "--systems", given[0], "-o", self.path("n.html")), 2, "at least 2 systems")
        self.assertFalse(os.path.exists(self.path("n.html")))

    def test_noise_of_one_machine(self):
        planted = os.path.join(RESULTS, "planted")
        runs = [os.path.join(planted, "quiet"), os.path.join(planted, "again")]
        path = self.report(*runs, "--aa")
        self.look(path)
        self.browser.open(path)
        test = json.loads(run("compare", *runs, "--aa", "--format", "json").stdout)
        text = self.browser.evaluate("document.querySelector('header').innerText")
        self.assertIn(f"{test['false_tables']} of {test['splits']}", text)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#all tbody tr').length"), len(test["rows"]))
        self.expect(run("report", RUNS[0], "--aa", "-o", self.path("n.html")), 2, "at least 4 runs")

    def test_options_that_would_be_ignored_are_refused(self):
        for option in (["--threshold", "3"], ["--single-run-threshold", "5"], ["--fwer"], ["--relative-to-run"],
                       ["--paired", "no"], ["--map", "ranks=*"]):
            self.expect(run("report", RUNS[0], *option, "-o", self.path("n.html")), 2, option[0], "--base")
        self.expect(run("report", "-o", self.path("n.html")), 2, "FILE")


if __name__ == "__main__":
    unittest.main()
