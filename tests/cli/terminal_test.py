# SPDX-License-Identifier: Apache-2.0
"""What is printed to a terminal, and what elsewhere: colours, width, progress."""
import os
import pty
import re
import select
import subprocess
import sys
import unittest

from harness import ProgramTest, SCALEMARK, run

ESCAPE = "\x1b["
CLEAN = {name: value for name, value in os.environ.items()
         if name not in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM")}


def on_terminal(*arguments, env=None, columns=120):
    """Runs the program on a pseudo terminal of so many columns; exit code and all that it wrote there."""
    master, slave = pty.openpty()
    subprocess.run(["stty", "rows", "40", "cols", str(columns)], stdin=slave, check=True)
    process = subprocess.Popen([SCALEMARK, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=slave,
                               stderr=slave, env={**CLEAN, "TERM": "xterm", **(env or {})})
    os.close(slave)
    text = b""
    while True:
        ready, _, _ = select.select([master], [], [], 60)
        try:
            piece = os.read(master, 65536) if ready else b""
        except OSError:
            piece = b""
        if not piece:
            break
        text += piece
    os.close(master)
    return process.wait(timeout=60), text.decode()


class Terminal(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = os.path.join(os.environ["RESULTS"], "cpu-2core", "run-1.h5")

    def piped(self, *arguments, **env):
        done = subprocess.run([SCALEMARK, *arguments], capture_output=True, text=True, timeout=60,
                              env={**CLEAN, **env}, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_colour_order(self):
        self.assertIn(ESCAPE, on_terminal("show", self.file)[1])
        self.assertNotIn(ESCAPE, on_terminal("show", self.file, env={"NO_COLOR": "1"})[1])
        self.assertNotIn(ESCAPE, on_terminal("show", self.file, env={"TERM": "dumb"})[1])
        self.assertIn(ESCAPE, on_terminal("show", self.file, "--color", "always", env={"NO_COLOR": "1"})[1])
        self.assertNotIn(ESCAPE, self.piped("show", self.file))
        self.assertIn(ESCAPE, self.piped("show", self.file, FORCE_COLOR="1"))
        self.assertNotIn(ESCAPE, self.piped("show", self.file, "--color", "never", FORCE_COLOR="1"))

    def test_colour_adds_nothing_that_words_do_not_say(self):
        plain = self.piped("show", self.file)
        colored = self.piped("show", self.file, "--color", "always")
        self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", colored), plain)

    def test_width(self):
        """Fewer columns, fewer metrics, and a word on those left out."""
        def metrics(width):
            text = self.piped("show", self.file, "allreduce", COLUMNS=str(width))
            header = next(line for line in text.splitlines() if "interval" in line)
            left_out = re.search(r"\(\+(\d+) more", header)
            return int(left_out[1]) if left_out else 0
        self.assertGreater(metrics(60), metrics(400))
        self.assertEqual(metrics(400), 0)

    def test_progress_is_written_over_on_a_terminal(self):
        code, text = on_terminal("run", "micro/memcpy", "-a", "bytes=1K,2K", "-n", "20", "-o", self.path("a.h5"))
        self.assertEqual(code, 0, text)
        self.assertIn("\r\x1b[2K[1/", text)
        # The line is gone before a row of the table is written.
        rows = [line for line in text.split("\n") if re.search(r"\d\s+20\s*\r?$", line)]
        self.assertTrue(rows, text)
        for row in rows:
            self.assertNotRegex(row.rsplit(ESCAPE + "2K", 1)[-1], r"\[\d+/\d+\]")

    def test_progress_is_lines_elsewhere(self):
        done = run("run", "micro/memcpy", "-a", "bytes=1K,2K", "-n", "20", "-o", self.path("b.h5"), "-v", ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stderr.splitlines() if re.search(r"info: \[\d+/\d+\] micro/memcpy", line)]
        total = int(re.search(r"\[1/(\d+)\]", lines[0])[1])
        self.assertEqual(len(lines), total)
        self.assertIn("left", lines[-1])
        self.assertNotIn("\x1b", done.stderr)
        self.assertNotIn("[1/", done.stdout)
        quiet = run("run", "micro/memcpy", "-a", "bytes=1K", "-n", "20", "-o", self.path("c.h5"), "--quiet")
        self.assertNotIn("[1/", quiet.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
