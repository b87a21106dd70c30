# SPDX-License-Identifier: Apache-2.0
"""run --sweeps: samples of all sweeps in one row, rows in order, resume, budget, what is printed."""
import json
import os
import signal
import subprocess
import time
import unittest

import h5py
import numpy

from harness import FAULTY, MPIRUN, ProgramTest, ranks_of, rows, run

SIZES = [8, 64, 512]
MEMCPY = ["run", "micro/memcpy", "-a", "direction=h2h", "-a", "host_memory=pageable", "-a", "bytes=8,64,512", "-n", "20"]


def cases_of(path):
    """By key: facts, and samples and start times of the primary metric."""
    found = {}
    with h5py.File(path) as file:
        for case in file["cases"].values():
            metric = case["metrics"][case.attrs["primary_metric"].decode()]
            facts = {name: value.decode() if isinstance(value, bytes) else value for name, value in case["facts"].attrs.items()}
            found[case.attrs["key"].decode()] = (facts, metric["samples"][:], metric["t0"][:])
    return found


class Sweeps(ProgramTest):
    def test_three_sweeps_are_one_row(self):
        out = self.path("x.h5")
        done = run(*MEMCPY, "--sweeps", "3", "-o", out, "--format", "jsonl", ranks=2)
        self.expect(done, 0, "in 3 sweeps")
        printed = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([row["params"]["bytes"] for row in printed], SIZES, "in the plan's order")
        self.assertEqual(len(cases_of(out)), len(SIZES))
        first_begins = []
        for row in printed:
            facts, samples, t0 = cases_of(out)[row["key"]]
            self.assertEqual(samples.shape, (2, 60))
            self.assertEqual((facts["sweeps"], facts["sweeps_planned"], facts["sweep_starts"]), (3, 3, "0,20,40"))
            self.assertTrue((numpy.diff(t0.astype(float)) > 0).all(), "sweeps lie in the order of time")
            self.assertEqual(row["metrics"]["time"]["n"], 60)
            self.assertEqual(row["metrics"]["first_call"]["n"], 1)
            self.assertGreaterEqual(row["facts"]["between_sweeps"], 0)
            self.assertGreater(row["facts"]["within_sweeps"], 0)
            first_begins.append(t0[[0, 20, 40]])
        # Each sweep goes through all cases before the next one begins.
        begins = numpy.array(first_begins)
        self.assertLess(begins[:, 0].max(), begins[:, 1].min())
        self.assertLess(begins[:, 1].max(), begins[:, 2].min())

    def test_each_sweep_has_an_order_of_its_own_by_the_seed(self):
        def orders(name, *more):
            out = self.path(name)
            self.expect(run("run", "test/nap", "-a", "number=0:9:+1", "-n", "1", "--sweeps", "3", "-o", out, *more, program=FAULTY), 0)
            times = numpy.array([t0 for _, _, t0 in cases_of(out).values()])
            return [times[:, sweep].argsort().tolist() for sweep in range(3)]

        one = orders("a.h5")
        self.assertEqual(len({str(order) for order in one + [list(range(10))]}), 4, one)
        self.assertEqual(orders("b.h5"), one)
        self.assertNotEqual(orders("c.h5", "--seed", "2"), one)

    def test_the_spread_is_what_the_samples_say(self):
        out = self.path("x.h5")
        self.expect(run(*MEMCPY, "--sweeps", "4", "-o", out, ranks=2), 0)
        for facts, samples, _ in cases_of(out).values():
            groups = numpy.log(samples.max(axis=0).reshape(4, 20).astype(float))
            within = groups.var(axis=1, ddof=1).mean()
            between = max(0, groups.mean(axis=1).var(ddof=1) - within / 20)
            self.assertAlmostEqual(facts["within_sweeps"], within ** 0.5, 9)
            self.assertAlmostEqual(facts["between_sweeps"], between ** 0.5, 7)

    def test_the_table_has_a_column_for_it_only_then(self):
        out, plain = self.path("x.h5"), self.path("plain.h5")
        done = run(*MEMCPY, "--sweeps", "2", "-o", out)
        self.expect(done, 0)
        for text in (done.stdout, run("show", out).stdout):
            header = next(line for line in text.splitlines() if " n" in line and "interval" in line)
            self.assertIn("between %", header)
            self.assertEqual(text.count("interval  "), 1, "one header for all rows")
        self.assertNotIn("between %", run(*MEMCPY, "-o", plain).stdout)
        self.assertNotIn("sweeps", str(rows(plain)))

    def test_one_sweep_changes_no_key_and_no_hash(self):
        out, plain = self.path("x.h5"), self.path("plain.h5")
        self.expect(run(*MEMCPY, "--sweeps", "2", "-o", out), 0)
        self.expect(run(*MEMCPY, "--sweeps", "1", "-o", plain), 0)
        names = []
        for path in (out, plain):
            with h5py.File(path) as file:
                names.append([(case.attrs["key"], case.attrs["config_hash"]) for case in file["cases"].values()])
                self.assertEqual(b"sweeps: 2" in bytes(file["run/config"][()]), path == out)
        self.assertEqual(*names)

    def test_tables_of_other_tools_keep_their_order(self):
        out = self.path("x.h5")
        command = ["run", "micro/allreduce", "-a", "backend=mpi", "-a", "memory=host", "-b", "8", "-e", "4096", "-f", "8", "-n", "10"]
        done = run(*command, "--sweeps", "3", "-o", out, "--format", "osu", ranks=2)
        self.expect(done, 0)
        sizes = [int(line.split()[0]) for line in done.stdout.splitlines() if line[:1].isdigit()]
        self.assertEqual(sizes, [8, 64, 512, 4096])

    def test_a_count_that_is_none(self):
        for text in ("0", "-1", "x", "1001", ""):
            self.expect(run(*MEMCPY, "--sweeps", text, "--dry-run"), 2, "--sweeps")

    def test_a_budget_leaves_fewer_sweeps(self):
        out = self.path("x.h5")
        done = run("run", "test/nap", "-a", "number=0:9:+1", "-n", "10", "--sweeps", "1000", "--budget", "2", "-o", out,
                   program=FAULTY)
        self.expect(done, 0)
        counts = [row["facts"]["sweeps"] for row in rows(out).values()]
        self.assertEqual({row["status"] for row in rows(out).values()}, {"ok"})
        self.assertEqual(len(counts), 10)
        self.assertLess(max(counts), 1000)
        self.assertLessEqual(max(counts) - min(counts), 1)
        self.assertEqual(run("run", "test/nap", "-a", "number=0:9:+1", "-n", "10", "--sweeps", "1000", "--resume", "-o", out,
                             program=FAULTY).returncode, 2, "it is finished")

    def test_wrong_data_is_seen_whatever_the_other_sweeps(self):
        out = self.path("x.h5")
        done = run("run", "test/fault", "-a", "fault=none,wrong_data", "-n", "5", "--sweeps", "3", "-o", out, ranks=2,
                   program=FAULTY)
        self.expect(done, 6)
        by_fault = {row["params"]["fault"]: row for row in rows(out).values()}
        self.assertEqual(by_fault["none"]["facts"]["sweeps"], 3)
        self.assertEqual((by_fault["wrong_data"]["status"], by_fault["wrong_data"]["facts"]["sweeps"]), ("failed", 0))
        self.assertIn("sweep 1 of 3: rank 0: ", by_fault["wrong_data"]["reason"])


