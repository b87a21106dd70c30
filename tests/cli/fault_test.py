# SPDX-License-Identifier: Apache-2.0
"""A rank misbehaves: nobody hangs, the culprit is named, finished cases are kept, the rest is done."""
import itertools
import json
import os
import resource
import signal
import socket
import subprocess
import threading
import time
import unittest

from harness import FAULTY, MPIRUN, SCALEMARK, ProgramTest, ranks_of, rows, run


def fault(what, when, number=0):
    return f"fault={what}", f"when={when}", f"number={number}"


def axes(*pairs):
    return [text for pair in pairs for text in ("-a", pair)]


def limit_address_space():
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))


class FaultTest(ProgramTest):
    def start(self, *arguments, ranks=2, **options):
        return run("run", *arguments, "-o", self.path("out.h5"), "-n", "20", ranks=ranks, program=FAULTY,
                   timeout=60, **options)


class Faults(FaultTest):
    def test_throw_before_communication_fails_the_case_only(self):
        done = self.start("test/fault", *axes("fault=throw,none", "when=before"))
        self.expect(done, 3)
        table = rows(self.path("out.h5"))
        failed = table["test/fault fault=throw number=0 ranks=2 when=before"]
        self.assertEqual(failed["status"], "failed")
        self.assertEqual(failed["reason"], "rank 1: planted failure")
        self.assertEqual(table["test/fault fault=none number=0 ranks=2 when=before"]["status"], "ok")

    def test_throw_after_communication_fails_the_case_only(self):
        done = self.start("test/fault", *axes("fault=throw,none", "when=after"))
        self.expect(done, 3)
        statuses = [row["status"] for row in rows(self.path("out.h5")).values()]
        self.assertEqual(sorted(statuses), ["failed", "ok"])

    def test_throw_in_rank_local_work_fails_the_case_only(self):
        done = self.start("test/local_fault", "test/nap")
        self.expect(done, 3)
        table = rows(self.path("out.h5"))
        self.assertEqual(table["test/local_fault ranks=2"]["reason"], "rank 1: planted failure")
        self.assertEqual(table["test/nap number=0 ranks=2"]["status"], "ok")

    def test_unavailable_on_one_rank_skips_on_all(self):
        done = self.start("test/fault", *axes("fault=unavailable,none", "when=before"))
        self.expect(done, 0)
        row = rows(self.path("out.h5"))["test/fault fault=unavailable number=0 ranks=2 when=before"]
        self.assertEqual((row["status"], row["reason"]), ("skipped", "planted reason"))

    def test_wrong_data_is_exit_6(self):
        done = self.start("test/fault", *axes("fault=wrong_data,none"))
        self.expect(done, 6)
        row = rows(self.path("out.h5"))["test/fault fault=wrong_data number=0 ranks=2 when=before"]
        self.assertEqual(row["status"], "failed")
        self.assertIn("1 of 16 elements wrong", row["reason"])

    def test_throw_inside_communication_ends_the_job_and_resume_finishes_the_rest(self):
        arguments = ["test/fault", *axes("fault=none,throw", "when=inside", "number=0:1:+1")]
        done = self.start(*arguments)
        self.expect(done, 3, "planted failure", "fault=throw number=0", "[1/2 ")
        self.assertEqual(rows(self.path("out.h5.parts"))["test/fault fault=none number=1 ranks=2 when=inside"]["status"], "ok")
        for _ in range(8):
            done = self.start(*arguments, "--resume")
            if os.path.exists(self.path("out.h5")):
                break
        self.expect(done, 3)
        table = rows(self.path("out.h5"))
        self.assertEqual(len(table), 4)
        for number in (0, 1):
            self.assertEqual(table[f"test/fault fault=none number={number} ranks=2 when=inside"]["status"], "ok")
            broken = table[f"test/fault fault=throw number={number} ranks=2 when=inside"]
            self.assertEqual(broken["status"], "failed")
            self.assertIn("measure", broken["reason"] + "warm-up")

    def test_late_rank_is_named(self):
        done = self.start("test/fault", *axes("fault=none,late", "when=inside"), "--timeout", "3")
        self.expect(done, 3, "no progress", "rank 1", "fault=late")
        self.assertEqual(len([r for r in rows(self.path("out.h5.parts")).values() if r["status"] == "ok"]), 1)

    def test_stopped_rank_is_named(self):
        done = self.start("test/fault", *axes("fault=none,stop", "when=inside"), "--timeout", "4")
        self.expect(done, 3, "rank 1", "is stopped", "fault=stop")

    def test_killed_rank_is_named_by_the_survivor(self):
        done = self.start("test/fault", *axes("fault=none,kill", "when=inside"))
        self.expect(done, 137, "rank 1", "is gone")
        self.assertEqual(len([r for r in rows(self.path("out.h5.parts")).values() if r["status"] == "ok"]), 1)


class LackingMemory(FaultTest):
    def test_out_of_memory_is_a_row(self):
        done = self.start("test/fault", *axes("fault=memory,none", "when=before"), preexec_fn=limit_address_space)
        self.expect(done, 0)
        row = rows(self.path("out.h5"))["test/fault fault=memory number=0 ranks=2 when=before"]
        self.assertEqual(row["status"], "oom")

    def test_out_of_memory_inside_communication_is_a_row_after_one_relaunch(self):
        arguments = ["test/fault", *axes("fault=memory,none", "when=inside")]
        done = self.start(*arguments, preexec_fn=limit_address_space)
        self.expect(done, 3, "failed inside communication", "out of host memory")
        self.expect(self.start(*arguments, "--resume", preexec_fn=limit_address_space), 0, "is not tried again: rank 1: out of host memory")
        table = rows(self.path("out.h5"))
        row = table["test/fault fault=memory number=0 ranks=2 when=inside"]
        self.assertEqual(row["status"], "oom")
        self.assertIn("rank 1: out of host memory; the run ended during phase", row["reason"])
        self.assertEqual(table["test/fault fault=none number=0 ranks=2 when=inside"]["status"], "ok")


