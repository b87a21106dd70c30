# SPDX-License-Identifier: Apache-2.0
"""SIGTERM in a training: the step is finished, the state saved, exit code 3; --resume then gives the training that was
never interrupted. The same after kill -9, from the state that was saved last."""
import glob
import os
import signal
import subprocess
import sys
import time
import unittest

from harness import MPIRUN, SCALEMARK, ProgramTest, ranks_of, rows, run

COMMON = {"device": "cpu", "threads": 1}
IMAGING = {"image": 32, "batch": 8, "images": 128, "test_images": 32, "epochs": 4, **COMMON}
LLM = {"model": "tiny", "source": "builtin", "sequence": 48, "rows": 64, "epochs": 100, "steps": 60, "save_every": 10,
       **COMMON}


class Stop(ProgramTest):
    benchmark, axes = "imaging/train", IMAGING

    def command(self, out, *more):
        axes = [word for name, value in self.axes.items() for word in ("-a", f"{name}={value}")]
        return ["run", self.benchmark, *axes, "-o", self.path(out), "--quiet", *more]

    def facts(self, out):
        row, = rows(self.path(out)).values()
        self.assertEqual(row["status"], "ok", row)
        return row["facts"]

    def interrupt(self, out, number, wanted):
        """Sends the signal to the first rank once the training is under way behind a saved state."""
        process = subprocess.Popen([MPIRUN, "-n", "2", "--oversubscribe", "--bind-to", "none", SCALEMARK, *self.command(out)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not glob.glob(self.path(out) + ".parts/c*.state") and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.1)
        os.kill(ranks_of(process.pid)[0], number)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, wanted, errors)
        self.assertFalse(os.path.exists(self.path(out)), "the training was over before the signal came")
        return errors

    def test_an_interrupted_training_goes_on_as_if_nothing_had_been(self):
        self.expect(run(*self.command("whole.h5"), ranks=2), 0)
        whole = self.facts("whole.h5")
        for name, number, code in (("term", signal.SIGTERM, 3), ("kill", signal.SIGKILL, 137)):
            with self.subTest(name):
                self.interrupt(name + ".h5", number, code)
                self.assertEqual(len(glob.glob(self.path(name + ".h5.parts/c*.state"))), 1)
                self.expect(run(*self.command(name + ".h5", "--resume"), ranks=2), 0)
                resumed = self.facts(name + ".h5")
                place, = (name for name in resumed if name.startswith("resumed_at_"))
                self.assertGreaterEqual(int(resumed.pop(place)), 2)
                self.assertEqual(resumed, whole)
                self.assertFalse(os.path.exists(self.path(name + ".h5.parts")))


class StopFinetuning(Stop):
    benchmark, axes = "llm/finetune", LLM


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
