# SPDX-License-Identifier: Apache-2.0
"""Under mpirun: width, colour and progress go by mpirun's own terminal; after Ctrl-C the command that goes on is printed."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

from harness import FAULTY, MPIRUN, SCALEMARK, ProgramTest, rows, run

CLEAN = {name: value for name, value in os.environ.items()
         if name not in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM", "SCALEMARK_TERMINAL")}
LAUNCH = [MPIRUN, "-n", "2", "--oversubscribe", "--bind-to", "none"]
SHORT = ["run", "micro/memcpy", "-a", "bytes=1K,2K,4K", "-a", "direction=h2h", "-a", "host_memory=pageable", "-n", "20"]
NAPS = 60
LATE_SIGNAL = sys.argv[1]  # the library of late_signal.cpp
LONG = ["run", "test/nap", "-a", f"number=0:{NAPS - 1}:+1", "-n", "50"]


class Screen:
    """What a terminal shows: lines, from text with \\r, \\n and the escape sequences that the program uses."""

    def __init__(self, text):
        self.lines, line, column = [], [], 0
        for part in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|[^\x1b]", text):
            if part == "\n":
                self.lines.append("".join(line).rstrip())
                line, column = [], 0
            elif part == "\r":
                column = 0
            elif part == "\x1b[2K":
                line = [" "] * len(line)
            elif not part.startswith("\x1b"):
                line[column:column + 1] = [part] if column < len(line) else [" "] * (column - len(line)) + [part]
                column += 1
        self.last = "".join(line).rstrip()

    def text(self):
        return "\n".join(self.lines + [self.last])


def on_terminal(command, columns=80, env=None, interrupt=None, cwd=None, **streams):
    """Runs a command in a session of its own, whose terminal is a pseudo terminal; Ctrl-C is typed once `interrupt` was
    seen. Returns the exit code and all that came to the terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen([str(word) for word in command], stdin=slave, cwd=cwd, start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env={**CLEAN, "TERM": "xterm", **(env or {})},
                               **{"stdout": slave, "stderr": slave, **streams})
    os.close(slave)
    text, deadline = b"", time.monotonic() + 100
    while time.monotonic() < deadline:
        ready, _, _ = select.select([master], [], [], 1)
        try:
            piece = os.read(master, 65536) if ready else None
        except OSError:
            break
        if piece == b"":
            break
        text += piece or b""
        if interrupt and re.search(interrupt, text):
            os.write(master, b"\x03")
            interrupt = None
    os.close(master)
    return process.wait(timeout=60), text.decode()


