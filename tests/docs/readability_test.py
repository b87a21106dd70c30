# SPDX-License-Identifier: Apache-2.0
"""Sentences of at most 30 words and paragraphs of at most 80, in every page and in what the program says of itself.

    readability_test.py [--program SCALEMARK] [--list]

Code, tables and pictures are left out. With --program also the help texts of all subcommands are held to the limit of a
sentence. --list prints every place that is too long; without it the longest of each page is printed.
"""
import argparse
import os
import re
import subprocess
import sys

from pages import ROOT, pages, paragraphs, sentences, word_count

SENTENCE, PARAGRAPH = 30, 80
# What a terminal showed.
LEFT_OUT = {"docs/transcript.md"}


def too_long(name, text, every):
    """Prints the longest sentence and paragraph of a page, and with `every` all beyond the limits; returns how many those are."""
    longest, largest, problems = (0, 0), (0, 0), []
    for line, paragraph in paragraphs(text):
        size = sum(map(word_count, sentences(paragraph)))
        largest = max(largest, (size, line))
        if size > PARAGRAPH:
            problems.append(f"{name}:{line}: a paragraph of {size} words")
        for sentence in sentences(paragraph):
            words = word_count(sentence)
            longest = max(longest, (words, line))
            if words > SENTENCE:
                problems.append(f"{name}:{line}: a sentence of {words} words: {sentence}")
    print(f"{name}: longest sentence {longest[0]} words (line {longest[1]}), longest paragraph {largest[0]} (line {largest[1]})")
    if every and problems:
        print("\n".join(problems))
    return len(problems)


def help_texts(program):
    """What `scalemark --help` and that of each subcommand say: (command, text of one entry)."""
    def ask(*words):
        return subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True,
                              env={**os.environ, "COLUMNS": "1000"}).stdout

    top = ask()
    subcommands = re.findall(r"^  ([a-z]+)\s{2,}", top.split("ubcommands:")[1], re.MULTILINE)
    assert len(subcommands) > 10, top
    for command in ("", *subcommands):
        text = ask(*command.split()).split("Examples:")[0]
        # An entry begins with an option, a word of a list, or behind an empty line; its text stands behind two blanks.
        for entry in re.split(r"\n(?=\s*-{1,2}[a-zA-Z]|\s+\S+(?: \S+)*\s{2,}\S|\s*\n)", text):
            words = re.split(r"\S\s{2,}(?=\S)", entry.strip("\n"), maxsplit=1)[-1] if entry.startswith(" ") else entry
            yield command or "scalemark", re.sub(r"^(?:Excludes: (?:--?[\w-]+ ?)+|\{[^}]*\})\s*", "", " ".join(words.split()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", help="also its help texts")
    parser.add_argument("--list", action="store_true", help="every place that is too long")
    options = parser.parse_args()
    found = 0
    for page in pages():
        name = page.relative_to(ROOT).as_posix()
        if name not in LEFT_OUT:
            found += too_long(name, page.read_text(encoding="utf-8"), options.list)
    if options.program:
        texts = [(command, sentence) for command, text in help_texts(options.program) for sentence in sentences(text)]
        for command, sentence in sorted(set(texts), key=lambda one: -word_count(one[1])):
            if word_count(sentence) > SENTENCE:
                found += 1
                print(f"{command} --help: a sentence of {word_count(sentence)} words: {sentence}")
        print(f"help texts: {len(texts)} sentences, the longest has {max(word_count(one) for _, one in texts)} words")
    if found:
        sys.exit(f"{found} places are too long: at most {SENTENCE} words a sentence and {PARAGRAPH} a paragraph (--list names them)")


if __name__ == "__main__":
    main()
