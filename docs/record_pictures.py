#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures of the pages: what the program shows of the committed results, by Chromium without a window.

docs/pictures/compare.png is a terminal of 100 columns after `scalemark compare quiet --against busy`, with its colours;
docs/pictures/page.png is the first screen of the page that `scalemark report` writes of the same runs.

Exit: 0 taken, 1 the program failed, 2 usage, PROGRAM is missing, or there is no Chromium.
"""
import argparse
import base64
import fcntl
import html
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import sys
import tempfile
import termios

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/cli"))
from browser import Browser, find_browser  # noqa: E402

RUNS = ROOT / "results/cpu-2core/planted"
COLUMNS, LINES = 100, 44
COLOURS = {"30": "#777", "31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "35": "#d2a8ff", "36": "#76e3ea",
           "90": "#8b949e"}
TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #0d1117; }}
pre {{ margin: 0; padding: 14px 18px; color: #e6edf3; font: 13px/1.35 "DejaVu Sans Mono", monospace; }}
.bold {{ font-weight: bold; }} .dim {{ color: #8b949e; }}
</style><pre>{}</pre>"""


def refuse(text):
    print(f"record_pictures.py: {text}", file=sys.stderr)
    sys.exit(2)


def in_terminal(command):
    """What a command prints at a pseudo terminal, with its colours."""
    pid, file = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        for name in ("COLUMNS", "NO_COLOR"):
            os.environ.pop(name, None)
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
        os.chdir(RUNS)
        os.execv(command[0], command)
    text = b""
    while select.select([file], [], [], 60)[0]:
        try:
            part = os.read(file, 65536)
        except OSError:  # the terminal is closed
            break
        if not part:
            break
        text += part
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) not in (0, 1):
        sys.exit(text.decode())
    return text.decode().replace("\r\n", "\n")


def coloured(text):
    """Escape sequences for colours as HTML; all others are dropped."""
    parts, opened = [], False
    for piece in re.split(r"(\x1b\[[0-9;?]*[A-Za-z])", text):
        codes = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if codes:
            parts.append("</span>" if opened else "")
            opened = False
            numbers = [code for code in codes[1].split(";") if code not in ("", "0")]
            if numbers:
                colour = next((COLOURS[code] for code in numbers if code in COLOURS), None)
                names = [name for code, name in (("1", "bold"), ("2", "dim")) if code in numbers]
                parts.append(f'<span class="{" ".join(names)}"' + (f' style="color:{colour}"' if colour else "") + ">")
                opened = True
        elif not piece.startswith("\x1b"):
            parts.append(html.escape(piece))
    return "".join(parts) + ("</span>" if opened else "")


def shortened(text):
    """The head and the end of a long output, as on a screen of LINES lines; the cut is marked."""
    lines = text.rstrip("\n").split("\n")
    if len(lines) <= LINES:
        return "\n".join(lines)
    last = 8
    return "\n".join([*lines[:LINES - last - 1], f"[... {len(lines) - LINES + 1} lines ...]", *lines[-last:]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM", help="a built scalemark: a path, or a name on PATH")
    options = parser.parse_args()
    found = shutil.which(options.program)
    if not found:
        refuse(f"there is no program '{options.program}': build Scalemark, then name build/<preset>/suites/scalemark")
    program = os.path.abspath(found)
    try:
        find_browser()
    except RuntimeError as error:
        refuse(error)
    pictures = ROOT / "docs/pictures"
    pictures.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, Browser() as browser:
        folder = pathlib.Path(name)
        shown = "$ scalemark compare quiet --against busy\n" + in_terminal([program, "compare", "quiet", "--against", "busy"])
        (folder / "terminal.html").write_text(TERMINAL.format(coloured(shortened(shown))), encoding="utf-8")
        browser.open(folder / "terminal.html", width=840, height=10)
        browser.screenshot(pictures / "compare.png")
        in_terminal([program, "report", "busy", "--base", "quiet", "-o", str(folder / "report.html")])
        browser.call("Emulation.setScrollbarsHidden", hidden=True)
        browser.open(folder / "report.html", width=1100, height=740)
        shot = browser.call("Page.captureScreenshot")["data"]
        (pictures / "page.png").write_bytes(base64.b64decode(shot))
    for picture in sorted(pictures.glob("*.png")):
        print(picture.relative_to(ROOT), picture.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
