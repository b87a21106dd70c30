# SPDX-License-Identifier: Apache-2.0
"""jobscripts/slurm.sbatch on a real Slurm of two nodes, started for this test on this machine.

With SCALEMARK_PROGRAM in the environment the program itself is measured too, not only the stub.
Needs root and Slurm (jobscripts/setup.sh --full); ends with 77 (skipped) where these are missing.
"""
import os
import re
import subprocess
import unittest

from slurm_support import main, start_slurm, wait_for
from support import ROOT, SCRIPTS, ScriptTest, start

SBATCH = os.path.join(SCRIPTS, "slurm.sbatch")


def setUpModule():
    start_slurm(2, 2)


class Slurm(ScriptTest):
    def submit(self, *arguments, options=(), env=None, wait=True, timeout=120):
        """Two ranks on each of two nodes. The job's own output goes to self.text."""
        self.text = self.path("job.txt")
        return start("sbatch", *(["--wait"] if wait else ["--parsable"]), "--nodes=2", "--ntasks-per-node=2", f"--output={self.text}",
                     *options, SBATCH, "--output", self.out, *arguments, env=env, cwd=ROOT, timeout=timeout)

    def printed(self):
        if not os.path.exists(self.text):
            return ""
        with open(self.text, encoding="utf-8", errors="replace") as text:
            return text.read()

    def expect_job(self, done, code):
        self.assertEqual(done.returncode, code, f"{done.stdout}\n{done.stderr}\n{self.printed()}")

    def test_repeats_are_job_steps_over_all_ranks(self):
        self.expect_job(self.submit("--repeats", 2, "--", "--preset", "smoke", env=self.stub("0")), 0)
        self.assertEqual(self.files(), ["run-1.h5", "run-2.h5"])
        self.assertEqual(self.launches(),
                         [f"ranks=4 run --preset smoke --output {self.out}/run-{k}.h5" for k in (1, 2)])
        self.assertIn(f"\ntable of {self.out}\n", "\n" + self.printed())

    def test_a_killed_rank_is_relaunched_with_resume(self):
        self.expect_job(self.submit("--repeats", 1, env=self.stub("kill lost:3 0")), 0)
        self.assertEqual(self.files(), ["run-1.h5"])
        self.assertEqual([line.endswith("--resume") for line in self.launches()], [False, True, True])
        self.assertIn("The job was lost", self.printed())

    def test_the_exit_code_is_that_of_the_worst_run(self):
        self.expect_job(self.submit("--repeats", 3, env=self.stub("0 6 0")), 6)
        self.assertEqual(len(self.launches()), 3)

    def test_an_array_of_jobs_written_by_submit(self):
        written = start(os.path.join(SCRIPTS, "submit.sh"), "slurm", "--nodes", "1,2", "--ranks-per-node", 2, "--repeats", 2, "--array",
                        "--time", "0:05:00", "--output", self.out, "--", "--preset", "smoke")
        self.assertEqual(written.returncode, 0, written.stderr)
        for nodes, line in zip((1, 2), written.stdout.splitlines()):
            done = start("sbatch", "--wait", line.split()[-1], env=self.stub("0"), cwd=ROOT, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = sorted(name for name in os.listdir(f"{self.out}/nodes-{nodes}") if name.endswith(".h5"))
            self.assertEqual(found, ["run-1.h5", "run-2.h5"])
        self.assertEqual(sorted(line.split()[0] for line in self.launches()), ["ranks=2", "ranks=2", "ranks=4", "ranks=4"])

    def test_the_last_element_of_an_array_compares_with_the_baseline(self):
        written = start(os.path.join(SCRIPTS, "submit.sh"), "slurm", "--ranks-per-node", 2, "--repeats", 2, "--array", "--time", "0:05:00",
                        "--baseline", self.folder, "--output", self.out)
        self.assertEqual(written.returncode, 0, written.stderr)
        done = start("sbatch", "--wait", written.stdout.split()[-1], env={**self.stub("0"), "STUB_COMPARE": "1"}, cwd=ROOT, timeout=120)
        self.assertEqual(done.returncode, 1, done.stderr)
        folder = os.path.join(self.out, "nodes-1")
        texts = ""
        for name in os.listdir(folder):
            if name.startswith("job-"):
                with open(os.path.join(folder, name), encoding="utf-8") as text:
                    texts += text.read()
        self.assertEqual(texts.count(f"compared {self.folder} with {folder}\n"), 1, texts)

    def test_data_are_staged_to_the_nodes_and_results_brought_back(self):
        data, disk = self.path("data"), self.path("disk")
        os.makedirs(data)
        os.makedirs(disk)
        self.expect_job(self.submit("--repeats", 1, "--scratch", disk, "--stage", f"mnist={data}", env=self.stub("0")), 0)
        self.assertEqual(self.files(), ["run-1.h5"])
        self.assertRegex(self.launches()[0], rf"^ranks=4 run --data mnist={disk}/scalemark-\S+/mnist --output {disk}/scalemark-\S+/run-1\.h5$")
        self.assertEqual(os.listdir(disk), [])

    @unittest.skipUnless(os.environ.get("SCALEMARK_PROGRAM"), "needs the program")
    def test_sbatch_takes_the_jobs_of_a_campaign(self):
        path = self.path("campaign.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write('nodes = [1, 2]\ntime = "1h"\n[clusters.c]\nscheduler = "slurm"\narray = true\nrequeue = true\n'
                       '[clusters.d]\nscheduler = "slurm"\nranks_per_node = 2\ncpus_per_rank = 1\n[jobs.quick]\npreset = "quick"\n')
        done = start(os.path.join(SCRIPTS, "campaign.sh"), path, env={"SCALEMARK": os.environ["SCALEMARK_PROGRAM"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 4)
        for line in lines:
            taken = start("sbatch", "--test-only", line.split()[-1], cwd=ROOT)
            self.assertEqual(taken.returncode, 0, line + taken.stderr)
        # It does refuse.
        with open(lines[0].split()[-1], "r+", encoding="utf-8") as job:
            text = job.read().replace("--nodes=1", "--nodes=99")
            job.seek(0)
            job.write(text)
        self.assertNotEqual(start("sbatch", "--test-only", lines[0].split()[-1], cwd=ROOT).returncode, 0)

    def test_bad_options_end_the_job(self):
        self.expect_job(self.submit("--repeats", "none", env=self.stub("0")), 2)
        self.assertIn("--repeats is 'none'", self.printed())

    def test_near_the_time_limit_the_run_stops_and_goes_on_after_the_requeue(self):
        # A limit of a minute and a signal a minute before it: due at once; Slurm looks every 30 s.
        job = self.submit("--repeats", 2, "--requeue", options=["--time=1", "--signal=B:USR1@60", "--open-mode=append"],
                          env=self.stub("wait 0"), wait=False).stdout.strip()
        wait_for("the signal", lambda: "time limit is near" in self.printed(), 60)
        wait_for("the queue", lambda: "Back into the queue" in self.printed(), 30)
        # Slurm lets a requeued job wait for two minutes; that can be shortened.
        wait_for("the state", lambda: "PENDING" in start("scontrol", "-o", "show", "job", job).stdout, 60)
        # Shortened too far, the end of the first start would be taken for that of the second.
        wait_for("the nodes", lambda: set(start("sinfo", "-h", "-N", "-o", "%T").stdout.split()) == {"idle"}, 60)
        start("scontrol", "update", f"JobId={job}", "StartTime=now")
        wait_for("the end", lambda: re.search("JobState=(COMPLETED|FAILED|TIMEOUT|CANCELLED)",
                                              start("scontrol", "-o", "show", "job", job).stdout), 120)
        self.assertIn("JobState=COMPLETED", start("scontrol", "-o", "show", "job", job).stdout, self.printed())
        self.assertEqual(self.files(), ["run-1.h5", "run-2.h5"])
        # Slurm may have replaced a node meanwhile.
        self.assertTrue(self.launches()[1].endswith("run-1.h5 --resume-hosts --resume"), self.launches())

    @unittest.skipUnless("SCALEMARK_PROGRAM" in os.environ, "SCALEMARK_PROGRAM is not set: the stub only")
    def test_the_program_itself(self):
        program = os.environ["SCALEMARK_PROGRAM"]
        done = self.submit("--repeats", 2, "--", "--preset", "smoke", env={"SCALEMARK": program}, timeout=600)
        self.expect_job(done, 0)
        self.assertEqual(self.files(), ["run-1.h5", "run-2.h5"])
        shown = subprocess.run([program, "show", f"{self.out}/run-1.h5", "--format", "jsonl"], capture_output=True, text=True,
                               timeout=60, check=True).stdout
        self.assertRegex(shown, r"micro/allreduce[^\n]*ranks=4[^\n]*\"ok\"", "four ranks over two nodes")


if __name__ == "__main__":
    main()
