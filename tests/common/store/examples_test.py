# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of docs/result-file.md as they stand there, and compares what they print.

    examples_test.py DOCUMENT WRITE_EXAMPLE
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

WRITE_EXAMPLE = sys.argv.pop(2)
DOCUMENT = sys.argv.pop(1)

with open(DOCUMENT, encoding="utf-8") as document:
    TEXT = document.read()
EXAMPLES = re.findall(r"```(python|sh)\n(.*?)```\n\nprints\n\n```text\n(.*?)```", TEXT, re.DOTALL)
ENVIRONMENT = os.environ | {"PYTHONPATH": os.path.join(os.path.dirname(os.path.abspath(DOCUMENT)), "../packaging/python")}
COMMANDS = {"python": ["/usr/bin/python3", "-c"], "sh": ["sh", "-c"]}


class Examples(unittest.TestCase):
    def test_each_program_reads_the_file(self):
        code = "".join(example for _, example, _ in EXAMPLES)
        for reader in ["h5py.File", "xarray.open_dataset", "h5dump ", "pandas.DataFrame", "scalemark.open"]:
            self.assertIn(reader, code)
        self.assertEqual(len(EXAMPLES), len(re.findall("```(?:python|sh)\n", TEXT)), "an example without its output")

    def test_examples_print_what_the_document_says(self):
        with tempfile.TemporaryDirectory(prefix="scalemark-test-") as folder:
            subprocess.run([WRITE_EXAMPLE, os.path.join(folder, "run.h5")], check=True)
            for language, example, output in EXAMPLES:
                done = subprocess.run([*COMMANDS[language], example], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True,
                                      check=False)
                self.assertEqual((done.returncode, done.stdout), (0, output), f"{example}\n{done.stderr}")


if __name__ == "__main__":
    unittest.main()
