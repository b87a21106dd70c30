# SPDX-License-Identifier: Apache-2.0
"""jobscripts/fleet.sbatch on a real Slurm of four nodes: one whose processor is slow, one that does not answer, and one that works by
itself and hangs with others.

Needs SCALEMARK_PROGRAM in the environment, root and Slurm (jobscripts/setup.sh --full); ends with 77 (skipped) without the latter.
"""
import json
import os
import signal
import unittest

from slurm_support import main, start_slurm
from support import ROOT, SCRIPTS, ScriptTest, start, tool

# On n2 the program runs a tenth of the time, in pieces that are short beside a sample. The nodes share the cores of this machine, so
# that its products take some four times as long as those of the others.
SLOWED = """
if [[ $(hostname) != n2 || " $* " != *" --preset "* ]]; then exec "$PROGRAM" "$@"; fi
"$PROGRAM" "$@" &
pid=$!
while kill -STOP $pid 2>/dev/null; do
  sleep 0.045
  kill -CONT $pid 2>/dev/null
  sleep 0.005
done
wait $pid
"""

# On n3 a rank never starts MPI if other nodes are in the step.
HANGING = """
if [[ $(hostname) == n3 && " $* " == *allreduce* && $SLURM_STEP_NUM_NODES != 1 ]]; then exec sleep 300; fi
exec "$PROGRAM" "$@"
"""


def setUpModule():
    global SLURM
    SLURM = start_slurm(4, 2)


class FleetJob(ScriptTest):
    def job(self, wrapper, *arguments, tasks=1):
        """Exit code and text of a job with so many tasks a node, whose program is started by this script."""
        tool(self.folder, "wrapper", wrapper)
        text = self.path("job.txt")
        done = start("sbatch", "--wait", "--nodes=4", f"--ntasks-per-node={tasks}", f"--output={text}", os.path.join(SCRIPTS, "fleet.sbatch"), "--output",
                     self.out, *arguments, env={"SCALEMARK": self.path("wrapper"), "PROGRAM": os.environ["SCALEMARK_PROGRAM"]}, cwd=ROOT, timeout=400)
        with open(text, encoding="utf-8") as printed:
            return done.returncode, printed.read()

    def test_a_slow_node_is_bad_and_one_that_hangs_is_untested(self):
        with open(f"{SLURM}/pid/slurmd.n4.pid", encoding="ascii") as file:
            daemon = int(file.read())
        os.kill(daemon, signal.SIGSTOP)
        self.addCleanup(os.kill, daemon, signal.SIGCONT)
        code, printed = self.job(SLOWED, "--node-limit", 120, "--bytes", "64K")
        self.assertEqual(code, 1, printed)
        self.assertRegex(printed, r"(?m)^n4: no result(, exit code \d+| within 120 s) \(", "srun may give up first")
        self.assertIn("Pairs of 3 nodes", printed)
        self.assertRegex(printed, r"(?m)^BAD +n2 +(CPU|host memory) ")
        self.assertRegex(printed, r"(?m)^UNTESTED +n4 +- ")
        self.assertRegex(printed, r"(?m)^bad: n2$")
        self.assertRegex(printed, r'(?m)^scontrol update NodeName=n2 State=DRAIN Reason="scalemark: (CPU|host memory) \d')
        with open(f"{self.out}/fleet.json", encoding="utf-8") as text:
            fleet = json.load(text)
        self.assertEqual(fleet["screenings"], 1)
        verdicts = {one["host"]: one["verdict"] for one in fleet["hosts"]}
        self.assertEqual(set(verdicts), {"n1", "n2", "n3", "n4"})
        self.assertNotIn("BAD", (verdicts["n1"], verdicts["n3"]))
        self.assertNotIn("UNTESTED", (verdicts["n1"], verdicts["n3"]), "the others are judged")
        states = start("sinfo", "-h", "-N", "-o", "%N %T").stdout
        self.assertNotIn("drain", states, "nothing was drained")

    def test_a_node_that_hangs_with_others_is_bad(self):
        code, printed = self.job(HANGING, "--together-limit", 15, "--bytes", "64K")
        self.assertEqual(code, 1, printed)
        self.assertIn("It does not end with: n3\n", printed)
        self.assertIn("Pairs of 3 nodes", printed)
        self.assertRegex(printed, r"(?m)^BAD +n3 +network .*operations with it fail or do not end")
        self.assertRegex(printed, r"(?m)^bad: n3$")

    def test_rails_and_parts_of_all_nodes(self):
        _, printed = self.job('exec "$PROGRAM" "$@"', "--bytes", "4K", tasks=2)  # the nodes share two cores: any may be slow
        self.assertIn("Pairs of 4 nodes, 2 ranks each", printed)
        self.assertEqual(sorted(os.listdir(f"{self.out}/together")), ["1.h5", "1.log", "2.h5", "2.log", "3.h5", "3.log"], "all, and two halves")
        with open(f"{self.out}/fleet.json", encoding="utf-8") as text:
            fleet = json.load(text)
        for host in fleet["hosts"]:
            rails = {one["rail"] for one in host["evidence"] if "rail" in one}
            self.assertEqual(rails, {0, 1}, host["host"])
        (scale,) = fleet["scales"]
        self.assertEqual((scale["ranks"], scale["hosts"], scale["predicted"]), (8, 4, 0), "one size of parts predicts nothing")


if __name__ == "__main__":
    main()
