#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints which tests of JUnit files failed, and the lines of their output that say why.

    tests/failures.py [FILE...]
"""
import re
import sys
import xml.etree.ElementTree as ET

# unittest's exceptions and CTest's reasons; GoogleTest's failures, whose next lines are the values.
REASON = re.compile(r"^(\w+Error\b|\w*Exception\b|.*: Failure$|.*ERROR: \w+Sanitizer|.*runtime error: |.*Timeout)")
TEST = re.compile(r"^(FAIL|ERROR): |^\[  FAILED  \] .* \(")
FOLLOWING = 4
LINES = 16


def reasons(output):
    kept, until = [], -1
    for number, line in enumerate(output.splitlines()):
        if TEST.match(line) or REASON.match(line):
            until = number + (FOLLOWING if line.endswith(": Failure") else 0)
        if number <= until:
            kept.append(line[:400])
    return kept[:LINES] or output.splitlines()[-LINES:]


def main(files):
    for name in files:
        for case in ET.parse(name).getroot().iter("testcase"):
            if case.get("status") != "fail":
                continue
            print(f"{case.get('name')} ({name})")
            output = case.findtext("system-out") or ""
            message = case.find("failure").get("message") if case.find("failure") is not None else ""
            for line in [message or ""] + reasons(output):
                if line:
                    print(f"    {line}")


main(sys.argv[1:])
