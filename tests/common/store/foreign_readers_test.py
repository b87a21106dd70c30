# SPDX-License-Identifier: Apache-2.0
"""Reads a result file without our code: with h5py and with h5dump. The values are those of
example.hpp and write_example.cpp.

    foreign_readers_test.py WRITE_EXAMPLE
"""
import os
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy

WRITE_EXAMPLE = sys.argv.pop(1)


def text(value):
    return bytes(value).decode()


class ForeignReaders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="scalemark-test-")
        cls.path = os.path.join(cls.folder.name, "example.h5")
        subprocess.run([WRITE_EXAMPLE, cls.path], check=True)
        cls.file = h5py.File(cls.path, "r")

    @classmethod
    def tearDownClass(cls):
        cls.file.close()
        cls.folder.cleanup()

    def attributes(self, group):
        return {name: text(value) if isinstance(value, bytes) else value
                for name, value in self.file[group].attrs.items()}

    def test_root(self):
        root = self.attributes("/")
        self.assertEqual(root["format"], "scalemark-result")
        self.assertEqual(root["format_version"], "1.1")
        self.assertEqual(root["run_uuid"], "11111111-2222-3333-4444-555555555555")
        self.assertEqual((root["complete"], root["planned_cases"]), (1, 3))
        self.assertEqual(root["producer.git_revision"], "abc")

    def test_the_file_describes_itself(self):
        schema = text(self.file["schema"][()])
        self.assertIn("/cases/<nnnnnn>/metrics/<metric>/samples [rank, iteration]\n", schema)

    def test_run(self):
        self.assertEqual(text(self.file["run/command_line"][()]), "scalemark run --output x.h5")
        self.assertEqual(text(self.file["run/config"][()]), "line 1\n\tline 2\n")
        self.assertEqual(self.file["run"].attrs["seed"], 2**64 - 1)
        self.assertEqual(text(self.file["run"].attrs["tag.purpose"]), "test of \u00e9")
        planned = [text(key) for key in self.file["run/planned"]]
        self.assertEqual(planned[1], "test/example backend=mpi bytes=16 ranks=2")

    def test_environment_and_ranks(self):
        self.assertEqual(text(self.file["env/common"].attrs["kernel"]), "6.1")
        self.assertEqual(text(self.file["env/differs/cpu MHz"].attrs["n1"]), "2100")
        self.assertEqual(len(text(self.file["env/raw/hwloc"][0])), 100_007)
        ranks = self.file["topology/ranks"]
        self.assertEqual([text(node) for node in ranks["node"]], ["n0", "n1"])
        self.assertEqual(list(ranks["numa"]), [0, -1])

    def test_cases_and_parameters(self):
        self.assertEqual(sorted(self.file["cases"]), ["000000", "000001", "000002"])
        case = self.attributes("cases/000001")
        self.assertEqual((case["name"], case["status"], case["index"]), ("test/example", "ok", 1))
        self.assertEqual(self.attributes("cases/000001/params"), {"backend": "mpi", "bytes": 16, "ranks": 2})
        facts = self.attributes("cases/000000/facts")
        self.assertEqual(facts, {"images_seen": 100, "loss": 0.25, "real": "true"})
        skipped = self.attributes("cases/000002")
        self.assertEqual((skipped["status"], skipped["reason"]), ("skipped", "built without CUDA"))

    def test_samples(self):
        metric = self.file["cases/000000/metrics/latency"]
        samples = metric["samples"]
        self.assertEqual(samples.dtype, numpy.uint64)
        numpy.testing.assert_array_equal(
            samples[()], numpy.array([[9000, 1000, 2000, 3000, 2**64 - 1], [8000, 1100, 2100, 2900, 0]], dtype="u8"))
        self.assertEqual([label.label for label in samples.dims], ["rank", "iteration"])
        self.assertEqual((samples.compression, samples.compression_opts), ("gzip", 4))
        self.assertTrue(samples.shuffle)
        self.assertTrue(samples.fletcher32)
        self.assertIsNotNone(samples.chunks)
        self.assertEqual(list(metric["warmup_mask"]), [1, 0, 0, 0, 0])
        self.assertEqual(list(metric["flags"]), [0, 0, 5, 0, 8])
        self.assertEqual((metric.attrs["scale"], metric.attrs["inner"], text(metric.attrs["unit"])), (1e-9, 4, "s"))

    def test_values_follow_the_rule_of_the_schema(self):
        metrics = self.file["cases/000000/metrics"]
        latency, bandwidth, accuracy = metrics["latency"], metrics["bandwidth"], metrics["accuracy"]
        value = latency["samples"][()].astype("f8") * latency.attrs["scale"] / latency.attrs["inner"]
        reduced = value.max(axis=0)[latency["warmup_mask"][()] == 0]
        self.assertAlmostEqual(latency["derived"].attrs["median"], numpy.median(reduced), delta=1e-18)
        self.assertNotIn("samples", bandwidth)
        self.assertEqual(text(bandwidth.attrs["source"]), "latency")
        self.assertAlmostEqual(bandwidth["derived"].attrs["median"], bandwidth.attrs["numerator"] / numpy.median(reduced), delta=1)
        self.assertEqual(accuracy["samples"].dtype, numpy.float64)
        self.assertEqual(accuracy["derived"].attrs["median"], 1 / 3)

    def test_no_object_is_a_link_to_elsewhere(self):
        def check(group):
            for name in group:
                self.assertIsInstance(group.get(name, getlink=True), h5py.HardLink)
                if isinstance(group[name], h5py.Group):
                    check(group[name])
        check(self.file)

    def test_h5dump(self):
        dump = subprocess.run(["h5dump", "-d", "/cases/000000/metrics/latency/samples", self.path], check=True,
                              capture_output=True, text=True).stdout
        self.assertIn("(0,0): 9000, 1000, 2000, 3000, 18446744073709551615", dump)
        self.assertIn("(1,0): 8000, 1100, 2100, 2900, 0", dump)
        key = subprocess.run(["h5dump", "-a", "/cases/000002/key", self.path], check=True, capture_output=True,
                             text=True).stdout
        self.assertIn("test/example backend=mpi bytes=32 ranks=2", key)
        whole = subprocess.run(["h5dump", self.path], capture_output=True, text=True, check=False)
        self.assertEqual((whole.returncode, whole.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
