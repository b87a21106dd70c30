# SPDX-License-Identifier: Apache-2.0
"""Hostile files given to the program: one line on stderr, exit code 3, little memory, soon."""
import os
import resource
import subprocess
import sys
import tempfile
import time
import unittest

from harness import ProgramTest, run

WRITE_HOSTILE, FOREIGN_FILTER = sys.argv.pop(1), sys.argv.pop(1)


class HostileFiles(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory(prefix="scalemark-test-")
        cls.addClassCleanup(cls.files.cleanup)
        subprocess.run([WRITE_HOSTILE, cls.files.name], check=True, timeout=120)

    def file(self, name):
        return os.path.join(self.files.name, name + ".h5")

    def refused(self, done, name):
        self.expect(done, 3, name + ".h5: ")
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\A[ -~]+\n\Z")

    def test_show_refuses_all_with_one_line(self):
        names = [name[:-3] for name in sorted(os.listdir(self.files.name)) if name != "good.h5"]
        self.assertGreaterEqual(len(names), 30)
        for name in names:
            with self.subTest(name):
                begin = time.monotonic()
                self.refused(run("show", self.file(name)), name)
                self.assertLess(time.monotonic() - begin, 30)
        # Of the program and of its child, LibTorch included.
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 512 * 1024)

    def test_compare_refuses_on_either_side(self):
        for name in ["external_storage", "chunk_that_unpacks_to_100_mib", "loop_of_two_groups"]:
            self.refused(run("compare", self.file("good"), "--against", self.file(name)), name)
            self.refused(run("compare", self.file(name), "--against", self.file("good")), name)

    def test_show_under_a_launcher(self):
        done = run("show", self.file("zip_bomb_of_2_gib"), ranks=2)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.count("more data than the file holds"), 1, done.stderr)
        self.expect(run("show", self.file("good"), ranks=2), 0)

    def test_no_plugin_is_loaded(self):
        """A filter in HDF5's folder of plug-ins that leaves a trace where it is loaded, as h5dump shows."""
        name = "links_packed_by_a_foreign_filter"
        trace = self.path("trace")
        env = {"HDF5_PLUGIN_PATH": os.path.dirname(FOREIGN_FILTER), "SCALEMARK_TEST_TRACE": trace}
        for file in [name, "foreign_filter"]:
            self.refused(run("show", self.file(file), env=env), file)
        self.assertFalse(os.path.exists(trace), "the plug-in was loaded")
        run(self.file(name), program="h5dump", env=env)
        self.assertTrue(os.path.exists(trace), "h5dump does not load the plug-in: nothing was tested")


if __name__ == "__main__":
    unittest.main()
