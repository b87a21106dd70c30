# SPDX-License-Identifier: Apache-2.0
"""scalemark-kernels: every kernel once, its result file and its JSON: kernels_test.py FAULTY_KERNELS."""
import json
import os
import pathlib
import sys
import tempfile
import unittest

import h5py

from harness import KERNELS, ProgramTest, rows, run

FAULTY_KERNELS = sys.argv.pop(1)  # faulty_kernels.cpp
WITHOUT_LIBTORCH = {"memcpy", "fill", "copy", "scale", "add", "triad", "file_read", "pack_vector", "unpack_vector",
                    "pack_face", "unpack_face", "serialise_case", "store_case", "tokenizer", "upsample"}
WITH_LIBTORCH = {"gemm", "conv2d", "to_layout", "pack_gradients", "lora_step"}
SHORT = "--benchmark_min_time=0.0001"


def key_of(name):
    """memcpy/bytes:4096/real_time -> its key in a result file."""
    kernel, *parts = name.removesuffix("/real_time").split("/")
    axes = dict(part.split(":") for part in parts) | {"ranks": "1", "threads": "1"}
    return " ".join([f"kernels/{kernel}", *(f"{axis}={value}" for axis, value in sorted(axes.items()))])


class EveryKernel(ProgramTest):
    """One run of all of them, three repetitions each, as Google Benchmark's JSON and as a result file."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="scalemark-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.file, cls.json = os.path.join(folder.name, "k.h5"), os.path.join(folder.name, "k.json")
        cls.temporary = os.path.join(folder.name, "tmp")
        os.mkdir(cls.temporary)
        cls.done = run("-o", cls.file, SHORT, "--benchmark_repetitions=3", "--benchmark_format=json", program=KERNELS,
                       timeout=300, env={"TMPDIR": cls.temporary})
        pathlib.Path(cls.json).write_text(cls.done.stdout, encoding="utf-8")

    def setUp(self):
        super().setUp()
        self.expect(self.done, 0)
        self.found = rows(self.file)

    def test_each_of_the_list_has_a_case_in_order(self):
        listed = run("--benchmark_list_tests", program=KERNELS).stdout.split()
        self.assertEqual(list(self.found), [key_of(name) for name in listed])
        families = {name.split("/")[0] for name in listed}
        wanted = WITHOUT_LIBTORCH | (WITH_LIBTORCH if os.environ["HAVE_LIBTORCH"] == "ON" else set())
        self.assertEqual(families, wanted)

    def test_keys_of_older_files_stay(self):
        for key in ("kernels/memcpy bytes=4096 ranks=1 threads=1", "kernels/triad bytes=67108864 ranks=1 threads=1"):
            self.assertIn(key, self.found)
        if os.environ["HAVE_LIBTORCH"] == "ON":
            self.assertIn("kernels/gemm device=cpu n=128 ranks=1 threads=1", self.found)
            self.assertIn("kernels/gemm device=cpu n=128 precision=bf16 ranks=1 threads=1", self.found)

    def test_numbers_are_numbers_and_texts_texts(self):
        params = self.found["kernels/upsample image=100 layout=nhwc ranks=1 threads=1"]["params"]
        self.assertEqual(params, {"image": 100, "layout": "nhwc", "ranks": 1, "threads": 1})

    def test_data_are_right_and_rates_follow_from_times(self):
        for key, row in self.found.items():
            with self.subTest(key):
                self.assertEqual((row["status"], row["primary"]), ("ok", "time"), row)
                rates = [row["metrics"][name] for name in ("bandwidth", "achieved_flops", "item_rate") if name in row["metrics"]]
                self.assertTrue(rates)
                self.assertEqual(row["metrics"]["time"]["n"], 3)
                for rate in rates:
                    self.assertGreater(rate["median"], 0)

    def test_h5py_reads_what_was_checked(self):
        with h5py.File(self.file, "r") as file:
            self.assertEqual(len(file["cases"]), len(self.found))
            for case in file["cases"].values():
                with self.subTest(case.attrs["key"]):
                    self.assertEqual((case.attrs["verified"], case.attrs["wrong"]), (1, 0))
                    self.assertGreater(case.attrs["checked"], 0)
                    self.assertTrue(case.attrs["rule"])
                    time = case["metrics/time"]
                    self.assertEqual(time["samples"].shape, (1, 3))
                    self.assertTrue((time["samples"][:] > 0).all())
                    for name in ("bandwidth", "achieved_flops", "item_rate"):
                        if name in case["metrics"]:
                            self.assertGreater(case["metrics"][name].attrs["numerator"], 0)
                    self.assertIn("peak_missing", case["facts"].attrs)

    def test_the_json_imports_with_the_same_medians(self):
        self.expect(run("import", self.json, "-o", self.path("i.h5")), 0)
        imported = rows(self.path("i.h5"))
        self.assertEqual(list(imported), list(self.found))
        for key, row in imported.items():
            mine = self.found[key]["metrics"]
            for theirs, own in (("time", "time"), ("bandwidth", "bandwidth"), ("item_rate", "item_rate"),
                                ("flops", "achieved_flops")):
                with self.subTest(key, metric=own):
                    self.assertEqual(theirs in row["metrics"], own in mine)
                    if own in mine:
                        # Ours are whole nanoseconds of all iterations together.
                        got, want = row["metrics"][theirs]["median"], mine[own]["median"]
                        self.assertAlmostEqual(got / want, 1, delta=2e-3)

    def test_the_names_of_an_export_are_the_ones_that_ran(self):
        exported = json.loads(run("export", self.file, "--to", "google-benchmark", "--repetitions").stdout)["benchmarks"]
        exported = [one for one in exported if one["run_type"] == "iteration"]
        ran = [one for one in json.loads(self.done.stdout)["benchmarks"] if one["run_type"] == "iteration"]
        self.assertEqual([one["name"] + "/real_time" for one in exported], [one["name"] for one in ran])

    def test_nothing_is_left_behind(self):
        self.assertEqual(os.listdir(self.temporary), [])


class Misbehaving(ProgramTest):
    def test_wrong_data_fail_the_case_and_the_program(self):
        out = self.path("k.h5")
        done = run("-o", out, SHORT, "--benchmark_filter=wrong|good", program=FAULTY_KERNELS)
        self.assertEqual(done.returncode, 6, done.stderr)
        found = rows(out)
        bad = found["kernels/wrong bytes=800 layout=odd ranks=1 threads=1"]
        self.assertEqual((bad["status"], bad["reason"]), ("failed", "wrong data: 3 of 100 elements (every element)"))
        with h5py.File(out, "r") as file:
            self.assertGreater(file["cases/000000"].attrs["wrong"], 0)
        self.assertEqual(found["kernels/good ranks=1 threads=1"]["status"], "ok")

    def test_what_is_missing_is_skipped_and_what_breaks_fails(self):
        out = self.path("k.h5")
        self.assertEqual(run("-o", out, SHORT, "--benchmark_filter=good|missing", program=FAULTY_KERNELS).returncode, 0)
        row = rows(out)["kernels/missing ranks=1 threads=1"]
        self.assertEqual((row["status"], row["reason"]), ("skipped", "no such unit here"))
        done = run("-o", out, "--force", SHORT, "--benchmark_filter=good|broken", program=FAULTY_KERNELS)
        self.assertEqual(done.returncode, 3)
        row = rows(out)["kernels/broken ranks=1 threads=1"]
        self.assertEqual((row["status"], row["reason"]), ("failed", "it fell over"))


class Options(ProgramTest):
    def test_result_file_has_the_same_schema(self):
        out = self.path("k.h5")
        done = run("-o", out, "--benchmark_filter=memcpy/bytes:4096", "--benchmark_repetitions=3",
                   "--benchmark_min_time=0.01", program=KERNELS)
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = json.loads(run("show", out, "--format", "json").stdout)
        self.assertEqual([row["key"] for row in shown], ["kernels/memcpy bytes=4096 ranks=1 threads=1"])
        metrics = shown[0]["metrics"]
        self.assertEqual(metrics["time"]["n"], 3)
        self.assertAlmostEqual(metrics["bandwidth"]["median"] * metrics["time"]["median"], 4096, delta=4096 * 0.02)

    def test_an_output_that_cannot_be_is_told_before_measuring(self):
        done = run("-o", self.path("no/such/k.h5"), "--benchmark_filter=memcpy/bytes:4096", program=KERNELS)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotIn("memcpy", done.stdout)

    def test_unknown_flag(self):
        self.assertEqual(run("--benchmark_filtre=x", program=KERNELS).returncode, 2)

    def test_a_filter_takes_texts(self):
        done = run("--benchmark_list_tests", "--benchmark_filter=^upsample/.*layout:nhwc", program=KERNELS)
        self.expect(done, 0)
        self.assertEqual(len(done.stdout.split()), 5)
        self.assertEqual(run("--benchmark_filter=no_such", program=KERNELS).returncode, 4)


if __name__ == "__main__":
    unittest.main()
