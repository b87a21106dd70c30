# SPDX-License-Identifier: Apache-2.0
"""The reader for Python (packaging/python) against the program, on every committed file."""
import json
import math
import sys
import unittest
from pathlib import Path

import h5py
import numpy

from harness import ProgramTest, run

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "packaging" / "python"))
import scalemark  # noqa: E402

COMMITTED = sorted((ROOT / "results").rglob("*.h5"))
TRAINING = ROOT / "results" / "cpu-2core" / "finetune-110m.h5"


def equal(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, float) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-12)
    return type(one) is type(other) and one == other


class Reader(ProgramTest):
    def test_every_number_is_that_of_show(self):
        self.assertGreater(len(COMMITTED), 40)
        for path in COMMITTED:
            done = run("show", path, "--format", "json")
            self.expect(done, 0)
            shown = json.loads(done.stdout)
            with scalemark.open(path) as read:
                self.assertEqual(list(read), [case["key"] for case in shown])
                for one, other in zip(read.values(), shown):
                    found = one.to_dict()
                    self.assertTrue(equal(found, {key: other[key] for key in found}), f"{path}: {found} {other}")

    def test_a_frame_has_the_medians(self):
        with scalemark.open(TRAINING) as read:
            frame = read.to_pandas()
            self.assertEqual(list(frame.index), list(read))
            for key, case in read.items():
                self.assertEqual(frame.loc[key, "step_time"], case.metrics["step_time"].median)
                self.assertEqual(frame.loc[key, "ranks"], case.params["ranks"])

    def test_a_dataset_has_all_samples(self):
        with scalemark.open(TRAINING) as read, h5py.File(TRAINING) as file:
            for case, group in zip(read.values(), file["cases"].values()):
                data = case.to_xarray()
                stored = group["metrics/step_time"]
                wanted = stored["samples"][()] * stored.attrs["scale"] / stored.attrs["inner"]
                numpy.testing.assert_allclose(data["step_time"].to_numpy(), wanted, rtol=1e-15)
                self.assertEqual(data["step_time"].attrs["units"], "s")
                self.assertEqual(data.attrs["ranks"], case.params["ranks"])
                self.assertEqual(data.sizes["rank"], wanted.shape[0])

    def test_warm_up_does_not_count(self):
        with scalemark.open(TRAINING) as read:
            metric = next(iter(read.values())).metrics["step_time"]
            self.assertGreater(metric.warmup.sum(), 0)
            self.assertEqual(len(metric.per_iteration), metric.values.shape[1] - metric.warmup.sum())
            slowest = metric.values.max(axis=0)[~metric.warmup]
            self.assertTrue(math.isclose(metric.median, numpy.median(slowest)))

    def test_other_files_are_refused(self):
        with h5py.File(self.path("other.h5"), "w") as file:
            file.attrs["format"] = "another"
        with self.assertRaisesRegex(ValueError, "no result file of Scalemark"):
            scalemark.open(self.path("other.h5"))


if __name__ == "__main__":
    unittest.main()