class Interrupted(ProgramTest):
    COMMAND = ["run", "test/nap", "-a", "number=0:9:+1", "-n", "20", "--sweeps", "4", "--format", "jsonl", "--quiet"]

    def interrupt(self, out, seconds, signal_number):
        """Starts the run and ends it after a time; whether it was still under way."""
        process = subprocess.Popen([MPIRUN, "-n", "2", "--oversubscribe", "--bind-to", "none", FAULTY, *self.COMMAND, "-o", out],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not os.path.exists(os.path.join(out + ".parts", "c000000.h5")) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(seconds)
        if signal_number == signal.SIGKILL:
            os.kill(ranks_of(process.pid)[1], signal_number)
        else:
            process.send_signal(signal_number)
        process.wait(60)
        return not os.path.exists(out)

    def complete(self, out, mentioned):
        done = run(*self.COMMAND, "-o", out, "--resume", ranks=2, program=FAULTY)
        self.expect(done, 0)
        self.assertEqual(len(done.stdout.splitlines()), mentioned, "rows that this launch has completed")
        for facts, samples, _ in cases_of(out).values():
            self.assertEqual((facts["sweeps"], facts["sweep_starts"]), (4, "0,20,40,60"))
            self.assertEqual(samples.shape, (2, 80))

    def test_a_killed_run_ends_with_all_sweeps(self):
        for number, seconds in enumerate((0.1, 0.5)):
            out = self.path(f"killed{number}.h5")
            self.assertTrue(self.interrupt(out, seconds, signal.SIGKILL), "it was over before it was killed")
            kept = rows(out + ".parts")
            samples = [row["metrics"]["time"]["n"] for row in kept.values() if row["metrics"]]
            self.assertEqual([n % 20 for n in samples], [0] * len(samples))
            failed = [row for row in kept.values() if row["status"] != "ok"]
            self.assertLessEqual(len(failed), 1)
            complete = sum(n == 80 for n in samples)
            self.complete(out, 10 - complete)

    def test_a_signal_stops_between_cases_and_resume_goes_on(self):
        out = self.path("stopped.h5")
        self.assertTrue(self.interrupt(out, 0.3, signal.SIGUSR1))
        kept = rows(out + ".parts")
        self.assertEqual({row["status"] for row in kept.values()}, {"ok"})
        self.complete(out, 10 - sum(row["facts"]["sweeps"] == 4 for row in kept.values()))

    def test_a_resumed_run_wants_the_same_number(self):
        out = self.path("killed.h5")
        self.assertTrue(self.interrupt(out, 0.1, signal.SIGKILL))
        other = [word if word != "4" else "5" for word in self.COMMAND]
        self.expect(run(*other, "-o", out, "--resume", ranks=2, program=FAULTY), 2, "other options")

    def test_finalize_says_that_sweeps_are_missing(self):
        out = self.path("killed.h5")
        self.assertTrue(self.interrupt(out, 0.3, signal.SIGKILL))
        self.expect(run("finalize", out + ".parts", "-o", out), 0)
        with h5py.File(out) as file:
            self.assertEqual(file.attrs["complete"], 0)


if __name__ == "__main__":
    unittest.main()
