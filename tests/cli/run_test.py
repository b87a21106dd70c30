# SPDX-License-Identifier: Apache-2.0
"""Real runs: the quick training, plans, files, what they print."""
import json
import os
import re
import subprocess
import unittest

from harness import ALL, ProgramTest, rows, run


class QuickTraining(ProgramTest):
    """The training of the quick preset with a third of its images. cli.docs runs all of it, on two ranks."""

    def test_four_ranks_on_fewer_cores(self):
        out = self.path("train.h5")
        self.expect(run("run", "imaging/train", "--preset", "quick", "-a", "threads=1", "-a", "images=2000", "-a", "test_images=200",
                        "-o", out, ranks=4, timeout=280, program=ALL), 0)
        (key, row), = rows(out).items()
        self.assertIn("ranks=4 ", key)
        self.assertEqual(row["status"], "ok", "identical parameters on all ranks are part of it")
        self.assertLess(row["metrics"]["loss"]["median"], row["metrics"]["first_loss"]["median"])


class Formats(ProgramTest):
    def test_nccl_and_osu_are_printed_as_show_prints_them(self):
        for form, options in (("nccl", []), ("osu", ["-vv"])):
            out = self.path(f"{form}.h5")
            done = run("run", "micro/all(reduce|gather)$", "-a", "backend=mpi", "-a", "memory=host", "-a", "bytes=8,64", "-n", "20",
                       "--format", form, *options, "--quiet", "-o", out, ranks=2)
            self.expect(done, 0)
            self.assertEqual(done.stdout, run("show", out, "--format", form, *options).stdout)
            # allgather of one rank and of two, allreduce of two.
            self.assertEqual(len([line for line in done.stdout.splitlines() if re.match(r" *\d", line)]), 6, done.stdout)
            shown = rows(out)
            self.expect(run("import", self.text(done.stdout), "-o", self.path("again.h5"), "--force"), 0)
            self.assertEqual(set(rows(self.path("again.h5"))), set(shown))

    def text(self, content):
        with open(self.path("printed.txt"), "w", encoding="utf-8") as file:
            file.write(content)
        return self.path("printed.txt")


class CaseList(ProgramTest):
    def plan(self, ranks):
        done = run("run", "--preset", "quick", "--dry-run", "-a", "threads=1", ranks=ranks, program=ALL)
        self.expect(done, 0)
        return done.stdout.splitlines()[:-1]

    def test_dry_run_prints_one_case_a_line_and_writes_nothing(self):
        self.assertGreater(len(self.plan(2)), 10)
        self.assertEqual(os.listdir(self.folder), [])

    def test_dry_run_says_what_a_step_of_a_rank_needs(self):
        peak = self.path("peak.toml")
        with open(peak, "w", encoding="ascii") as file:
            file.write("[cpu_core.flops]\nfp32 = 1e9\n")
        done = run("run", "llm/finetune", "-a", "parallel=ddp", "-a", "sequence=128", "-a", "device=cpu", "-a", "threads=2",
                   "--dry-run", "--peak", peak, ranks=2, program=ALL)
        self.expect(done, 0)
        found = re.search(r"\[[\d.]+ MiB a rank, rows of 128 tokens, loads 4 KiB, reduces [\d.]+ [KM]iB, computes ([\d.]+) GFLOP, "
                          r"at least ([\d.]+) s \(--peak, 2 cores\)\]", done.stdout)
        self.assertIsNotNone(found, done.stdout)
        self.assertAlmostEqual(float(found[1]) / 2, float(found[2]), delta=0.01 * float(found[2]))

    def test_four_ranks_sweep_allgather(self):
        keys = [line for line in self.plan(4) if line.startswith("micro/allgather")]
        counts = {int(re.search(r"ranks=(\d+)", key)[1]) for key in keys}
        self.assertEqual(counts, {1, 2, 4})


