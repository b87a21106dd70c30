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
            left_out = re.search(r"\(\+(\d+) more", text)
            return int(left_out[1]) if left_out else 0
        self.assertGreater(metrics(60), metrics(400))
        self.assertEqual(metrics(400), 0)

    def test_bandwidth_stays_at_80_columns(self):
        """The interval gives way: how far it reaches, in percent, in place of its ends."""
        utf8 = {"LC_ALL": "C.UTF-8"}
        for benchmark in ("pingpong", "allreduce", "memcpy", "conv2d"):
            whole, text = self.piped("show", self.file, benchmark), self.piped("show", self.file, benchmark, COLUMNS="80", **utf8)
            self.assertIn("bandwidth [GB/s]", text, benchmark)
            self.assertRegex(text, r"(?m)^  .* \u00b1 95 % .* n$")
            pattern = r"(?m)^ .* ([\d.]+) +\u00b1 +([\d.]+) % +([\d.]+) +(\d+)$"
            short = re.findall(pattern, text)
            long = re.findall(r"(?m)^ .* ([\d.]+) +\[([\d.]+), ([\d.]+)\] +([\d.]+)(?: .*)?$", whole)
            self.assertEqual(len(short), len(long))
            self.assertGreater(len(short), 2)
            for (median, percent, bandwidth, _), (same, low, high, same_bandwidth) in zip(short, long):
                self.assertEqual((median, bandwidth), (same, same_bandwidth))
                reach = 100 * max(float(median) - float(low), float(high) - float(median)) / float(median)
                self.assertAlmostEqual(float(percent), reach, delta=0.2 if reach < 9.9 else 0.7)  # of rounded numbers
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80)
        self.assertIn("+- 95 %", self.piped("show", self.file, "pingpong", COLUMNS="80", LC_ALL="C"))
        self.assertIn("95 % interval", self.piped("show", self.file, "pingpong", COLUMNS="120", **utf8))
        runs = [os.path.join(os.path.dirname(self.file), f"run-{i}.h5") for i in (1, 2, 3)]
        text = self.piped("show", *runs, "memcpy", COLUMNS="80")
        self.assertRegex(text, r"(?m)^ +bytes .* spread +bandwidth \[GB/s\] +runs$")

    COMMANDS = {"compare": ("compare", "1", "2", "3", "--against", "1b", "2b", "3b", "--fail-on", "none"),
                "all": ("compare", "1", "2", "3", "--against", "1b", "2b", "3b", "--fail-on", "none", "--all"),
                "single": ("compare", "1", "--against", "2", "--fail-on", "none"),
                "systems": ("compare", "--systems", "old=1", "a_system_of_a_long_name=2", "third=3"),
                "aa": ("compare", "1", "2", "3", "1b", "2b", "--aa"),
                "power": ("compare", "1", "2", "3", "--power"),
                "show": ("show", "1"), "runs": ("show", "1", "2", "3"), "trainings": ("show", "finetune")}

    def files(self):
        """Committed runs, and three that came back from JSON Lines: other runs, of the same keys."""
        folder = os.path.join(os.environ["RESULTS"], "cpu-2core")
        files = {str(i): os.path.join(folder, f"run-{i}.h5") for i in (1, 2, 3)}
        files["finetune"] = os.path.join(folder, "finetune-110m.h5")
        for i in (1, 2, 3):
            lines, again = self.path(f"{i}.jsonl"), self.path(f"{i}b.h5")
            self.assertEqual(run("export", files[str(i)], "--to", "jsonl", "-o", lines).returncode, 0)
            with open(lines, "a", encoding="utf-8") as file:
                file.write("\n")
            self.assertEqual(run("import", lines, "-o", again).returncode, 0)
            files[f"{i}b"] = again
        return files

    def test_no_line_is_wider_than_the_terminal(self):
        files = self.files()
        for name, words in self.COMMANDS.items():
            arguments = ["=".join([part, files[path]]) if (part := word.partition("=")[0]) != word and
                         (path := word.partition("=")[2]) in files else files.get(word, word) for word in words]
            whole = self.piped(*arguments)
            for width in (80, 100, 132):
                with self.subTest(name, width=width):
                    text = self.piped(*arguments, COLUMNS=str(width))
                    # One word alone may be longer: a path, a list without blanks.
                    wide = [line for line in text.splitlines() if len(line) > width and " " in line.strip()]
                    self.assertEqual(wide, [])
            if name in ("compare", "all", "single", "systems"):  # a pipe has no limit, and whole keys for grep
                self.assertGreater(max(map(len, whole.splitlines())), 132, name)
                self.assertRegex(whole, r"(?m)^(\S+  )?micro/conv2d .*layer=stem .*threads=1 .*\d")

    def test_names_stay_apart(self):
        """Each row of a comparison can be told from the others, however narrow the terminal is."""
        files = self.files()
        for width in (60, 80, 100):
            text = self.piped("compare", files["1"], "--against", files["1b"], "--fail-on", "none", "--all", COLUMNS=str(width))
            table, title, seen, last = text[text.index("\n\n"):], "", set(), ""
            rows = 0
            for line in table.splitlines():
                if re.match(r"(micro|imaging)/\S", line):
                    title = line
                if re.match(r"(SAME|INCONCLUSIVE|REGRESSION|IMPROVED) ", line) and ":" not in line:
                    rows += 1
                    seen.add((title, last if "=" in last and "(" not in last else "", line.split("  ")[1].strip() or line))
                    self.assertNotIn("..ranks", line)
                last = line
            self.assertEqual(rows, 32)
            self.assertEqual(len(seen), 32, f"at {width}: {text}")

    def test_progress_is_written_over_on_a_terminal(self):
        code, text = on_terminal("run", "micro/memcpy", "-a", "bytes=1K,2K", "-n", "20", "-o", self.path("a.h5"))
        self.assertEqual(code, 0, text)
        self.assertIn("\r\x1b[2K[1/", text)
        # The line is gone before a row of the table is written.
        rows = [line for line in text.split("\n") if re.search(r"\d\s+20(\s+[\d.]+)*\s*\r?$", line)]
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
