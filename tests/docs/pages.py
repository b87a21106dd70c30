# SPDX-License-Identifier: Apache-2.0
"""The project's pages, and their text as a reader sees it: without code, tables and pictures."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")


def pages():
    """README.md, CONTRIBUTING.md, results/README.md and all pages below docs/."""
    return [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "results/README.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def without_code(text):
    """The lines of a page that are no code: (number, line). Indented blocks that follow a blank line are code too."""
    fenced, code, blank, in_list = False, False, True, False
    for number, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line):
            fenced = not fenced
            continue
        if fenced:
            continue
        if line.startswith("    ") and (blank or code) and not in_list:
            code = True
            continue
        if line.strip():
            code = False
            in_list = bool(ITEM.match(line)) or (in_list and (not blank or line.startswith(" ")))
        blank = not line.strip()
        yield number, line


def paragraphs(text):
    """(number of the first line, text) of each paragraph and each item of a list."""
    found, start, words = [], 0, []

    def end():
        if words:
            found.append((start, " ".join(words)))
        words.clear()

    for number, line in without_code(re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)):
        stripped = line.strip()
        if not stripped or stripped.startswith(("#", "|", "![")):
            end()
            continue
        if ITEM.match(line):
            end()
        if not words:
            start = number
        words.append(ITEM.sub("", line).strip())
    end()
    return found


def as_read(paragraph):
    """Text of links instead of the links; a span of code is one word."""
    paragraph = re.sub(r"`[^`]+`", "code", paragraph)
    paragraph = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)
    return re.sub(r"[*_>]+(?=\w)|(?<=\w)[*_]+", "", paragraph)


def sentences(paragraph):
    """Sentences end with . ! or ? before a blank and a capital, a digit, code or a bracket; a colon ends none."""
    return [one for one in re.split(r"(?<=[.!?])[)\"*]*\s+(?=[A-Z0-9`(\"*\[-]|code\b)", as_read(paragraph)) if one.strip()]


def word_count(text):
    return len([word for word in text.split() if re.search(r"\w", word)])
