# SPDX-License-Identifier: Apache-2.0
"""Runs of benchmarks on several ranks."""
from harness import ProgramTest, rows, run


class Measuring(ProgramTest):
    def measure(self, ranks, filter_, *axes, code=0, options=("-n", "3", "-w", "1"), program=None):
        """The rows of a run on `ranks` ranks."""
        out = self.path("out.h5")
        pairs = [text for axis in axes for text in ("-a", axis)]
        done = run("run", filter_, *pairs, *options, "-o", out, "--force", "--quiet", ranks=ranks, timeout=280,
                   program=program)
        self.expect(done, code)
        return rows(out)

    def check_all_right(self, table, allowed_reason=None):
        self.assertTrue(table)
        for key, row in table.items():
            if row["status"] == "skipped" and allowed_reason:
                self.assertRegex(row["reason"], allowed_reason, key)
            else:
                self.assertEqual((row["status"], row["reason"]), ("ok", ""), key)
                self.assertTrue(row["verified"]["done"], key)
                self.assertEqual(row["verified"]["wrong"], 0, key)
