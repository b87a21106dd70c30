# SPDX-License-Identifier: Apache-2.0
"""`run --redact`: names go, all else stays as an unredacted run of the same build has it.

    redact_test.py OTHER_NAMES_LIBRARY

The library gives host and user names that are looked for in the files; a serial number is planted in the description of the
machine, a device's UUID in a variable."""
import json
import os
import re
import subprocess
import sys
import unittest
from xml.etree import ElementTree

import h5py

from harness import KERNELS, ProgramTest, run

LIBRARY = sys.argv.pop(1)
HOST, USER, SERIAL = "blackbird17", "jdoesmith", "CHASSIS9001X"
DEVICE = "GPU-12345678-aaaa-bbbb-cccc-1234567890ab"
NAMES = {"LD_PRELOAD": LIBRARY, "OTHER_HOST": HOST, "OTHER_USER": USER, "NVIDIA_VISIBLE_DEVICES": DEVICE,
         "TORCH_NOTE": f"tcp,{HOST}", "SCALEMARK_CAMPAIGN": "redaction"}
# What changes from run to run.
CHANGING = re.compile(r"^(end\..*|load_average|memory_available|processes_of_other_users|cpu_clock_now|cpu_throttle_events|nic_errors\..*)$")
# Facts that may quote paths and names; no other changes.
TEXTS = re.compile(r"^(env\..*|(build\.)?(flags|cuda|nccl|cupti|dali|libtorch|gloo)|mpi\..*|mpi_library|kernel|nic\..*|nvml)$")
HASH = r"\b(?:host|hosts|user|account|serial|device|job|submit)-[0-9a-f]{10}\b"


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def cut(value):
    """Paths without their folders."""
    return re.sub(r"(?<![\w.~+*)\]}/-])/(?:[^\s:,;'\")\]}<>|`/]+/)*([^\s:,;'\")\]}<>|`/]+)", r"\1", value)


def hidden(value):
    """Names and their hashes alike."""
    return re.sub(rf"{HASH}|GPU-{HASH}|\b{HOST}\b|\b{USER}\b|{DEVICE}", "NAME", value)


class Redact(ProgramTest):
    def measure(self, name, *more, env=None):
        path = self.path(name)
        done = run("run", "micro/(barrier|pingpong)", "-b", 8, "-n", 3, "--tag", f"note=by {USER} on {HOST}", "-o", path, *more,
                   ranks=2, env={**NAMES, **(env or {})})
        self.expect(done, 0)
        return path

    def machine(self, path):
        with h5py.File(path) as file:
            return text(file["topology/nodes/kind1/hwloc_xml"][0])

    def assert_nothing_left(self, path):
        folder, name = os.path.split(path)
        dump = subprocess.run(["h5dump", "-y", "-w", "0", name], capture_output=True, check=True, cwd=folder).stdout
        for what, content in (("file", self.content(path)), ("dump", dump)):
            for secret in (HOST, USER, SERIAL, DEVICE[4:], self.folder):
                self.assertEqual(content.count(secret.encode()), 0, f"{secret} is in the {what} of {name}")

    def test_names_go_and_all_else_stays(self):
        plain, redacted = self.measure("plain.h5"), self.measure("redacted.h5", "--redact")
        for secret in (HOST, USER, DEVICE):
            self.assertIn(secret.encode(), self.content(plain), "the test plants what it looks for")
        self.assert_nothing_left(redacted)
        with h5py.File(plain) as a, h5py.File(redacted) as b:
            self.assertRegex(text(b.attrs["producer.version"]), r"^\d+\.\d+\.\d+$")
            for name in a.attrs:
                if name.startswith("producer."):
                    fact = name.removeprefix("producer.")
                    want, got = text(a.attrs[name]), text(b.attrs[name])
                    self.assertEqual(hidden(got), hidden(cut(want)) if TEXTS.match(fact) else want, name)
            self.assertEqual(text(a["run/config"][()]), text(b["run/config"][()]).replace("redact: true\n", "", 1))
            facts = a["env/common"].attrs
            self.assertEqual({name for name in facts if not CHANGING.match(name)},
                             {name for name in b["env/common"].attrs if not CHANGING.match(name)})
            for name in facts:
                if CHANGING.match(name):
                    continue
                want, got = text(facts[name]), text(b["env/common"].attrs[name])
                self.assertEqual(hidden(got), hidden(cut(want)) if TEXTS.match(name) else want, name)
            nodes = [text(node) for node in b["topology/ranks/node"]]
            self.assertRegex(nodes[0], r"^host-[0-9a-f]{10}$")
            self.assertEqual(nodes, [nodes[0]] * 2)
            self.assertEqual(text(b["env/common"].attrs["env.TORCH_NOTE"]), f"tcp,{nodes[0]}")
        self.assertEqual(self.machine(plain), self.machine(redacted))
        ElementTree.fromstring(self.machine(redacted).encode())

    def test_shown_as_an_unredacted_one(self):
        plain, redacted = self.measure("plain.h5"), self.measure("redacted.h5", "--redact")
        first = [run("show", path).stdout.splitlines()[0].rsplit(",", 1)[0] for path in (plain, redacted)]
        self.assertEqual(first[0], first[1])
        self.assertRegex(first[1], r"^Scalemark \d+\.\d+\.\d+, 2 ranks on 1 node$")

    def test_redacted_runs_of_a_campaign_compare(self):
        first, second = self.measure("1.h5", "--redact"), self.measure("2.h5", "--redact")
        done = run("compare", first, "--against", second, "--format", "json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["environment"], [])
        self.assertGreater(len(report["rows"]), 1)

    def test_a_serial_number_of_the_machine_is_nowhere(self):
        xml = self.machine(self.measure("plain.h5"))
        infos = f'<info name="DMIProductSerial" value="{SERIAL}"/><info name="HostName" value="{HOST}"/>'
        given = self.path("machine.xml")
        with open(given, "w", encoding="utf-8") as file:
            file.write(re.sub(r'(<object type="Machine"[^>]*>)', lambda one: one[1] + infos, xml, count=1))
        read = run("info", env={**NAMES, "HWLOC_XMLFILE": given, "HWLOC_THISSYSTEM": "1"})
        self.expect(read, 0)
        path = self.measure("redacted.h5", "--redact", env={"HWLOC_XMLFILE": given, "HWLOC_THISSYSTEM": "1"})
        self.assert_nothing_left(path)

    def test_kernels_too(self):
        path = self.path("kernels.h5")
        done = run("-o", path, "--redact", "--benchmark_filter=memcpy", "--benchmark_min_time=0.001", program=KERNELS, env=NAMES)
        self.expect(done, 0)
        self.assert_nothing_left(path)
        self.assertRegex(run("show", path).stdout, r"^Scalemark \d+\.\d+\.\d+,")


if __name__ == "__main__":
    unittest.main()
