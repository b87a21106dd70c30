#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws in docs/architecture.md which folder links which, from the table that CMake writes.

An arrow that follows from others is left out. --check writes nothing and ends with 1 where the page differs."""
import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cmake"))
from module_table import ModuleTable  # noqa: E402

PAGE = pathlib.Path(__file__).resolve().parent / "architecture.md"
BLOCK = re.compile(r"```mermaid\n.*?```\n", re.S)


def links_of(table):
    """For each folder the folders whose targets its targets link."""
    folders = {target: folder.split("/", 1)[-1] for target, folder in table.folder.items()}
    links = {folder: set() for folder in folders.values()}
    for of_kind in table.links.values():
        for target, linked in of_kind.items():
            links[folders[target]] |= {folders[one] for one in linked}
    return {folder: linked - {folder} for folder, linked in links.items()}


def reachable(links, folder):
    found = set()
    for one in links[folder]:
        found |= {one} | reachable(links, one)
    return found


def diagram(links):
    lines = ["```mermaid", "flowchart BT"]
    for folder in sorted(links):
        implied = set().union(*(reachable(links, one) for one in links[folder])) if links[folder] else set()
        lines += [f"  {folder} --> {one}" for one in sorted(links[folder] - implied)]
    return "\n".join(lines + ["```", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=pathlib.Path, help="modules.txt of a build folder with LibTorch")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    old = PAGE.read_text(encoding="utf-8")
    new = BLOCK.sub(lambda _: diagram(links_of(ModuleTable(options.table))), old, count=1)
    if not options.check:
        PAGE.write_text(new, encoding="utf-8")
    elif new != old or not BLOCK.search(old):
        sys.exit(f"docs/architecture.md does not show what the targets link: run docs/module_diagram.py {options.table}")


if __name__ == "__main__":
    main()
