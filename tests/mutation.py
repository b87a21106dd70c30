#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is there a test for each check of what is read? Switches the checks off one by one, in a copy of the sources.

    tests/mutation.py [--list] [--only FILE:LINE]... FOLDER

A check is an `if` whose first statement throws, refuses or fails, in the sources that read a result file. FOLDER gets the copy and
its build, which stay for the next time. Each check takes a compilation and the tests of the store until one fails: about half a
minute.
Exit: 0 a test failed for each check, 1 some can go unnoticed, 2 usage or no build.
"""
import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ["common/store/untrusted/tree_check.cpp", "common/store/untrusted/message.cpp",
           *(f"common/store/schema_{part}.cpp" for part in ("case", "digest", "header", "tables", "text")),
           *(f"common/store/h5/h5{part}.cpp" for part in ("", "_attribute", "_chunks", "_data", "_digest", "_image"))]
TESTS = (r"^common\.store\.(h5_objects|h5_errors|hostile|hostile_mask|hostile_tables|hostile_set|digest|message|round_trip|resume|sweeps|finalize|lacking_memory"
         r"|io_faults)$")


def end_of_condition(text, start):
    """Behind the parenthesis that closes the one at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    raise ValueError("no closing parenthesis")


def checks(source):
    """Line number, start and end of each condition, and the condition on one line."""
    text = (ROOT / source).read_text(encoding="utf-8")
    for found in re.finditer(r"\bif \(", text):
        start = found.end() - 1
        end = end_of_condition(text, start)
        if re.match(r"\s*\{?\s*(throw |refuse\(|fail\(|\w*fail\w*\()", text[end:]):
            yield text.count("\n", 0, start) + 1, start, end, " ".join(text[start + 1:end - 1].split())


def prepare(folder):
    """The copy of the sources and its build."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        source, copy = ROOT / name, folder / "source" / name
        if source.is_file() and not (copy.exists() and copy.read_bytes() == source.read_bytes()):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy)
    options = [f"-DSCALEMARK_ENABLE_{one}=OFF" for one in ("LIBTORCH", "DALI", "CUDA")]
    subprocess.run(["cmake", "--preset", "cpu-debug", "-B", folder / "build", "-DSCALEMARK_FAST_TESTS=ON", "-DCMAKE_CXX_FLAGS_DEBUG=-O1",
                    f"-DSCALEMARK_TESTS={TESTS}", *options], cwd=folder / "source", check=True, stdout=subprocess.DEVNULL)
    build(folder)


def build(folder):
    subprocess.run(["cmake", "--build", folder / "build", "--target", "test_programs"], check=True, stdout=subprocess.DEVNULL)


def tests_pass(folder):
    return subprocess.run(["ctest", "--test-dir", folder / "build", "-R", TESTS, "--stop-on-failure", "--timeout", "120", "--parallel", "4"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def try_check(folder, source, start, end):
    """Whether a test fails without the check."""
    copy = folder / "source" / source
    text = copy.read_text(encoding="utf-8")
    copy.write_text(f"{text[:start]}(false && {text[start:end]}){text[end:]}", encoding="utf-8")
    try:
        build(folder)
        return not tests_pass(folder)
    finally:
        copy.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--list", action="store_true", help="only list the checks")
    parser.add_argument("--only", action="append", metavar="FILE:LINE", default=[])
    arguments = parser.parse_args()
    every = [(f"{source}:{line}", source, start, end, condition) for source in SOURCES for line, start, end, condition in checks(source)]
    chosen = [one for one in every if not arguments.only or one[0] in arguments.only]
    if arguments.list:
        print(*(f"{place}: {condition}" for place, _, _, _, condition in chosen), sep="\n")
        return 0
    prepare(arguments.folder.resolve())
    if not tests_pass(arguments.folder.resolve()):
        print("a test fails with all checks in place")
        return 2
    unnoticed = []
    for place, source, start, end, condition in chosen:
        noticed = try_check(arguments.folder.resolve(), source, start, end)
        print(f"{'noticed' if noticed else 'UNNOTICED'}  {place}: {condition}", flush=True)
        if not noticed:
            unnoticed.append(place)
    print(f"{len(chosen) - len(unnoticed)} of {len(chosen)} checks are tested")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
