# SPDX-License-Identifier: Apache-2.0
"""A rank whose work before each call takes 5 % longer is named; of ranks that work alike none is."""
import os
import statistics
import sys
import unittest

import h5py

from harness import FAULTY, ProgramTest, rows, run

FULL = "--full" in sys.argv


class Straggler(ProgramTest):
    def measure(self, ranks, *axes):
        out = self.path("out.h5")
        pairs = [text for axis in axes for text in ("-a", axis)]
        done = run("run", "test/straggler", *pairs, "-n", "60", "-o", out, "--force", ranks=ranks, program=FAULTY, timeout=600)
        self.expect(done, 0)
        return done.stdout, rows(out)

    def test_the_late_rank_is_named(self):
        cases = 100 if FULL else 10
        for ranks in (2, 3):
            # Where ranks that wait take the core of one that wakes up, 0.1 ms is lost in that.
            busy = 2000 if ranks <= len(os.sched_getaffinity(0)) else 6000
            clear = found = 0
            # Few cases of one run may be undisturbed, and one missed among five says little: runs are added up.
            for _ in range(12):
                text, table = self.measure(ranks, "slower=5", f"number=0:{cases - 1}:+1", f"busy={busy}")
                named = {key: row["straggler"] for key, row in table.items() if "straggler" in row}
                self.assertEqual({one["rank"] for one in named.values()} - {ranks - 1}, set(), named)
                self.assertFalse(self.with_gap(0, 0.01) & set(named), named)
                # A case that something else on the machine disturbs may name nobody.
                planted = 0.05 * busy * 1e-6
                undisturbed = {key for key in self.with_gap(0.045, 0.06) if table[key]["facts"]["barrier_time"] < planted / 2}
                clear += len(undisturbed)
                found += len(undisturbed & set(named))
                for key in undisturbed & set(named):
                    self.assertTrue(0.02 < named[key]["fraction"] < 0.2, named[key])
                    self.assertTrue(planted / 2 < named[key]["lateness"] < 4 * planted, named[key])
                if clear >= cases and found >= 0.9 * clear:
                    break
            self.assertGreaterEqual(clear, cases / 2, "too few cases that nothing disturbed")
            self.assertGreaterEqual(found, 0.9 * clear, f"{ranks} ranks, {clear} cases that nothing disturbed")
            self.assertIn(f"rank {ranks - 1} is late by ", text)

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
        cases = 100 if FULL else 10
        for ranks in (2, 3):
            alike = false = 0
            for _ in range(12):  # where something else on the machine makes ranks differ, a run has few such cases
                _, table = self.measure(ranks, "slower=0", f"number=0:{cases - 1}:+1")
                undisturbed = self.with_gap(0, 0.01)
                alike += len(undisturbed)
                false += sum("straggler" in table[key] for key in undisturbed)
                if alike >= cases:
                    break
            self.assertLessEqual(false, 1)
            self.assertGreaterEqual(alike, cases / 2, "too few to judge by")

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
