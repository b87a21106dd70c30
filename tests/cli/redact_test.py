# SPDX-License-Identifier: Apache-2.0
"""`run --redact`: names go, all else stays as an unredacted run of the same build has it.

    redact_test.py OTHER_NAMES_LIBRARY

The library gives host and user names that are looked for in the files; a serial number is planted in the description of the
machine, a device's UUID in a variable."""
import hashlib
import hmac
import json
import os
import re
import subprocess
import sys
import unittest
from xml.etree import ElementTree

import h5py

from harness import KERNELS, ProgramTest, run, text_of

LIBRARY = sys.argv.pop(1)
HOST, USER, SERIAL = "blackbird17", "jdoesmith", "CHASSIS9001X"
DEVICE = "GPU-12345678-aaaa-bbbb-cccc-1234567890ab"
NAMES = {"LD_PRELOAD": LIBRARY, "OTHER_HOST": HOST, "OTHER_USER": USER, "NVIDIA_VISIBLE_DEVICES": DEVICE,
         "TORCH_NOTE": f"tcp,{HOST}", "SCALEMARK_CAMPAIGN": "redaction"}
# What changes from run to run.
CHANGING = re.compile(r"^(end\..*|load_average|memory_available|processes_of_other_users|cpu_clock_now|cpu_throttle_events|nic_errors\..*)$")
# Facts that may quote paths and names; no other changes.
TEXTS = re.compile(r"^(env\..*|(build\.)?(flags|cuda|nccl|cupti|dali|libtorch|gloo)|mpi\..*|mpi_library|kernel|nic\..*|nvml)$")
HASH = r"\b(?:host|hosts|user|account|serial|device|job|submit|mail|address)-[0-9a-f]{10}\b"


def cut(value):
    """Paths without their folders."""
    return re.sub(r"(?<![\w.~+*)\]}/-])/(?:[^\s:,;'\")\]}<>|`/]+/)*([^\s:,;'\")\]}<>|`/]+)", r"\1", value)


def hidden(value):
    """Names and their hashes alike."""
    return re.sub(rf"{HASH}|GPU-{HASH}|\b{HOST}\b|\b{USER}\b|{DEVICE}", "NAME", value)


def fnv(data):
    """FNV-1a, 64 bits: files of version 0.2 have such hashes."""
    value = 0xcbf29ce484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001b3) % 2**64
    return f"{value:016x}"


def values_in(path):
    """Every text in a file."""
    texts = []

    def take(_, item):
        texts.extend(text_of(value) for value in item.attrs.values())
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "SO":
            texts.extend(text_of(value) for value in item[()].ravel())
    with h5py.File(path) as file:
        take("/", file)
        file.visititems(take)
    return texts


def node_of(path):
    with h5py.File(path) as file:
        return text_of(file["topology/ranks/node"][0])


