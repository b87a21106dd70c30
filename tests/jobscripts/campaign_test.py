# SPDX-License-Identifier: Apache-2.0
"""jobscripts/campaign.sh with the real program: the jobs of a campaign, and a campaign that runs here."""
import os
import subprocess
import tomllib
import unittest

from support import SCRIPTS, ScriptTest, start

CAMPAIGN = os.path.join(SCRIPTS, "campaign.sh")
SUBMITS = {"slurm": "sbatch", "pbs": "qsub", "lsf": "bsub <", "flux": "flux batch", "mpirun": "bash"}


class Campaigns(ScriptTest):
    def write(self, text):
        path = self.path("campaign.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def campaign(self, *arguments, timeout=60):
        return start(CAMPAIGN, self.path("campaign.toml"), *arguments, env={"SCALEMARK": os.environ["SCALEMARK_PROGRAM"]}, timeout=timeout)

    def write_one_of_each(self):
        parts = [f'[clusters.on-{name}]\nscheduler = "{name}"\n' for name in SUBMITS]
        parts[0] += 'queue = "gpu"\naccount = "abc"\nmodules = ["openmpi"]\nmpi = "pmix"\n'
        for k in range(4):
            parts[k] += 'gpus_per_node = 2\ncpus_per_rank = 4\nscratch = "/tmp"\nstage = {mnist = "it\'s here"}\narray = true\n'
            if k < 3:  # not Flux
                parts[k] += "requeue = true\n"
        parts[4] += "max_nodes = 1\n"
        self.write("nodes = [1, 2]\noutput = \"runs\"\n" + "".join(parts) +
                   '[jobs.quick]\npreset = "quick"\n[jobs.some]\nbenchmarks = ["^micro/(memcpy|stream)$"]\narguments = ["--tag", "note=it\'s"]\n')

    def test_every_schedulers_jobs_are_written_and_pass_shellcheck(self):
        self.write_one_of_each()
        done = self.campaign()
        self.expect(done, 0)
        lines = done.stdout.splitlines()
        # Flux has no arrays of batch jobs: each of three repeats is handed over by itself.
        self.assertEqual(len(lines), (3 + 3) * 2 * 2 + 2)
        jobs = []
        for folder, _, files in os.walk(self.path("runs")):
            jobs += [os.path.join(folder, name) for name in files]
        self.assertEqual(len(jobs), 4 * 2 * 2 + 2)
        for name, command in SUBMITS.items():
            self.assertTrue([line for line in lines if line.startswith(command) and f"/on-{name}/" in line], lines)
        checked = subprocess.run(["shellcheck", "--severity=warning", *jobs], capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout)

    def test_a_dry_run_prints_the_jobs_and_writes_nothing(self):
        self.write_one_of_each()
        done = self.campaign("--dry-run", "--cluster", "on-slurm", "--job", "some")
        self.expect(done, 0)
        self.assertEqual(os.listdir(self.folder).count("runs"), 0)
        self.assertEqual(done.stdout.count("#!/bin/bash\n"), 2)
        for line in ("#SBATCH --nodes=2\n", "#SBATCH --partition=gpu\n", "#SBATCH --account=abc\n", "#SBATCH --requeue\n", "#SBATCH --array=1-3\n",
                     "module load openmpi\n", "export SCALEMARK_MPI=pmix\n"):
            self.assertIn(line, done.stdout)
        self.assertIn(r"--scratch /tmp --stage mnist=" + self.folder + r"/it\'s\ here", done.stdout)
        self.assertIn(r"note=it\'s", done.stdout)

    def test_the_example_of_a_site_with_gpus_writes_jobs_that_plan_their_cases(self):
        example = os.path.join(os.path.dirname(SCRIPTS), "examples", "gpu-infiniband")
        done = start(CAMPAIGN, os.path.join(example, "campaign.toml"), "--dry-run", "--cluster", "modules",
                     env={"SCALEMARK": os.environ["SCALEMARK_PROGRAM"]}, timeout=60)
        self.expect(done, 0)
        self.assertEqual(done.stdout.count("#!/bin/bash\n"), 1 + 6 + 1 + 2 + 3)
        self.assertIn("#SBATCH --gpus-per-node=8\n", done.stdout)
        self.assertIn("module load gcc openmpi/5 cuda/12\n", done.stdout)
        with open(os.path.join(example, "campaign.toml"), "rb") as file:
            jobs = tomllib.load(file)["jobs"]
        for job in jobs.values():
            words = ["--preset", job["preset"]] if "preset" in job else [*job["benchmarks"], *job["arguments"]]
            self.expect(start(os.environ["SCALEMARK_PROGRAM"], "run", *words, "--dry-run", timeout=60), 0)

    def test_jobs_of_several_schedulers_are_not_submitted_from_one_place(self):
        self.write_one_of_each()
        self.expect(self.campaign("--submit"), 2, "--cluster NAME")

    def test_a_campaign_here_runs_compares_and_passes_the_code_on(self):
        data = self.path("set")
        os.makedirs(data)
        body = ('[clusters.here]\nscheduler = "mpirun"\nranks_per_node = 2\nscratch = "."\n[jobs.copies]\nbenchmarks = ["^micro/pingpong$"]\n'
                'arguments = ["--quick", "-b", "8", "-e", "8", "-n", "20"]\nrepeats = 2\n').replace('"."', f'"{self.folder}"')
        self.write('output = "first"\n' + body)
        self.expect(self.campaign("--submit", timeout=200), 0)
        runs = self.path("first", "here", "copies", "nodes-1")
        self.assertEqual(sorted(name for name in os.listdir(runs) if name.endswith(".h5")), ["run-1.h5", "run-2.h5"])
        self.write('output = "second"\nbaseline = "first"\n' + body.replace('"-n", "20"', '"-n", "20", "-a", "bytes=16"').replace('"-b", "8", "-e", "8", ', ""))
        done = self.campaign("--submit", timeout=200)
        # Another size than the baseline's, whose case is missing.
        self.expect(done, 1)
        self.assertIn("\nMISSING: ", done.stdout)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("scalemark-")], [], "what lay on the scratch is gone")
        self.expect(self.campaign("--submit"), 2, "has runs already")
        self.expect(self.campaign("--submit", "--resume", timeout=200), 1, "Run 2 of 2 is there")

    def test_bad_files_and_options_say_what_is_wrong(self):
        self.write('[clusters.a]\nscheduler = "slurm"\n[jobs.b]\npreset = "quik"\n')
        self.expect(self.campaign(), 2, "quik", "quick")
        self.write('[clusters.a]\nscheduler = "slurm"\nmax_nodes = 1\n[jobs.b]\npreset = "quick"\nnodes = 2\n')
        self.expect(self.campaign(), 4, "no job runs")
        self.expect(self.campaign("--cluster", "c"), 2, "--cluster is 'c'")
        self.expect(self.campaign("--fast"), 2, "--fast")
        self.expect(self.campaign("other.toml"), 2, "second file")
        self.expect(start(CAMPAIGN, self.path("none.toml"), env={"SCALEMARK": os.environ["SCALEMARK_PROGRAM"]}), 2, "none.toml")
        self.write('output = "o u t"\n[clusters.a]\nscheduler = "slurm"\n[jobs.b]\npreset = "quick"\n')
        self.expect(self.campaign(), 2, "allowed in the head of a job")
        # A queue that would end the line of the job's head.
        self.write('[clusters.a]\nscheduler = "slurm"\nqueue = "a b"\n[jobs.b]\npreset = "quick"\n')
        self.expect(self.campaign(), 2, "'a b' is no name of a queue")


if __name__ == "__main__":
    unittest.main()
