#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records docs/transcript.md: what a first hour with Scalemark looks like in a terminal of 80 columns.

Starts a shell at a pseudo terminal in a new clone, types the commands below, presses Ctrl-C in the middle of a run, and
types what the program then says will resume it. Each screen is kept as a terminal shows it in the end: lines that were
rewritten in place stand once. The path of the clone, the home folder and the host's name are replaced.

Exit: 0 recorded, 1 a command did not end as expected, 2 usage, or OUTPUT cannot be written.
"""
import argparse
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import fcntl

ROOT = pathlib.Path(__file__).resolve().parents[1]
COLUMNS = 80
PROMPT = "scalemark-prompt> "


def as_shown(text):
    """Text as a terminal leaves it: carriage returns and erased lines carried out, colours dropped."""
    text = re.sub(r"\x1b\[[0-9;?]*[mhl]|\x1b\][^\x07]*\x07", "", text)
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[\d*[A-Za-z]|\r|\n|\x08|[^\x1b\r\n\x08]+|\x1b", text):
        if part == "\n":
            row, column = row + 1, 0
            if row == len(lines):
                lines.append("")
        elif part == "\r":
            column = 0
        elif part == "\x08":
            column = max(0, column - 1)
        elif part.startswith("\x1b["):
            count = int(part[2:-1] or 0)
            if part[-1] == "K":
                lines[row] = "" if count == 2 else lines[row][:column]
            elif part[-1] == "A":
                row = max(0, row - max(1, count))
        elif part != "\x1b":
            line = lines[row].ljust(column)
            lines[row] = line[:column] + part + line[column + len(part):]
            column += len(part)
    return "\n".join(line.rstrip() for line in lines)


class Terminal:
    def __init__(self, folder):
        self.replace = [(str(folder), "~/scalemark"), (os.path.expanduser("~"), "~"), (socket.gethostname(), "node1")]
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            for name in ("COLUMNS", "NO_COLOR", "SCALEMARK"):
                os.environ.pop(name, None)
            os.environ.update(TERM="xterm", PS1=PROMPT, PS2="", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                              PATH=f"{folder}/build/cpu-release/suites:{os.environ['PATH']}", LC_ALL="C.UTF-8")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
        self.read_until(PROMPT, 20)
        self.run("bind 'set enable-bracketed-paste off'", 20)

    def read_until(self, end, seconds, interrupt=None):
        """Reads until the text ends in `end`; interrupt = (pattern, what to type once it is on the screen)."""
        text, deadline = "", time.monotonic() + seconds
        while not text.endswith(end):
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGHUP)
                raise SystemExit(f"no prompt within {seconds} s; the last lines:\n{text[-2000:]}")
            if select.select([self.file], [], [], 0.2)[0]:
                text += os.read(self.file, 65536).decode("utf-8", "replace")
            if interrupt and re.search(interrupt[0], text):
                os.write(self.file, interrupt[1].encode())
                interrupt = None
        return text

    def run(self, command, seconds, interrupt=None):
        """Types a command; returns what the terminal shows of it, without the prompt."""
        os.write(self.file, (command + "\n").encode())
        text = self.read_until(PROMPT, seconds, interrupt)
        shown = as_shown(text[:-len(PROMPT)])
        for found, instead in self.replace:
            shown = shown.replace(found, instead)
        # The first line is the echo of the command, which may fill more than one.
        return re.sub(r"^\s+|\s+$", "", shown[shown.index("\n"):] if "\n" in shown else "")


def middle_cut(text, first, last):
    lines = text.splitlines()
    if len(lines) <= first + last:
        return text
    return "\n".join(lines[:first] + [f"[... {len(lines) - first - last} lines ...]"] + lines[-last:])


def resuming_command(text):
    """The command that the stopped run names: the line below "To resume"."""
    found = re.search(r"^  (\S.*--resume.*)$", text, re.MULTILINE)
    if not found:
        raise SystemExit(f"the stopped run names no command that resumes it:\n{text}")
    return found.group(1)


def record(folder):
    terminal, sections = Terminal(folder), []

    def show(title, command, seconds, cut=None, **keywords):
        text = terminal.run(command, seconds, **keywords)
        sections.append((title, command, middle_cut(text, *cut) if cut else text))
        return text

    show("From a clone to a result", "jobscripts/quickstart.sh", 1800, cut=(30, 75))
    show("A run of one's own, stopped by Ctrl-C", "mpirun -n 2 --bind-to none scalemark run --preset quick -o b.h5", 300,
         interrupt=(r"micro/conv2d", "\x03"), cut=(20, 25))
    command = resuming_command(sections[-1][2])
    show("The command that it names goes on", command, 300, cut=(12, 25))
    show("Once more, to have two", "mpirun -n 2 --bind-to none scalemark run --preset quick -o c.h5 --quiet", 300, cut=(12, 6))
    show("Is it slower than the runs of quickstart?", "scalemark compare results/local/* --against b.h5 c.h5", 120, cut=(40, 25))
    show("A page for a browser", "scalemark report b.h5 c.h5 --base results/local/* -o report.html && ls -sh report.html", 120)
    return sections


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", metavar="OUTPUT", nargs="?", type=pathlib.Path, default=ROOT / "docs" / "transcript.md",
                        help="the page to write (default: docs/transcript.md)")
    output = parser.parse_args().output
    # Recording takes many minutes: a place that cannot be written to is refused before.
    if output.is_dir() or not os.access(output if output.exists() else output.parent, os.W_OK):
        print(f"record_transcript.py: '{output}' cannot be written: name a file in a folder that exists and is yours", file=sys.stderr)
        sys.exit(2)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="transcript-")) / "scalemark"
    try:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
        revision = subprocess.run(["git", "-C", str(folder), "rev-parse", "--short=12", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
        sections = record(folder)
    finally:
        shutil.rmtree(folder.parent, ignore_errors=True)
    text = [f"# A first hour\n\nRecorded by `docs/record_transcript.py` at revision {revision}, {time.strftime('%Y-%m-%d')}, in a terminal of "
            f"{COLUMNS} columns, on a virtual machine\nwith two cores and no GPU; packages and LibTorch were there already. Long outputs are cut in the middle, "
            "which is said.\nPaths and the host's name are replaced. Ctrl-C was pressed in the second screen.\n"]
    for title, command, shown in sections:
        text.append(f"## {title}\n\n```text\n$ {command}\n{shown}\n```\n")
    output.write_text("\n".join(text))


if __name__ == "__main__":
    main()
