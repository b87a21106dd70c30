# SPDX-License-Identifier: Apache-2.0
"""docs/benchmarks.md, docs/presets.md and docs/glossary.md are what the program says, and the glossary has every metric."""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from docs_blocks import blocks
from harness import SCALEMARK, run

ROOT = Path(__file__).resolve().parents[2]


class Reference(unittest.TestCase):
    def test_the_pages_are_current(self):
        done = subprocess.run([sys.executable, ROOT / "docs/generate_reference.py", SCALEMARK, "--check"], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_preset_that_the_page_shows_is_one(self):
        (text,) = (code for language, code, _ in blocks((ROOT / "docs/presets.md").read_text(encoding="utf-8")) if language == "toml")
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "mine.toml").write_text(text, encoding="utf-8")
            for name, backend in (("mine.toml", "backend=nccl"), ("mine-cpu.toml", "backend=mpi")):
                done = run("run", "--preset", Path(folder, name), "--dry-run")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(backend, done.stdout)

    def test_the_glossary_has_every_metric_of_the_committed_files(self):
        glossary = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").split("## Axes")[0]
        names = [re.escape(name).replace("X", ".+") for name in re.findall(r"^\| `(\w+)`", glossary, re.MULTILINE)]
        seen = set()
        for file in sorted((ROOT / "results/cpu-2core").glob("*.h5")):
            for line in run("show", file, "--format", "jsonl").stdout.splitlines():
                seen.update(json.loads(line)["metrics"])
        self.assertGreater(len(seen), 20)
        self.assertEqual([name for name in sorted(seen) if not any(re.fullmatch(one, name) for one in names)], [])


if __name__ == "__main__":
    unittest.main()
