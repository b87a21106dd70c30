#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes reference pages of the public headers from their /// comments, a page per folder, for docs/build_site.sh.

The folders are those that docs/mkdocs.yml lists as reference/FOLDER.md. Doxygen reads the headers. A public class or function
without a comment is an error. Constructors, operators, accessors (const, without parameters), to_string() and overriding functions need
none. A comment holds for all declarations below it up to an empty line; the header's first comment for its only class.

Exit: 0 written, 1 comments are missing (each is named on stderr), 3 there is no doxygen.
"""
import argparse
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from header_model import Model, escape, run_doxygen

PROJECT = Path(__file__).resolve().parent.parent
CLASSES = ("class", "struct")


def folders_of(navigation):
    return re.findall(r"reference/(.+)\.md *$", navigation.read_text().replace("reference/README.md", ""), re.MULTILINE)


def prose(text):
    """Markdown of a plain comment, whose `code` stays code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else escape(part) for part in parts)


def short(qualified):
    return re.sub(r"\bscalemark::", "", qualified)


def anchor(qualified):
    return re.sub(r"[^a-z0-9_]+", "-", short(qualified).lower()).strip("-")


def all_entries(entries):
    for entry in entries:
        yield entry
        yield from all_entries(entry.members)


class Pages:
    def __init__(self, model):
        self.model = model
        self.places = {}  # identifier -> (page, anchor, name)
        self.groups = {}  # identifier of the first of a group -> its entries
        for header in model.headers:
            self.place(header.entries, os.path.dirname(header.path) + ".md")

    def place(self, entries, page):
        """An anchor per group; variables of classes are shown with their class."""
        used = {place[1] for place in self.places.values() if place[0] == page}
        for group in self.grouped(entries):
            name = wanted = anchor(group[0].qualified)
            while name in used:
                name = f"{wanted}-{len(used)}"
            used.add(name)
            self.groups[group[0].identifier] = group
            for entry in group:
                self.places[entry.identifier] = (page, name, short(entry.qualified))
            for entry in group:
                for member in entry.members:
                    self.places[member.identifier] = (page, name, short(member.qualified))
                self.place(self.apart(entry), page)
                used |= {place[1] for place in self.places.values() if place[0] == page}

    @staticmethod
    def apart(entry):
        """Members with a heading of their own."""
        return [member for member in entry.members if member.kind != "variable" and not member.in_body]

    @staticmethod
    def grouped(entries):
        """Declarations that have one comment."""
        groups = []
        for entry in entries:
            if groups and entry.kind not in CLASSES and groups[-1][-1].kind not in CLASSES and entry.shares:
                groups[-1].append(entry)
            else:
                groups.append([entry])
        return groups

    def link(self, identifier, text, page, own=None):
        target, name, _ = self.places.get(identifier, (None, None, None))
        if target is None or (target, name) == own:
            return f"`{text}`"
        relative = "" if target == page else os.path.relpath(target, os.path.dirname(page))
        return f"[`{text}`]({relative}#{name})"

    def linked(self, comment, page, own):
        return re.sub(r"\{\{([^|]*)\|(.*?)\}\}", lambda found: self.link(found[1], found[2], page, own), comment)

    def types(self, group, page):
        """Links to what the signatures name, where that is elsewhere."""
        own = self.places[group[0].identifier][:2]
        found = dict.fromkeys(name for entry in group for name in entry.types
                              if name in self.places and self.places[name][:2] != own)
        return " · ".join(self.link(name, self.places[name][2], page) for name in found)

    def group(self, group, page, level, out):
        names = list(dict.fromkeys(entry.name for entry in group))
        first = group[0]
        title = ", ".join(names) if first.kind not in CLASSES else short(first.qualified)
        kind = f"{first.kind} " if first.kind in CLASSES or first.kind == "enum" else ""
        out.append(f"{'#' * level} {kind}{escape(title)} {{ #{self.places[first.identifier][1]} }}")
        out.append("```cpp\n" + "\n".join(self.signature(entry) for entry in group) + "\n```")
        for entry in group:
            if entry.comment:
                out.append(self.linked(entry.comment, page, self.places[first.identifier][:2]))
        if types := self.types(group, page):
            out.append(f"See {types}")
        inner = [part for entry in group for part in self.grouped(self.apart(entry))]
        for part in sorted(inner, key=lambda part: part[0].kind in CLASSES):  # functions before nested classes
            self.group(part, page, 3 if part[0].kind in CLASSES else 4, out)

    @staticmethod
    def signature(entry):
        return entry.code + (";" if entry.kind == "function" else "")

    def page(self, folder):
        page = f"{folder}.md"
        headers = [header for header in self.model.headers if os.path.dirname(header.path) == folder]
        out = [f"# {folder}"]
        for header in headers:
            out.append(f"## {escape(os.path.basename(header.path))} {{ #{anchor(header.path)} }}")
            scopes = dict.fromkeys(entry.qualified.rpartition("::")[0] for entry in header.entries if "::" in entry.qualified)
            scope = f"  // namespace {', '.join(scopes)}" if scopes else ""
            out.append(f"{prose(header.purpose)}\n\n```cpp\n#include \"{header.path}\"{scope}\n```")
            for group in self.grouped(header.entries):
                self.group(group, page, 3, out)
        return "\n\n".join(out) + "\n"

    def overview(self, folders):
        out = ["# C++ interface", "After this page you know which header declares what you look for. The pages are made from the "
               "comments of the headers that a benchmark may include. Start with "
               + self.header_link("common/core/case.hpp") + " and " + self.header_link("common/core/benchmark.hpp") + "."]
        for folder in folders:
            out.append(f"## [{folder}]({folder}.md)\n\n| header | purpose |\n|---|---|\n" + "\n".join(
                f"| {self.header_link(header.path)} | {prose(header.purpose)} |"
                for header in self.model.headers if os.path.dirname(header.path) == folder))
        return "\n\n".join(out) + "\n"

    @staticmethod
    def header_link(path):
        return f"[`{os.path.basename(path)}`]({os.path.dirname(path)}.md#{anchor(path)})"


