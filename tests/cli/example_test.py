# SPDX-License-Identifier: Apache-2.0
"""The benchmark of docs/add-a-benchmark.md is the one that is compiled, and measures."""
import unittest
from pathlib import Path

from docs_blocks import blocks
from harness import FAULTY, ProgramTest, rows, run

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/add-a-benchmark.md").read_text(encoding="utf-8")
FILES = ("examples/reverse_copy.cpp", "suites/micro/collective/allgather.cpp", "examples/CMakeLists.txt")


class Example(ProgramTest):
    def test_the_page_shows_the_files(self):
        shown = [code for language, code, _ in blocks(PAGE) if language == "cpp"]
        shown += [code for language, code, _ in blocks(PAGE) if language == "cmake"]
        self.assertEqual(shown, [(ROOT / file).read_text(encoding="utf-8") for file in FILES])

    def test_it_measures_on_two_ranks(self):
        file = self.path("out.h5")
        self.expect(run("run", "example/reverse_copy", "--quick", "-n", "5", "-o", file, program=FAULTY, ranks=2), 0)
        (row,) = rows(file).values()
        self.assertEqual((row["status"], row["params"]["bytes"]), ("ok", 65536))
        self.assertIn("bandwidth", row["metrics"])


if __name__ == "__main__":
    unittest.main()
