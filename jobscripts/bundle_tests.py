# SPDX-License-Identifier: Apache-2.0
"""Packs the GPU tests of a build: reads `ctest --show-only=json-v1`, writes BUNDLE/tests/list."""
import json
import os
import shutil
import sys

GPU_TESTS = os.path.join("tests", "gpu")
folder = os.path.join(os.environ["BUNDLE"], "tests")
lines = []
for test in json.load(sys.stdin)["tests"]:
    properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
    if "gpu" not in properties.get("LABELS", []) or "command" not in test:
        continue
    command = []
    for word in test["command"]:
        if os.path.basename(word) == "mpirun":
            word = "mpirun"
        elif os.path.isabs(word) and os.path.dirname(word).endswith(GPU_TESTS) and not os.path.exists(word):
            sys.exit(f"bundle.sh: {test['name']}: {os.path.basename(word)} is not built (see SCALEMARK_TESTS in its CMakeCache.txt)")
        elif os.path.isfile(word) and os.access(word, os.X_OK):
            name = os.path.basename(word)
            shutil.copy(word, os.path.join(folder, name))
            word = "tests/" + name
        command.append(word)
    settings = [entry for entry in properties.get("ENVIRONMENT", []) if entry.startswith("SCALEMARK_EXPECT_RANKS=")]
    lines.append("\t".join([test["name"], *settings, *command]))
with open(os.path.join(folder, "list"), "w", encoding="utf-8") as text:
    text.writelines(line + "\n" for line in lines)
print(f"{len(lines)} GPU tests", file=sys.stderr)
