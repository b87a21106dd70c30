# SPDX-License-Identifier: Apache-2.0
"""Result files that ship with the project: small, readable, mentioned, and naming nobody."""
import glob
import os
import re
import subprocess
import unittest
from xml.etree import ElementTree

import h5py

from harness import run, text_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FORBIDDEN = {
    "absolute path": r"(?<![\w./-])/(home|root|tmp|work|mnt|scratch|users?|data|opt|srv|lustre|gpfs|nfs|var)/\w",
    "UUID of a device": r"\b(GPU|MIG)-(?!x)[0-9a-f]{8}-[0-9a-f]{4}-",
    "address": r"\b(10\.\d+|192\.168|172\.(1[6-9]|2\d|3[01]))\.\d+\.\d+\b",
    "hardware address": r"\b([0-9a-f]{2}:){5}[0-9a-f]{2}\b",
    "mail address": r"\b[\w.+-]+@[\w-]+\.\w+",
}

# What --redact writes in place of a name.
HASH = r"\b(host|hosts|user|account|serial|device|job|submit|mail|address)-[0-9a-f]{10}\b"


def committed():
    files = sorted(glob.glob(os.path.join(ROOT, "results", "**", "*.h5"), recursive=True))
    return [path for path in files if not os.path.relpath(path, ROOT).startswith("results/local/")]


def texts(path):
    """Every name and value in the file that is text, as h5dump prints it."""
    dump = subprocess.run(["h5dump", "-y", "-w", "0", path], capture_output=True, text=True, check=True, errors="replace")
    return re.findall(r'"((?:[^"\\]|\\.)*)"', dump.stdout.split("\n", 1)[1])


class Committed(unittest.TestCase):
    def test_there_is_one(self):
        self.assertTrue(committed(), "results/ has no file to read the format by")

    def test_each_is_small_readable_and_in_the_list(self):
        with open(os.path.join(ROOT, "results", "README.md"), encoding="utf-8") as file:
            listed = file.read()
        for path in committed():
            self.assertLess(os.path.getsize(path), 4 << 20, path)
            self.assertEqual(run("show", path).returncode, 0, path)
            # A set of runs is listed by its folder.
            folder, name = os.path.split(os.path.relpath(path, os.path.join(ROOT, "results")))
            self.assertTrue(name in listed or f"{folder}/" in listed, f"{path} has no line in results/README.md")

    def test_none_was_measured_on_the_software_gpu(self):
        for path in committed():
            self.assertFalse([text for text in texts(path) if "software GPU" in text], path)

    def test_none_names_anybody(self):
        for path in committed():
            with h5py.File(path) as file:
                for node in file["topology/ranks/node"][()]:
                    self.assertRegex(text_of(node), r"^host-[0-9a-f]{10}$", path)
            for text in texts(path):
                for what, pattern in FORBIDDEN.items():
                    self.assertIsNone(re.search(pattern, text, re.IGNORECASE), f"{path}: {what} in '{text[:300]}'")

    def test_redaction_took_nothing_but_names(self):
        """Hashes stand where names stood, and nowhere else."""
        for path in committed():
            with self.subTest(path), h5py.File(path) as file:
                producer = {name.removeprefix("producer."): text_of(value) for name, value in file.attrs.items()
                            if name.startswith("producer.")}
                self.assertRegex(producer["version"], r"^\d+\.\d+\.\d+$")
                self.assertRegex(producer["compiler"], r"^[A-Z]\w+ \d+\.\d+\.\d+$")
                preset, keys = text_of(file["run/config"][()]).split("\n", 1)
                self.assertRegex(preset, r"^preset: ")
                self.assertNotRegex(keys, HASH)
                for name, value in [*producer.items(), *file["env/common"].attrs.items()]:
                    self.assertNotRegex(text_of(value), HASH, name)
                for node in file["topology"].get("nodes", {}).values():
                    xml = text_of(node["hwloc_xml"][0])
                    self.assertNotRegex(xml, HASH)
                    ElementTree.fromstring(xml.encode())


if __name__ == "__main__":
    unittest.main()