def report(model):
    """Prints the count, names each gap, and returns whether there is one."""
    classes = functions = shared = 0
    gaps = []
    for header in model.headers:
        for entry in all_entries(header.entries):
            if entry.kind not in (*CLASSES, "function", "define", "enum"):
                continue
            classes += entry.kind in CLASSES
            functions += entry.kind == "function"
            shared += entry.kind == "function" and entry.shares
            if entry.needs_comment and not entry.comment and not entry.shares:
                gaps.append(f"{header.path}:{entry.start}: {short(entry.qualified)} has no /// comment")
    print("\n".join(gaps), file=sys.stderr, end="\n" if gaps else "")
    print(f"reference: {len(model.headers)} headers, {classes} classes, {functions} functions ({shared} share the comment above "
          f"them), {len(gaps)} without a comment", file=sys.stderr)
    return bool(gaps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="folder for the pages")
    parser.add_argument("--root", type=Path, default=PROJECT, help="the tree with docs/mkdocs.yml and the headers")
    options = parser.parse_args()
    if not shutil.which("doxygen"):
        print("there is no doxygen: apt-get install doxygen, or jobscripts/setup.sh --full", file=sys.stderr)
        return 3
    root = options.root.resolve()
    folders = folders_of(root / "docs/mkdocs.yml")
    with tempfile.TemporaryDirectory() as scratch:
        paths = run_doxygen(root, folders, Path(scratch))
        model = Model(root, Path(scratch) / "xml", paths)
    pages = Pages(model)
    for folder in folders:
        file = options.output / f"{folder}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(pages.page(folder))
    (options.output / "README.md").write_text(pages.overview(folders))
    return int(report(model))


if __name__ == "__main__":
    sys.exit(main())
