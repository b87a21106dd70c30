# SPDX-License-Identifier: Apache-2.0
"""`scalemark schema` prints the text that a result file carries: schema_test.py WRITE_EXAMPLE."""
import subprocess
import sys
import unittest

import h5py

from harness import ProgramTest, run

WRITE_EXAMPLE = sys.argv.pop(1)


class Schema(ProgramTest):
    def test_the_text_is_the_one_in_a_file(self):
        path = self.path("example.h5")
        subprocess.run([WRITE_EXAMPLE, path], check=True)
        done = run("schema")
        self.expect(done, 0)
        self.assertEqual(done.stderr, "")
        with h5py.File(path, "r") as file:
            self.assertEqual(bytes(file["schema"][()]).decode(), done.stdout)
        self.assertIn("/cases/<nnnnnn>/metrics/<metric>/samples [rank, iteration]\n", done.stdout)

    def test_takes_nothing(self):
        self.expect(run("schema", "x.h5"), 2, "x.h5")


if __name__ == "__main__":
    unittest.main()
