# SPDX-License-Identifier: Apache-2.0
"""Result files that earlier versions wrote, in tests/golden/files/VERSION: today they say what those versions printed of them."""
import json
import shutil
import unittest
from pathlib import Path

from harness import ProgramTest, run

FILES = Path(__file__).resolve().parents[1] / "golden/files"


def missing(old, new, place=""):
    """Where `new` lacks something of `old` or differs from it; it may have more names."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [one for name, value in old.items()
                for one in (missing(value, new[name], f"{place}/{name}") if name in new else [f"{place}/{name} is gone"])]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [one for i, (a, b) in enumerate(zip(old, new)) for one in missing(a, b, f"{place}/{i}")]
    return [] if old == new else [f"{place}: {old} became {new}"]


class OlderFiles(ProgramTest):
    def shown(self, path):
        done = run("show", path, "--format", "json")
        self.expect(done, 0)
        return json.loads(done.stdout)

    def test_a_result_says_what_it_said(self):
        versions = sorted(FILES.glob("*/run.h5"))
        self.assertEqual([path.parent.name for path in versions], ["1.0", "1.1"])
        for path in versions:
            with self.subTest(path.parent.name):
                self.assertEqual(missing(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")), self.shown(path)), [])

    def test_an_interrupted_run_says_what_it_said_and_is_finalised(self):
        begun = sorted(FILES.glob("*/begun.h5.parts"))
        self.assertEqual([path.parent.name for path in begun], ["1.0", "1.1"])
        for path in begun:
            with self.subTest(path.parent.name):
                old = json.loads((path.parent / "begun.json").read_text(encoding="utf-8"))
                parts, out = self.path(f"{path.parent.name}.h5.parts"), self.path(f"{path.parent.name}.h5")
                shutil.copytree(path, parts)
                before = self.shown(parts)
                self.expect(run("finalize", parts, "-o", out), 0)
                for rows in (before, self.shown(out)):
                    self.assertEqual([(row["key"], row["status"]) for row in rows], [(row["key"], row["status"]) for row in old])
                    finished = [row for row in old if row["status"] == "ok"]
                    self.assertEqual(len(finished), 2)
                    self.assertEqual(missing(finished, rows[:2]), [])


if __name__ == "__main__":
    unittest.main()
