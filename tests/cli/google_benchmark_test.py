# SPDX-License-Identifier: Apache-2.0
"""`import` and `export` of the JSON of Google Benchmark."""
import csv
import io
import json
import math
import pathlib
import statistics
import unittest

from harness import KERNELS, rows, run
from converting import RESULTS, Exporting, Importing


class GoogleBenchmark(Importing):
    def test_the_kernels_own_json_gives_what_their_result_file_has(self):
        done = run("--benchmark_filter=memcpy/bytes:4096", "--benchmark_repetitions=3", "--benchmark_min_time=0.01",
                   f"--benchmark_out={self.path('k.json')}", "--benchmark_out_format=json", "-o", self.path("k.h5"),
                   program=KERNELS)
        self.expect(done, 0)
        found, own = self.take(self.path("k.json")), rows(self.path("k.h5"))
        self.assertEqual(sorted(found), sorted(own))
        self.assertTrue(found)
        document = json.loads(pathlib.Path(self.path("k.json")).read_text())
        for key, row in found.items():
            mine = row["metrics"]
            self.assertEqual((mine["time"]["n"], row["primary"]), (3, "time"))
            self.assertAlmostEqual(mine["time"]["median"], own[key]["metrics"]["time"]["median"], delta=1e-3 * mine["time"]["median"])
        medians = [one["real_time"] * 1e-9 for one in document["benchmarks"] if one.get("aggregate_name") == "median"]
        self.assertEqual(len(medians), len(found))
        for want, got in zip(sorted(medians), sorted(row["metrics"]["time"]["median"] for row in found.values())):
            self.assertAlmostEqual(want, got, delta=2e-15)

    def test_names_counters_and_failures(self):
        row = {"name": "BM_sort<int>/1024/mode:2/threads:4", "run_type": "iteration", "repetitions": 1, "threads": 4,
               "iterations": 10, "real_time": 1.5, "cpu_time": 1.25, "time_unit": "ms", "misses": 3.5,
               "items_per_second": 2e6, "note": "text"}
        bad = {"name": "BM_gone", "run_type": "iteration", "error_occurred": True, "error_message": "no file", "iterations": 0,
               "real_time": 0, "cpu_time": 0, "time_unit": "ns", "threads": 1}
        path = self.write(json.dumps({"context": {"library_version": "v1.9"}, "benchmarks": [row, bad]}))
        found = self.take(path, said=('"note" is not known',))
        got = found["kernels/BM_sort<int> arg0=1024 mode=2 ranks=1 threads=4"]
        for metric, want in (("time", 1.5e-3), ("cpu_time", 1.25e-3), ("misses", 3.5), ("item_rate", 2e6)):
            self.assertAlmostEqual(self.value(got, metric), want, delta=1e-12 * want)
        gone = found["kernels/BM_gone ranks=1 threads=1"]
        self.assertEqual((gone["status"], gone["reason"]), ("failed", "no file"))
        for change in ({"time_unit": "h"}, {"real_time": -1}, {"real_time": 1e9, "time_unit": "s"}, {"threads": -1}):
            path = self.write(json.dumps({"context": {}, "benchmarks": [{**row, **change}]}))
            self.take(path, code=3, said=("benchmarks[0]",))


class Printed(Exporting):
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


if __name__ == "__main__":
    unittest.main()