class UnderMpirun(ProgramTest):
    def measure(self, name, *more, launch=None, **options):
        code, text = on_terminal([*(launch or LAUNCH), SCALEMARK, *SHORT, "-o", self.path(name), *more], **options)
        self.assertEqual(code, 0, text)
        return text

    def test_no_line_is_wider_than_the_terminal(self):
        for columns in (80, 120):
            text = self.measure(f"{columns}.h5", columns=columns)
            drawn = [part for line in text.split("\n") for part in re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line).split("\r")]
            self.assertEqual([part for part in drawn if len(part) > columns], [])
            self.assertTrue([line for line in Screen(text).lines if len(line) > 50], text)

    def test_progress_is_one_line_that_is_written_over(self):
        text = self.measure("a.h5")
        self.assertIn("\r\x1b[2K[1/3]", text)
        self.assertNotIn("info: [1/3]", text)
        screen = Screen(text)
        self.assertNotRegex(screen.text(), r"\[\d/3\]", "nothing is left of it")
        values = [line for line in screen.lines if re.match(r"  +(1024|2048|4096)\b", line)]
        self.assertEqual(len(values), 3, screen.text())
        for line in values:
            # A row may end with a note on the ranks, such as "with all ranks copying, ...".
            self.assertRegex(line, r"\s20(\s+[\d.e-]+)*(  [a-z][^\[\]]*)?$", "a whole row, and nothing of the progress behind it")

    def test_colours_are_the_terminals(self):
        self.assertRegex(self.measure("a.h5"), r"\x1b\[[0-9;]*m")
        self.assertNotRegex(self.measure("b.h5", env={"NO_COLOR": "1"}), r"\x1b\[[0-9;]*m")

    def test_lines_where_stderr_goes_to_a_file(self):
        with open(self.path("errors"), "w+", encoding="utf-8") as errors:
            text = self.measure("a.h5", stderr=errors)
            errors.seek(0)
            said = errors.read()
        self.assertNotRegex(text, r"\[\d/3\]")
        self.assertRegex(said, r"(?m)^\[0/2 \S+\] info: \[1/3\] micro/memcpy")
        self.assertNotIn("\x1b", said)

    def test_rows_that_go_to_a_file_are_rows_only(self):
        with open(self.path("rows"), "w+", encoding="utf-8") as table:
            text = self.measure("a.h5", stdout=table)
            table.seek(0)
            printed = table.read()
        self.assertIn("\r\x1b[2K[1/3]", text)
        self.assertNotIn("\x1b", printed)
        self.assertNotRegex(printed, r"\[\d/3\]")

    def test_marked_lines_are_not_written_over(self):
        text = self.measure("a.h5", launch=[*LAUNCH, "--tag-output"])
        self.assertRegex(text, r"(?m)^\[1,0\]<stderr>:\[0/2 \S+\] info: \[1/3\]")
        self.assertNotIn("\x1b[2K", text)

    def test_ranks_in_containers_of_their_own_are_warned_of(self):
        apart = ["unshare", "--user", "--map-root-user"]
        if subprocess.run([*apart, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("this machine allows no user namespaces")
        warning = "ranks of a node run in containers of their own"
        self.assertNotIn(warning, self.measure("a.h5"))
        self.assertEqual(self.measure("b.h5", launch=[*LAUNCH, *apart]).count(warning), 1)
        self.assertNotIn(warning, self.measure("c.h5", launch=[*LAUNCH, *apart], env={"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}))

    def test_a_launcher_elsewhere_is_described_by_a_variable(self):
        done = subprocess.run([*LAUNCH, SCALEMARK, *SHORT, "-o", self.path("a.h5")], capture_output=True, timeout=60, check=True,
                              env={**CLEAN, "SCALEMARK_TERMINAL": "60"}, stdin=subprocess.DEVNULL)
        text = done.stdout.decode()
        self.assertIn("\r\x1b[2K[1/3]", text)
        self.assertEqual([line for line in Screen(text).lines if len(line) > 60], [])
        self.assertNotIn("\x1b", self.measure("b.h5", env={"SCALEMARK_TERMINAL": "0"}))


class Interrupted(ProgramTest):
    """The command that is printed, typed as it stands, finishes the run."""

    def go_on(self, text, out):
        lines = Screen(text).lines
        place = next((i for i, line in enumerate(lines) if line.endswith("To resume:")), None)
        self.assertIsNotNone(place, text)
        command = lines[place + 1].strip()
        self.assertTrue(command.startswith(MPIRUN), command)
        self.assertTrue(os.path.isdir(out + ".parts"), text)
        kept = len([row for row in rows(out + ".parts").values() if row["status"] == "ok"])
        self.assertGreater(kept, 0)
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, cwd=self.folder, env=CLEAN,
                              stdin=subprocess.DEVNULL, check=False)
        self.expect(done, 0, f"{kept} taken from the earlier run")
        self.assertEqual([row["status"] for row in rows(out).values()], ["ok"] * NAPS)

    def test_ctrl_c_at_the_terminal(self):
        out = self.path("it's a result.h5")
        code, text = on_terminal([*LAUNCH, FAULTY, *LONG, "-o", out, "--tag", "why=a $HOME `x` \"y\""], columns=1000, cwd=self.folder,
                                 interrupt=rb"\[[4-9]/60\]")
        self.assertNotEqual(code, 0)
        self.go_on(text, out)

    def signal_in_a_pipe(self, number, env=None):
        """The signal goes to mpirun in the fourth case; no name for the file, and no old one in the way."""
        process = subprocess.Popen([*LAUNCH, FAULTY, *LONG, "--force", "-v"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, cwd=self.folder, env={**CLEAN, **(env or {})})
        said = ""
        for line in process.stderr:
            said += line
            if "[4/60]" in line:
                process.send_signal(number)
        process.stderr.close()
        code = process.wait(timeout=60)
        name, = (name for name in os.listdir(self.folder) if name.endswith(".parts"))
        self.assertIn(f"--output {name[:-6]}", said, "the name that the program chose")
        self.go_on(said, self.path(name[:-6]))
        return code, said

    def test_sigint_to_mpirun_without_a_terminal(self):
        code, said = self.signal_in_a_pipe(signal.SIGINT)
        self.assertNotEqual(code, 0)
        self.assertEqual(said.count("To resume"), 1, "one rank says it")

    def test_all_ranks_report_although_one_sees_the_signal_late(self):
        """mpirun kills the others as soon as one rank has ended."""
        code, said = self.signal_in_a_pipe(signal.SIGINT, {"LD_PRELOAD": LATE_SIGNAL})
        self.assertNotEqual(code, 0)
        self.assertEqual(said.count("ended by SIGTERM"), 2, said)
        self.assertEqual(said.count("To resume"), 1, said)

    def test_a_run_that_stops_between_cases_says_so_too(self):
        code, said = self.signal_in_a_pipe(signal.SIGUSR1)
        self.assertEqual(code, 0, said)
        self.assertIn("stopped early", said)

    def test_nothing_is_said_of_a_file_that_was_not_begun(self):
        done = run(*LONG, "--resume", "-o", self.path("none.h5"), ranks=2, program=FAULTY)
        self.expect(done, 2)
        self.assertNotIn("To resume", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
