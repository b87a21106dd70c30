# SPDX-License-Identifier: Apache-2.0
"""A rank whose work before each call takes 5 % longer is named; of ranks that work alike none is."""
import os
import statistics
import sys
import unittest

import h5py

from harness import FAULTY, ProgramTest, rows, run

FULL = "--full" in sys.argv
CASES = 100 if FULL else 10
ENOUGH = 0.7 * CASES
ROUNDS = 8
LONGEST = 48000  # us


class Straggler(ProgramTest):
    def measure(self, ranks, *axes):
        out = self.path("out.h5")
        pairs = [text for axis in axes for text in ("-a", axis)]
        done = run("run", "test/straggler", *pairs, "-n", "60", "-o", out, "--force", ranks=ranks, program=FAULTY, timeout=600)
        self.expect(done, 0)
        return done.stdout, rows(out)

    def until_undisturbed(self, ranks, slower, judge):
        """Runs of cases whose operations take 2 ms, until judge(text, table, busy) is content with one. A virtual machine may wake up
        its processors late by 0.1 ms or more, however long they slept: after each other run, operations take twice as long."""
        # Where ranks that wait take the core of one that wakes up, 0.1 ms is lost in that.
        busy = 2000 if ranks <= len(os.sched_getaffinity(0)) else 6000
        history = []
        for _ in range(ROUNDS):
            judged = judge(*self.measure(ranks, f"slower={slower}", f"number=0:{CASES - 1}:+1", f"busy={busy}"), busy)
            if judged is None:
                return
            history.append(f"{busy} us: {judged}")
            busy = min(2 * busy, LONGEST)
        self.fail(f"{ranks} ranks, {CASES} cases by time of an operation: {', '.join(history)}")

    def test_the_late_rank_is_named(self):
        for ranks in (2, 3):

            def judge(text, table, busy):
                named = {key: row["straggler"] for key, row in table.items() if "straggler" in row}
                self.assertEqual({one["rank"] for one in named.values()} - {ranks - 1}, set(), named)
                self.assertFalse(self.with_gap(0, 0.01) & set(named), named)
                # A case that something else on the machine disturbs may name nobody.
                planted = 0.05 * busy * 1e-6
                undisturbed = {key for key in self.with_gap(0.045, 0.06) if table[key]["facts"]["barrier_time"] < planted / 2}
                found = [named[key] for key in undisturbed & set(named)
                         if 0.02 < named[key]["fraction"] < 0.2 and planted / 2 < named[key]["lateness"] < 4 * planted]
                if len(undisturbed) < ENOUGH or len(found) < 0.9 * len(undisturbed):
                    return f"{len(found)} named rightly of {len(undisturbed)} undisturbed: {named}"
                self.assertIn(f"rank {ranks - 1} is late by ", text)
                return None

            self.until_undisturbed(ranks, 5, judge)

    def with_gap(self, low, high):
        """The cases in which the slowest rank's work took so much longer than that of the slowest other one, by the medians
        of what each measured of itself alone. On a virtual machine, one processor may wake up later than another for
        seconds: its rank is late, and rightly named."""
        keys = set()
        with h5py.File(self.path("out.h5")) as file:
            for case in file["cases"].values():
                samples = case["metrics/local_time/samples"][()]
                medians = sorted(statistics.median(rank) for rank in samples.reshape(samples.shape[0], -1).tolist())
                if low <= medians[-1] / medians[-2] - 1 < high:
                    keys.add(case.attrs["key"].decode())
        return keys

    def test_ranks_alike_are_not_named(self):
        for ranks in (2, 3):
            false = 0

            def judge(_text, table, _busy):
                nonlocal false
                alike = self.with_gap(0, 0.01)
                false += sum("straggler" in table[key] for key in alike)
                return None if len(alike) >= ENOUGH else f"{len(alike)} alike"

            self.until_undisturbed(ranks, 0, judge)
            self.assertLessEqual(false, 1)

    def test_the_clock_and_its_residual_are_stored(self):
        _, table = self.measure(2, "slower=0")
        (row,) = table.values()
        facts = row["facts"]
        self.assertEqual((facts["clock_method"], facts["start"]), ("one clock", "barrier"))
        self.assertGreater(facts["clock_round_trip"], 0)
        # Measured with the round trip. Clocks are read in nanoseconds, so that it may be 0.
        self.assertLessEqual(facts["clock_residual"], facts["clock_round_trip"] / 2 + 1e-9, "of two ranks that read one clock")
        self.assertGreater(facts["barrier_time"], 0)
        metrics = row["metrics"]
        self.assertGreaterEqual(metrics["elapsed_time"]["median"], metrics["lateness"]["median"])
        self.assertGreaterEqual(metrics["local_time"]["median"], 2e-3)

    def test_a_start_by_the_clock_is_stored_and_void_samples_are_flagged(self):
        out = self.path("out.h5")
        done = run("run", "^micro/allreduce$", "-a", "ranks=2", "-a", "bytes=8", "-a", "memory=host", "--sync", "clock", "-n", "200", "-o", out,
                   ranks=2)
        self.expect(done, 0)
        (row,) = rows(out).values()
        self.assertEqual(row["facts"]["start"], "clock")
        self.assertNotIn("barrier_time", row["facts"])
        import h5py
        with h5py.File(out) as file:
            metric = next(iter(file["cases"].values()))["metrics/latency"]
            flagged = int((metric["flags"][...] & 8 != 0).sum()) if "flags" in metric else 0
        self.assertEqual(flagged, row["facts"].get("late_starts", 0))


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--full"])