class Redact(ProgramTest):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")
        os.environ["XDG_STATE_HOME"] = self.state
        self.key = os.path.join(self.state, "scalemark", "redaction-key")

    def measure(self, name, *more, env=None):
        path = self.path(name)
        done = run("run", "micro/(barrier|pingpong)", "-b", 8, "-n", 3, "--tag", f"note=by {USER} on {HOST}", "-o", path, *more,
                   ranks=2, env={**NAMES, **(env or {})})
        self.expect(done, 0)
        return path

    def machine(self, path):
        with h5py.File(path) as file:
            return text_of(file["topology/nodes/kind1/hwloc_xml"][0])

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
            self.assertRegex(text_of(b.attrs["producer.version"]), r"^\d+\.\d+\.\d+$")
            for name in a.attrs:
                if name.startswith("producer."):
                    fact = name.removeprefix("producer.")
                    want, got = text_of(a.attrs[name]), text_of(b.attrs[name])
                    self.assertEqual(hidden(got), hidden(cut(want)) if TEXTS.match(fact) else want, name)
            self.assertEqual(text_of(a["run/config"][()]), text_of(b["run/config"][()]).replace("redact: true\n", "", 1))
            facts = a["env/common"].attrs
            self.assertEqual({name for name in facts if not CHANGING.match(name)},
                             {name for name in b["env/common"].attrs if not CHANGING.match(name)})
            for name in facts:
                if CHANGING.match(name):
                    continue
                want, got = text_of(facts[name]), text_of(b["env/common"].attrs[name])
                self.assertEqual(hidden(got), hidden(cut(want)) if TEXTS.match(name) else want, name)
            nodes = [text_of(node) for node in b["topology/ranks/node"]]
            self.assertRegex(nodes[0], r"^host-[0-9a-f]{10}$")
            self.assertEqual(nodes, [nodes[0]] * 2)
            self.assertEqual(text_of(b["env/common"].attrs["env.TORCH_NOTE"]), f"tcp,{nodes[0]}")
        self.assertEqual(self.machine(plain), self.machine(redacted))
        ElementTree.fromstring(self.machine(redacted).encode())

    def test_shown_as_an_unredacted_one(self):
        plain, redacted = self.measure("plain.h5"), self.measure("redacted.h5", "--redact")
        first = [run("show", path).stdout.splitlines()[0].rsplit(",", 1)[0] for path in (plain, redacted)]
        self.assertEqual(first[0], first[1])
        self.assertRegex(first[1], r"^Scalemark \d+\.\d+\.\d+, 2 ranks on 1 node$")

    def test_a_name_does_not_come_back_from_a_word_list(self):
        path = self.measure("redacted.h5", "--redact")
        texts, node = {one.strip("\0") for one in values_in(path)}, node_of(path)
        self.assertIn("redaction", texts, "the campaign, which was the salt")
        for salt in texts:
            for kind in ("host", "host-", ""):
                data = f"{kind}\0{HOST}".encode()
                for guess in (fnv(salt.encode() + b"\0" + data), hashlib.sha256(salt.encode() + b"\0" + data).hexdigest(),
                              hmac.new(salt.encode(), data, "sha256").hexdigest()):
                    self.assertNotEqual(node, f"host-{guess[:10]}", f"the salt is '{salt[:80]}'")

    def test_only_the_secret_gives_the_name(self):
        path = self.measure("redacted.h5", "--redact")
        secret = self.content(self.key)
        self.assertEqual(os.stat(self.key).st_mode & 0o7777, 0o600)
        self.assertEqual(node_of(path), "host-" + hmac.new(secret, f"host\0{HOST}".encode(), "sha256").hexdigest()[:10])
        for part in (secret, secret.strip(), bytes.fromhex(secret.decode()), secret[:16], secret[32:48]):
            self.assertEqual(self.content(path).count(part), 0, "a part of the secret")
        for what in (secret, secret.strip()):
            for known in (hashlib.sha256(what).hexdigest(), fnv(what)):
                self.assertFalse([one for one in values_in(path) if known[:10] in one])

    def test_a_secret_gives_the_same_names_in_all_runs(self):
        first = node_of(self.measure("1.h5", "--redact"))
        self.assertEqual(node_of(self.measure("2.h5", "--redact", env={"SCALEMARK_CAMPAIGN": "another"})), first)
        other = self.path("other-key")
        with open(other, "w", encoding="utf-8") as file:
            file.write("0123456789abcdef" * 4)
        os.chmod(other, 0o600)
        env = {"SCALEMARK_REDACTION_KEY_FILE": other}
        of_other = node_of(self.measure("3.h5", "--redact", env=env))
        self.assertNotEqual(of_other, first)
        self.assertEqual(node_of(self.measure("4.h5", "--redact", env={**env, "XDG_STATE_HOME": self.path("unused")})), of_other)
        self.assertFalse(os.path.exists(self.path("unused")))

    def test_a_secret_that_others_may_read_is_refused(self):
        self.measure("1.h5", "--redact")
        os.chmod(self.key, 0o644)
        arguments = ("run", "micro/barrier", "-n", 3, "--redact", "-o", self.path("2.h5"))
        done = run(*arguments, ranks=2)
        self.expect(done, 2, "may be read or written by others", self.key)
        self.assertFalse(os.path.exists(self.path("2.h5")) or os.path.exists(self.path("2.h5.parts")))
        self.expect(run(*arguments, ranks=2, env={"SCALEMARK_REDACTION_KEY_FILE": self.path("none")}), 2, "does not exist")

    def test_without_a_place_for_the_secret_it_is_of_this_run_only(self):
        open(self.path("file"), "w", encoding="utf-8").close()
        env = {"XDG_STATE_HOME": self.path("file")}
        done = run("run", "micro/barrier", "-n", 3, "--redact", "-o", self.path("1.h5"), ranks=2, env={**NAMES, **env})
        self.expect(done, 0, "for this run only", "SCALEMARK_REDACTION_KEY_FILE")
        self.assert_nothing_left(self.path("1.h5"))
        self.assertNotEqual(node_of(self.path("1.h5")), node_of(self.measure("2.h5", "--redact", env=env)))

    def test_paths_and_addresses_in_tags(self):
        tags = {"a": "jroe/data/set", "b": "~jroe/x", "c": "../jroe/y, ./jroe/z", "d": "ask jane.roe@mail.example.net",
                "e": "jroe@login7", "f": "/home/jroe", "g": "http://wiki7.example.net/jroe/run", "h": "10.17.18.19",
                "kept": "1/2 of 4 nodes, 20 GB/s, gcc@12.2"}
        path = self.measure("redacted.h5", "--redact", *[word for tag in tags.items() for word in ("--tag", "=".join(tag))])
        for secret in ("jroe", "jane", "example.net", "login7", "wiki7", "10.17.18"):
            self.assertEqual(self.content(path).count(secret.encode()), 0, secret)
        with h5py.File(path) as file:
            self.assertEqual(text_of(file["run"].attrs["tag.a"]), "set")
            self.assertEqual(text_of(file["run"].attrs["tag.kept"]), tags["kept"])
            self.assertIn("micro/(barrier|pingpong)", text_of(file["run/command_line"][()]))

    def test_variables_with_secrets_are_never_stored(self):
        secrets = {"NVIDIA_PW": "hunter2a", "UCX_CM_CREDS": "hunter2b", "TORCH_HUB_BEARER": "hunter2c", "MKL_LICENSE": "hunter2d",
                   "OMPI_MCA_plm_rsh_agent": "ssh -l hunter2e", "NCCL_NOTE": "password=hunter2f"}
        for redact in ((), ("--redact",)):
            path = self.measure("secret.h5", "--force", *redact, env={**secrets, "UCX_TLS": "self,sm"})
            self.assertEqual(self.content(path).count(b"hunter2"), 0)
            with h5py.File(path) as file:
                self.assertEqual(text_of(file["env/common"].attrs["env.UCX_TLS"]), "self,sm")

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
