# SPDX-License-Identifier: Apache-2.0
"""kill -9 of a random rank at random moments: no finished case is lost, the file stays readable, and
--resume completes the plan. 5 moments; with --full 50."""
import os
import random
import re
import signal
import subprocess
import sys
import time
import unittest

from harness import FAULTY, MPIRUN, ProgramTest, ranks_of, rows, run

TRIALS = 50 if "--full" in sys.argv else 5
CASES = 40


class Kill(ProgramTest):
    def command(self, out, *more):
        return ["run", "test/nap", "-a", f"number=0:{CASES - 1}:+1", "-n", "5", "-o", out, "--quiet", "--format",
                "jsonl", *more]

    def start(self, out):
        """The run, once its ranks are there."""
        process = subprocess.Popen([MPIRUN, "-n", "2", "--oversubscribe", "--bind-to", "none", FAULTY, *self.command(out)],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while process.poll() is None and len(ranks_of(process.pid)) < 2:
            time.sleep(0.01)
        return process

    def undisturbed(self):
        """Seconds that a run takes from there on."""
        process = self.start(self.path("undisturbed.h5"))
        begin = time.monotonic()
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)
        return time.monotonic() - begin

    def trial(self, number, generator, seconds):
        out = self.path(f"trial{number}.h5")
        process = self.start(out)
        time.sleep(generator.uniform(0, seconds))
        ranks = sorted(ranks_of(process.pid).values())
        if ranks:
            try:
                os.kill(generator.choice(ranks), signal.SIGKILL)
            except ProcessLookupError:
                pass
        printed = [line for line in process.communicate(timeout=60)[0].splitlines() if line.endswith("}")]
        # What was printed was safe on disk before.
        finished = {re.search(r'"key": ?"([^"]*)"', line).group(1) for line in printed}
        killed = not os.path.exists(out)
        if killed and os.path.exists(os.path.join(out + ".parts", "meta.h5")):
            kept = {key for key, row in rows(out + ".parts").items() if row["status"] == "ok"}
            self.assertLessEqual(finished, kept, f"trial {number}: finished cases are lost")
        elif killed:
            self.assertEqual(finished, set(), f"trial {number}: cases were printed before there was a file")
        if killed:
            done = run(*self.command(out, *(["--resume"] if os.path.exists(out + ".parts") else [])), ranks=2, program=FAULTY)
            self.assertEqual(done.returncode, 0, f"trial {number}: {done.stderr}")
        table = rows(out)
        self.assertEqual(len(table), CASES)
        self.assertTrue(all(row["status"] == "ok" for row in table.values()))
        return killed

    def test_kill_at_random_moments(self):
        generator = random.Random(20260101)
        seconds = self.undisturbed()
        killed = sum(self.trial(number, generator, seconds) for number in range(TRIALS))
        print(f"{killed} of {TRIALS} runs were interrupted")
        self.assertGreater(killed, TRIALS // 3, "too few runs were interrupted to show anything")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
