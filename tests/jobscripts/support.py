# SPDX-License-Identifier: Apache-2.0
"""Folders, scripts and the stub program, for the tests of the job scripts."""
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
SCRIPTS = os.path.join(ROOT, "jobscripts")
STUB = os.path.join(ROOT, "tests", "jobscripts", "stub_scalemark.sh")


def start(*command, env=None, cwd=None, timeout=60):
    """Runs a command to its end; returns it with its texts."""
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=timeout, cwd=cwd,
                          env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, check=False)


def tool(folder, name, body):
    """A stub of a program, for a folder that comes first on PATH."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as script:
        script.write(f"#!/bin/bash\n{body}\n")
    os.chmod(path, 0o755)


class ScriptTest(unittest.TestCase):
    """A test with a folder of its own and the stub's settings."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="scalemark-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.log = self.path("launches")
        open(self.log, "w", encoding="ascii").close()
        self.out = self.path("out")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def stub(self, plan):
        return {"SCALEMARK": STUB, "STUB_PLAN": plan, "STUB_LOG": self.log}

    def launches(self):
        with open(self.log, encoding="ascii") as lines:
            return lines.read().splitlines()

    def files(self):
        return sorted(name for name in os.listdir(self.out) if name != "campaign") if os.path.isdir(self.out) else []

    def expect(self, done, code, *texts):
        self.assertEqual(done.returncode, code, f"stdout: {done.stdout}\nstderr: {done.stderr}")
        for text in texts:
            self.assertIn(text, done.stderr)