TIMEOUT = 2  # seconds without a sign of life

# A short case, and one that never ends by itself.
PRESET = """
[[benchmark]]
name = "micro/{name}"
axes = {{ backend = "mpi", memory = "host", bytes = 8, ranks = 2 }}
policy = {{ iterations = 20 }}
[[benchmark]]
name = "micro/{name}"
axes = {{ backend = "mpi", memory = "host", bytes = 65536, ranks = 2 }}
policy = {{ min_time = 500, max_time = 600, max_samples = 1000000000, max_volume = 1000000000000000 }}
"""


ENDS_BY_ITSELF = PRESET.replace("min_time = 500, max_time = 600", "min_time = 8, max_time = 8")


class RealCommunication(ProgramTest):
    """Signals from outside, while a benchmark communicates."""

    def start(self, name, rank, preset_text=PRESET):
        preset = self.path("two.toml")
        with open(preset, "w", encoding="utf-8") as file:
            file.write(preset_text.format(name=name))
        self.out = self.path(f"{name}{rank}.h5")
        self.process = subprocess.Popen(
            [MPIRUN, "-n", "2", "--oversubscribe", "--bind-to", "none", SCALEMARK, "run", "--preset", preset, "-o", self.out,
             "--timeout", str(TIMEOUT)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.process.stderr.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.terminate)
        self.said = []  # moment and line
        self.reader = threading.Thread(target=self.listen, args=(self.process.stderr, self.said), daemon=True)
        self.reader.start()

    @staticmethod
    def listen(stream, said):
        for line in stream:
            said.append((time.monotonic(), line))

    def text(self):
        return "".join(line for _, line in self.said)

    def wait_until_measuring(self):
        """The key of the second case, once its samples are being taken."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with open(os.path.join(self.out + ".parts", "journal"), encoding="utf-8") as file:
                    records = [json.loads(line) for line in file if line.endswith("\n")]
            except FileNotFoundError:
                records = []
            if any(one.get("phase") == "measure" and one["case"] == 1 for one in records):
                time.sleep(0.3)
                return next(one["key"] for one in records if one.get("started") == 1)
            time.sleep(0.05)
        self.fail(f"no second case: {self.text()}")

    def strike(self, name, rank, signal_number):
        """Sends the signal; returns its moment, the process and the key of the case, when all is over."""
        self.start(name, rank)
        key = self.wait_until_measuring()
        victim = ranks_of(self.process.pid)[rank]
        os.kill(victim, signal_number)
        moment = time.monotonic()
        self.process.wait(timeout=60)
        self.reader.join()
        return moment, victim, key

    def expect_the_finished_case(self, name):
        finished = [row for row in rows(self.out + ".parts").values() if row["status"] == "ok"]
        self.assertEqual([(row["name"], row["params"]["bytes"]) for row in finished], [(f"micro/{name}", 8)])
        self.assertEqual(finished[0]["metrics"]["latency"]["n"], 20)

    def test_a_stopped_rank_is_named_in_time(self):
        for name, rank in itertools.product(("allreduce", "pingpong"), (0, 1)):
            with self.subTest(name=name, rank=rank):
                moment, victim, key = self.strike(name, rank, signal.SIGSTOP)
                self.assertEqual(self.process.returncode, 3, self.text())
                message = [(at, line) for at, line in self.said if "no progress" in line]
                self.assertTrue(message, self.text())
                self.assertLessEqual(message[0][0] - moment, TIMEOUT + 5)
                place = f"case '{key}', phase 'measure'"
                self.assertIn(f" in {place}; rank {rank} (host {socket.gethostname()}, pid {victim}) is stopped, in {place}",
                              message[0][1])
                self.expect_the_finished_case(name)

    def test_ranks_that_were_all_stopped_say_so_when_they_go_on(self):
        self.start("allreduce", 0, ENDS_BY_ITSELF)
        self.wait_until_measuring()
        ranks = ranks_of(self.process.pid)
        for one in ranks.values():
            os.kill(one, signal.SIGSTOP)
        time.sleep(4.5)
        for one in ranks.values():
            os.kill(one, signal.SIGCONT)
        self.assertEqual(self.process.wait(timeout=60), 0)
        self.reader.join()
        said = [line for _, line in self.said if "did not run" in line]
        self.assertEqual(len(said), 1, self.text())
        self.assertRegex(said[0], r"rank [01] \(host .*\) and 1 more of its node did not run for [456] s, in case 'micro/allreduce")
        short, stopped = (row["facts"].get("stopped_seconds", 0) for row in rows(self.out).values())
        self.assertEqual(short, 0)
        self.assertIn(stopped, (4, 5, 6))

    def test_a_killed_rank_is_named_by_the_survivor(self):
        for name, rank in itertools.product(("allreduce", "pingpong"), (0, 1)):
            with self.subTest(name=name, rank=rank):
                _, victim, key = self.strike(name, rank, signal.SIGKILL)
                self.assertEqual(self.process.returncode, 128 + signal.SIGKILL, self.text())
                self.assertIn(f"rank {rank} (host {socket.gethostname()}, pid {victim}) is gone, last in case '{key}', phase 'measure'",
                              self.text())
                self.expect_the_finished_case(name)


if __name__ == "__main__":
    unittest.main()