class ResultFile(ProgramTest):
    def setUp(self):
        super().setUp()
        self.out = self.path("out.h5")
        self.arguments = ["run", "micro/allreduce", "-a", "backend=mpi", "-a", "memory=host", "-b", "8", "-e", "64", "-f",
                          "2", "-n", "7", "-o", self.out]

    def test_what_is_in_it(self):
        self.expect(run(*self.arguments, ranks=2), 0)
        for check in (self.check_samples, self.check_what_was_seen_beside_them, self.check_formats, self.check_compare_of_nothing):
            with self.subTest(check.__name__):
                check()

    def check_samples(self):
        """Of every rank and iteration."""
        listing = subprocess.run(["h5dump", "-H", self.out], capture_output=True, text=True, check=True).stdout
        self.assertEqual(len(re.findall(r"\( 2, 7 \)", listing)) > 0, True, listing[:2000])
        self.assertEqual(len(rows(self.out)), 4)

    def check_what_was_seen_beside_them(self):
        def contents(path):
            return subprocess.run(["h5dump", "-n", "1", path], capture_output=True, text=True, check=True).stdout
        whole = contents(self.out)
        for name in ("/telemetry/node/000000/t", "/telemetry/node/000003/free_memory",
                     "/topology/nodes/kind1/hwloc_xml", "/env/raw/libraries"):
            self.assertRegex(whole, name + r"\b")
        self.assertRegex(whole, r"/env/(common|differs)/end\.load_average\b")
        off = self.path("off.h5")
        self.expect(run(*self.arguments[:-1], off, "--telemetry", "off", ranks=2), 0)
        self.assertNotIn("telemetry", contents(off))

    def test_budget_skips_the_rest_with_the_reason(self):
        self.expect(run(*self.arguments, "--budget", "0s", ranks=2), 4)
        self.assertTrue(all("budget" in row["reason"] for row in rows(self.out).values()))

    def test_fraction_of_a_given_peak_and_a_reason_without(self):
        peak = self.path("peak.toml")
        with open(peak, "w") as file:
            file.write("[cpu_core.flops]\nfp32 = 5e9\n")
        def measured(name, *more):
            out = self.path(name)
            self.expect(run("run", "imaging/train", "-a", "image=32", "-a", "batch=16", "-a", "images=64", "-a", "test_images=8",
                            "-a", "threads=2", "-a", "strategy=data_parallel_persistent", "-a", "replicas=2", *more, "-o", out, program=ALL), 0)
            (row,) = rows(out).values()
            return row
        row = measured("with.h5", "--peak", peak)
        self.assertEqual(row["facts"]["peak_flops"], 2 * 2 * 5e9, "two replicas with two threads each")
        self.assertEqual(row["facts"]["peak_source"], "--peak, 2 cores")
        flops, part = (row["metrics"][name]["median"] for name in ("achieved_flops", "peak_fraction"))
        self.assertAlmostEqual(part, flops / 2e10, delta=1e-9 * part)
        without = measured("without.h5")
        self.assertNotEqual("peak_fraction" in without["metrics"], "peak_missing" in without["facts"], "a CPU that is known, or why")

    def test_redacted_file_names_nobody(self):
        self.expect(run(*self.arguments, "--redact", ranks=2), 0)
        data = self.content(self.out)
        host = os.uname().nodename.encode()
        for secret in {host, os.path.dirname(self.out).encode(), os.environ.get("HOME", "/root").encode() + b"/"}:
            if len(secret) > 3:
                self.assertNotIn(secret, data, secret)

    def check_formats(self):
        table = run("show", self.out)
        self.expect(table, 0)
        self.assertIn("allreduce", table.stdout)
        for line in run("show", self.out, "--format", "jsonl").stdout.splitlines():
            row = json.loads(line)
            self.assertLessEqual({"key", "name", "status", "reason", "params", "metrics"}, set(row))
            self.assertLessEqual({"median", "low", "high", "unit", "better", "n"}, set(row["metrics"]["latency"]))
        self.assertEqual(len(run("show", self.out, "--format", "csv").stdout.splitlines()[0].split(",")) > 5, True)

    def test_compare_of_two_sides(self):
        for name in ["a1", "a2", "b1", "b2"]:
            self.arguments[-1] = self.path(f"{name}.h5")
            self.expect(run(*self.arguments, ranks=2), 0)
        done = run("compare", self.path("a1.h5"), self.path("a2.h5"), "--against", self.path("b1.h5"), self.path("b2.h5"),
                   "--format", "json")
        report = json.loads(done.stdout)
        self.assertEqual((report["format"], report["version"]), ("scalemark-compare", 1))
        self.assertEqual(len(report["rows"]), 4)
        self.assertIn(done.returncode, (0, 1))
        same = run("compare", self.path("a1.h5"), "--against", self.path("a1.h5"))
        self.assertNotEqual(same.returncode, 0, "a run compared with itself shows nothing and is refused")

    def check_compare_of_nothing(self):
        other = self.path("other.h5")
        self.expect(run("run", "micro/allgather", "-a", "backend=mpi", "-a", "memory=host", "-a", "bytes=8", "-n", "3", "-o",
                        other, ranks=2), 0)
        self.assertEqual(run("compare", self.out, "--against", other, "--fail-on", "regression").returncode, 4)


if __name__ == "__main__":
    unittest.main()
