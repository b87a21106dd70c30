# SPDX-License-Identifier: Apache-2.0
"""cmake --install of a build into a prefix: install_test.py BUILD"""
import os
import subprocess
import sys
import unittest

from support import ROOT, ScriptTest, start

BUILD = sys.argv[1]


class Install(ScriptTest):
    def test_programs_data_pages_and_completions_are_there(self):
        prefix = self.path("prefix")
        self.expect(start("cmake", "--install", BUILD, "--prefix", prefix, timeout=120), 0)
        for path in ("bin/scalemark-kernels", "share/scalemark/presets/quick.toml", "share/scalemark/golden/tokens.json",
                     "share/man/man1/scalemark.1", "share/man/man1/scalemark-run.1", "share/bash-completion/completions/scalemark",
                     "share/zsh/site-functions/_scalemark", "share/fish/vendor_completions.d/scalemark.fish",
                     "share/doc/scalemark/README.md", "share/doc/scalemark/LICENSE"):
            self.assertTrue(os.path.getsize(os.path.join(prefix, path)) > 0, path)
        presets = os.listdir(os.path.join(prefix, "share", "scalemark", "presets"))
        self.assertEqual(sorted(presets), sorted(os.listdir(os.path.join(ROOT, "suites", "presets"))))
        program = os.path.join(prefix, "bin", "scalemark")
        listed = start(program, "list")
        self.expect(listed, 0)
        self.assertIn("micro/allreduce", listed.stdout)
        pages = {name for name in os.listdir(os.path.join(prefix, "share", "man", "man1")) if name.startswith("scalemark-")}
        told = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
        names = [line.split()[0] for line in told[told.index("Subcommands:"):told.index("Examples:")].splitlines()[1:]
                 if line.startswith("  ") and not line.startswith("   ")]
        self.assertEqual(pages, {f"scalemark-{name}.1" for name in names})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
