# SPDX-License-Identifier: Apache-2.0
"""A run that memory does not hold: finalize, show and visiting need little, whatever its size. 100 cases of
1024 ranks and 100 iterations, 10^7 samples, which `compare` reads too; with --full 10,000 of them, 10^9 samples (5 GB
on the disk for some minutes). And a page of 2,000 rows. What each takes is printed, and no time is asserted.

    large_test.py WRITE_LARGE VISIT_LARGE WRITE_CLUSTER [--full]
"""
import os
import re
import shutil
import subprocess
import sys
import time
import unittest

from header_edits import edit_header, replace_attribute
from harness import SCALEMARK, ProgramTest

WRITE, VISIT, WRITE_CLUSTER = sys.argv[1:4]
CASES = 10_000 if "--full" in sys.argv else 100
RANKS, ITERATIONS = 1024, 100
# Of one process: that which reads the file apart may have as much.
LIMIT_MIB = 256


class Large(ProgramTest):
    def peak(self, *command):
        """Runs it; what it printed. It and its children may have LIMIT_MIB resident."""
        begin = time.monotonic()
        with open(self.path("printed"), "w+", encoding="utf-8") as printed:
            process = subprocess.Popen(list(map(str, command)), stdout=printed)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0, command)
            printed.seek(0)
            text = printed.read()
        print(f"{os.path.basename(str(command[0]))} {command[1]}: {usage.ru_maxrss // 1024} MiB, {time.monotonic() - begin:.2f} s, "
              f"{usage.ru_utime + usage.ru_stime:.1f} s of processor time", flush=True)
        self.assertLess(usage.ru_maxrss / 1024, LIMIT_MIB, command)
        return text

    def visit(self, path):
        found = re.match(r"(\d+) cases, (\d+) samples, sum (\d+),", self.peak(VISIT, path))
        self.assertEqual((int(found[1]), int(found[2])), (CASES, CASES * RANKS * ITERATIONS))
        return int(found[3])

    def test_memory_stays_small(self):
        out = self.path("large.h5")
        subprocess.run([WRITE, out, str(CASES), str(RANKS), str(ITERATIONS)], check=True)
        parts = out + ".parts"
        before = self.visit(parts)
        merged = self.peak(SCALEMARK, "finalize", parts)
        self.assertIn(f"{CASES} of {CASES} planned cases", merged)
        self.assertNotIn("not complete", merged)
        self.assertEqual(self.visit(out), before)
        shown = self.peak(SCALEMARK, "show", out, "--format", "csv")
        self.assertEqual(len(shown.splitlines()), CASES + 1)
        one = self.peak(SCALEMARK, "show", out, f"test/large number={CASES - 1} ranks={RANKS}", "--format", "csv")
        self.assertEqual(one.splitlines(), [shown.splitlines()[0], shown.splitlines()[-1]])
        again = self.path("again.h5")
        shutil.copy(out, again)
        # Another run, for a run is not compared with itself.
        edit_header(again, lambda file: replace_attribute(file, "run_uuid", "11111111-2222-3333-4444-666666666666"))
        compared = self.peak(SCALEMARK, "compare", out, "--against", again, "--format", "csv")
        self.assertEqual(len(compared.splitlines()), CASES + 1)

    def test_a_page_of_2000_rows(self):
        subprocess.run([WRITE_CLUSTER, self.path("rows.h5"), "1", "rows"], check=True)
        self.peak(SCALEMARK, "report", self.path("rows.h5"), "-o", self.path("rows.html"))
        self.assertLess(os.path.getsize(self.path("rows.html")), 2_000_000)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
