# SPDX-License-Identifier: Apache-2.0
"""run --resume by a launch that is not of the run: it is refused, says what differs, and changes nothing."""
import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

import h5py

from header_edits import edit_header, replace_attribute
from harness import FAULTY, MPIRUN, SCALEMARK, ProgramTest, ranks_of, rows, run

# Cases of two ranks, as only a launch of two measures them; half a second each.
PLAN = ["run", "micro/allreduce", "-a", "ranks=2", "-a", "backend=mpi", "-a", "memory=host", "-a", "bytes=8:128:*2", "--min-time",
        "500ms", "--max-time", "600ms"]
CASES = 5


def replace_texts(parts, change):
    """Changes the header of a run as h5py writes it."""
    edit_header(os.path.join(parts, "meta.h5"), change)


class Resume(ProgramTest):
    def setUp(self):
        super().setUp()
        self.out = self.path("a.h5")
        self.parts = self.out + ".parts"

    def interrupt(self, program=SCALEMARK):
        """Two ranks, of which one is killed once a case is finished."""
        process = subprocess.Popen([MPIRUN, "-n", "2", "--oversubscribe", "--bind-to", "none", program, *PLAN, "-o", self.out],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not os.path.exists(os.path.join(self.parts, "c000000.h5")):
            self.assertLess(time.monotonic(), deadline, "no case was finished")
            time.sleep(0.05)
        os.kill(ranks_of(process.pid)[1], signal.SIGKILL)
        process.wait(timeout=60)
        self.assertFalse(os.path.exists(self.out), "it was over before it was killed")

    def folder_content(self):
        content = {}
        for place, _, names in os.walk(self.folder):
            for name in names:
                content[os.path.join(place, name)] = self.content(os.path.join(place, name))
        return content

    def expect_refused(self, *texts, ranks=2, program=SCALEMARK, plan=None):
        before = self.folder_content()
        done = run(*(plan or PLAN), "-o", self.out, "--resume", ranks=ranks, program=program)
        self.expect(done, 2, "--resume", "nothing was changed", "scalemark finalize", *texts)
        self.assertEqual(self.folder_content(), before)
        self.assertEqual(done.stdout, "")

    def expect_completed(self, *more):
        before = len([row for row in rows(self.parts).values() if row["status"] == "ok"])
        done = run(*PLAN, "-o", self.out, "--resume", *more, ranks=2)
        self.expect(done, 0)
        self.assertIn(f"\n{CASES} cases ({CASES - before} measured now, {before} before): {CASES} ok\n", done.stdout)
        table = rows(self.out)
        self.assertEqual([row["status"] for row in table.values()], ["ok"] * CASES)
        self.assertFalse(os.path.exists(self.parts))
        with h5py.File(self.out) as file:
            self.assertEqual(file.attrs["complete"], 1)
        return table

    def test_another_number_of_ranks(self):
        self.interrupt()
        self.expect_refused("started with 2 ranks, 1 node, 0 devices", "this launch has 1 rank, 1 node, 0 devices", ranks=1)
        self.expect_refused("started with 2 ranks, 1 node, 0 devices", "this launch has 3 ranks, 1 node, 0 devices", ranks=3)
        self.expect_completed()

    def test_another_plan(self):
        self.interrupt()
        self.expect_refused("another plan or other options: 5 cases, now 6", "now 'micro/allreduce",
                            plan=[word.replace("8:128", "8:256") for word in PLAN])
        self.expect_refused("other options", "'seed: 1', now 'seed: 2'", plan=[*PLAN, "--seed", "2"])
        self.expect_refused("other options", "now 'redact: true'", plan=[*PLAN, "--redact"])
        self.expect_refused("other options", "now 'sync: clock'", plan=[*PLAN, "--sync", "clock"])

    def test_another_program(self):
        self.interrupt(FAULTY)
        self.expect_refused("started by another build")

    def test_another_revision(self):
        self.interrupt()

        def change(file):
            replace_attribute(file, "producer.git_revision", "0123456789ab")
        replace_texts(self.parts, change)
        self.expect_refused("started by another build", "of revision 0123456789ab")

    def test_a_file_that_does_not_say_its_build_goes_on(self):
        self.interrupt()

        def change(file):
            for name in [name for name in file.attrs if name.startswith("producer.")]:
                del file.attrs[name]
            del file["env/common"].attrs["program_build_id"]
        replace_texts(self.parts, change)
        self.expect_completed()

    def test_other_hosts_need_a_word_and_are_stored(self):
        self.interrupt()

        def change(file):
            del file["topology/ranks/node"]
            file["topology/ranks"].create_dataset("node", data=[b"elsewhere"] * 2, dtype=h5py.string_dtype("utf-8", 9))
        replace_texts(self.parts, change)
        here = socket.gethostname()
        self.expect_refused("started on host elsewhere", f"this launch runs on {here}", "--resume-hosts")
        finished = len([row for row in rows(self.parts).values() if row["status"] == "ok"])
        table = self.expect_completed("--resume-hosts")
        hosts = [row["facts"].get("hosts", "elsewhere") for row in table.values()]
        self.assertEqual(hosts, ["elsewhere"] * finished + [here] * (CASES - finished))
        with h5py.File(self.out) as file:
            self.assertEqual(set(file["places"]), {f"{index:06}" for index in range(finished, CASES)})
            self.assertEqual([bytes(name).decode() for name in file[f"places/{CASES - 1:06}/node"][()]], [here] * 2)
        # Each case is shown on its own hosts.
        events = json.loads(run("export", self.out, "--to", "trace").stdout)["traceEvents"]
        nodes = [event["args"]["nodes"] for event in events if event.get("cat") == "case"]
        self.assertEqual(nodes, ["elsewhere"] * finished + [here] * (CASES - finished))
        self.expect(run("report", self.out, "-o", self.path("page.html")), 0)
        self.assertIn(f"{CASES - finished} case{'s' * (CASES - finished > 1)} after --resume", self.content(self.path("page.html")).decode())

    def test_the_word_alone_is_a_mistake(self):
        self.expect(run(*PLAN, "-o", self.out, "--resume-hosts"), 2, "--resume-hosts", "give --resume, too")

    def test_what_the_message_says_of_finalize_works(self):
        self.interrupt()
        done = run(*PLAN, "-o", self.out, "--resume", ranks=1)
        command = re.search(r"scalemark (finalize \S+ -o [^\s;]+)", done.stderr)[1]
        self.expect(run(*command.split()), 0)
        self.assertIn("ok", {row["status"] for row in rows(self.out).values()})


if __name__ == "__main__":
    unittest.main()
