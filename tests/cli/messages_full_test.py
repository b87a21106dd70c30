# SPDX-License-Identifier: Apache-2.0
"""Messages whose bytes 32 bits cannot count."""
import unittest

from harness import ProgramTest, rows, run


class Large(ProgramTest):
    def test_messages_beyond_two_gibibytes(self):
        size = 2362232012 + 5  # 2.2 GiB and a rest
        out = self.path("out.h5")
        done = run("run", "^micro/(broadcast|pingpong)$", "-a", f"bytes={size}", "-a", "memory=host", "-a", "ranks=2", "-n", "1", "-w", "0",
                   "-o", out, "--quiet", ranks=2, timeout=580)
        self.expect(done, 0)
        table = rows(out)
        self.assertEqual(len(table), 2)
        for key, row in table.items():
            self.assertEqual((row["status"], row["reason"]), ("ok", ""), key)
            self.assertGreaterEqual(row["verified"]["checked"], size, key)


if __name__ == "__main__":
    unittest.main()
