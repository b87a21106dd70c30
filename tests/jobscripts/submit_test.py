# SPDX-License-Identifier: Apache-2.0
"""jobscripts/submit.sh and job.sh with stubs in place of the schedulers and the program."""
import os
import re
import unittest

from support import ROOT, SCRIPTS, ScriptTest, start

SUBMIT = os.path.join(SCRIPTS, "submit.sh")
JOB = os.path.join(SCRIPTS, "job.sh")
COMMANDS = {"slurm": "sbatch", "pbs": "qsub", "lsf": "bsub <", "flux": "flux batch"}


class Jobs(ScriptTest):
    def submit(self, scheduler, *arguments, **keywords):
        return start(SUBMIT, scheduler, "--output", self.out, *arguments, **keywords)

    def job(self, scheduler, nodes=1):
        with open(os.path.join(self.out, f"nodes-{nodes}", f"job.{scheduler}"), encoding="utf-8") as file:
            return file.read()

    def stub_command(self, name, text):
        """A program on PATH in place of a site's."""
        path = self.path("bin", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as script:
            script.write("#!/bin/bash\n" + text)
        os.chmod(path, 0o755)
        return {"PATH": self.path("bin") + ":" + os.environ["PATH"]}

    def stub_apptainer(self, options="--bind SPEC"):
        """An Apptainer that lists such options, notes how it is started, and runs the program under test."""
        return self.stub_command("apptainer", f"""if [[ $2 == --help ]]; then echo '{options}'; exit; fi
echo "apptainer $*" >>"$STUB_LOG.launcher"
while (($#)) && [[ $1 != scalemark ]]; do shift; done
shift
exec "$SCALEMARK" "$@"
""")

    def test_each_number_of_nodes_is_a_job_and_the_command_to_submit_it_is_printed(self):
        for scheduler, command in COMMANDS.items():
            with self.subTest(scheduler):
                self.out = self.path(scheduler)
                done = self.submit(scheduler, "--nodes", "1,2,4")
                self.expect(done, 0)
                lines = done.stdout.splitlines()
                self.assertEqual(len(lines), 3)
                for line, nodes in zip(lines, (1, 2, 4)):
                    self.assertTrue(line.startswith(command), line)
                    self.assertIn(f"{self.out}/nodes-{nodes}/job.{scheduler}", line)
                self.expect(start("bash", "-n", f"{self.out}/nodes-4/job.{scheduler}"), 0)

    def test_what_a_scheduler_is_asked_for(self):
        asked = ["--nodes", "4", "--ranks-per-node", "8", "--gpus-per-node", "8", "--cpus-per-rank", "4", "--time", "1:30:00",
                 "--queue", "gpu", "--account", "abc123", "--repeats", "5", "--array"]
        wanted = {
            "slurm": ["--nodes=4", "--ntasks-per-node=8", "--gpus-per-node=8", "--cpus-per-task=4", "--time=1:30:00", "--partition=gpu",
                      "--account=abc123", "--array=1-5", "--signal=B:USR1@120"],
            "pbs": ["select=4:ncpus=32:mpiprocs=8:ngpus=8", "walltime=1:30:00", "-q gpu", "-A abc123", "-J 1-5"],
            "lsf": ["-n 32", "span[ptile=8]", "-W 1:30", '-gpu "num=8"', "-q gpu", "-P abc123", "scalemark[1-5]", "core(4)", "-wa USR1"],
            "flux": ["-N 4", "-t 90m", "-q gpu", "-B abc123", "--signal=SIGUSR1@2m"]}
        for scheduler, words in wanted.items():
            with self.subTest(scheduler):
                self.out = self.path(scheduler)
                done = self.submit(scheduler, *asked)
                self.expect(done, 0)
                head = [line for line in self.job(scheduler, 4).splitlines() if line.startswith("#")]
                for word in words:
                    self.assertIn(word, "\n".join(head))
        self.assertEqual(re.findall(r"--env=FLUX_JOB_CC=(\d+) \S*job\.flux", done.stdout), ["1", "2", "3", "4", "5"])

    def test_seconds_of_a_time_limit_are_rounded_up(self):
        for limit, lsf, flux in (("0:00:30", "-W 0:01", "-t 1m"), ("0:59:01", "-W 1:00", "-t 60m"), ("1:30:00", "-W 1:30", "-t 90m")):
            for scheduler, word in (("lsf", lsf), ("flux", flux)):
                self.out = self.path(f"{scheduler}-{limit}")
                self.expect(self.submit(scheduler, "--time", limit), 0)
                self.assertRegex(self.job(scheduler), rf"(?m)^#\S+ {word}$")

    def test_pbs_gives_no_warning_so_the_job_does(self):
        for limit, seconds in (("1:00:00", 3480), ("0:04:00", 120), ("0:00:30", 15)):
            self.out = self.path(str(seconds))
            self.expect(self.submit("pbs", "--time", limit), 0)
            self.assertIn(f"\nexec timeout --foreground --preserve-status --signal=USR1 --kill-after=120 {seconds} bash jobscripts/job.sh pbs ", self.job("pbs"))
        for scheduler in ("slurm", "lsf", "flux"):
            self.out = self.path(scheduler)
            self.expect(self.submit(scheduler), 0)
            self.assertNotIn("timeout", self.job(scheduler))
        self.out = self.path("a:b")
        self.expect(self.submit("pbs"), 2, "PBS takes no colon")

    def test_arrays_of_pbs_may_be_started_again(self):
        """PBS refuses an array with -r n, and may put all chunks on one node without a place."""
        self.expect(self.submit("pbs", "--repeats", 3, "--array"), 0)
        self.assertIn("#PBS -J 1-3\n", self.job("pbs"))
        self.assertNotIn("#PBS -r n", self.job("pbs"))
        self.assertIn("#PBS -l place=scatter\n", self.job("pbs"))
        self.expect(self.submit("pbs", "--repeats", 3), 0)
        self.assertIn("#PBS -r n\n", self.job("pbs"))

    def test_a_pbs_job_stops_before_its_limit(self):
        path = self.stub_command("qsub", "exec bash \"$1\"\n")
        self.stub_command("mpirun", '[[ $1 == --version ]] && exit\nwhile (($#)) && [[ $1 != *stub_scalemark* ]]; do shift; done\nexec "$@"\n')
        self.expect(self.submit("pbs", "--time", "0:00:04", "--repeats", 2, "--submit", env={**self.stub("wait"), **path}), 130, "Finished cases are kept")
        self.assertEqual(len(self.launches()), 1)

    def test_modules_containers_and_arguments_reach_the_job(self):
        image = self.path("a b.sif")
        open(image, "w", encoding="ascii").close()
        self.expect(self.submit("pbs", "--module", "openmpi/4.1", "--module", "cuda", "--container", image, "--gpus-per-node", "2", "--",
                                "micro/allreduce", "-a", "bytes=8,16", "--tag", "note=a b"), 0)
        text = self.job("pbs")
        self.assertIn("module load openmpi/4.1 cuda\n", text)
        self.assertIn("SCALEMARK_CONTAINER_OPTIONS=--nv", text)
        self.assertIn("a\\ b.sif", text)
        self.assertRegex(text, r"-- micro/allreduce -a bytes=8\\?,16 --tag note=a\\ b\n")

    def test_submitting_hands_the_job_over(self):
        for scheduler, command in (("slurm", "sbatch"), ("pbs", "qsub"), ("lsf", "bsub"), ("flux", "flux")):
            with self.subTest(scheduler):
                self.out = self.path(scheduler)
                path = self.stub_command(command, 'echo "given $*"; grep -c "^#!" || :\n')
                done = self.submit(scheduler, "--nodes", "2", "--submit", env=path)
                self.expect(done, 0)
                self.assertIn("given", done.stdout)
                self.assertEqual(done.stdout.split()[-1], "1" if scheduler == "lsf" else "0", done.stdout)

    def test_bad_words_are_refused(self):
        for words, said in (([], "no scheduler"), (["sge"], "sge"), (["slurm", "--nodes", "1,x"], "'x'"), (["slurm", "--nodes", "0"], "'0'"),
                            (["pbs", "--time", "soon"], "soon"), (["pbs", "--queue", "a b"], "a b"), (["lsf", "--account", "x\n#BSUB -q y"], "x"),
                            (["pbs", "--mpi", "pmix"], "slurm only"), (["slurm", "--container", self.path("no.sif")], "no.sif"),
                            (["slurm", "--", "--output", "x"], "--output"), (["flux", "--requeue"], "Flux starts no job again")):
            self.expect(start(SUBMIT, *words), 2, said)

    def run_job(self, scheduler, plan, *arguments, env=None):
        launcher = self.stub_command("mpirun", 'echo "$*" >>"$STUB_LOG.launcher"\nwhile [[ $1 == -* ]]; do if [[ $1 == --bind-to || $1 == -n || '
                                     '$1 == --map-by || $1 == --hostfile ]]; then shift; fi; shift; done\nexec "$@"\n')
        return start(JOB, scheduler, "--ranks", 4, "--ranks-per-node", 2, "--output", self.out, *arguments,
                     env={**self.stub(plan), **launcher, **(env or {})})

    def test_a_job_ends_with_one_table_over_its_runs(self):
        done = self.run_job("pbs", "0", "--repeats", 2)
        self.expect(done, 0)
        self.assertEqual(done.stdout.splitlines()[-1:], [f"table of {self.out}"])
        # Neither over a single run, nor in an element of an array, nor where a run is lost.
        for k, (plan, arguments, env) in enumerate((("0", ("--repeats", 1), {}), ("0", (), {"PBS_ARRAY_INDEX": "2"}),
                                                    ("lost:137", ("--relaunches", 0), {}))):
            with self.subTest(arguments=arguments, env=env):
                self.out = self.path(f"out{k}")
                self.assertNotIn("table of", self.run_job("pbs", plan, *arguments, env=env).stdout)

    def test_the_table_comes_from_the_container(self):
        image = self.path("a.sif")
        open(image, "w", encoding="ascii").close()
        path = self.stub_apptainer()
        done = self.run_job("lsf", "0", "--repeats", 2, env={**path, "SCALEMARK_CONTAINER": image})
        self.expect(done, 0)
        self.assertEqual(done.stdout.splitlines()[-1:], [f"table of {self.out}"])

    def test_a_slurm_job_ends_with_one_table_over_its_runs(self):
        srun = self.stub_command("srun", 'while [[ $1 == -* ]]; do shift; done\nexec "$@"\n')
        slurm = {"SLURM_JOB_ID": "7", "SLURM_NTASKS": "4", "SLURM_JOB_NUM_NODES": "2", "SCALEMARK_MPI": "pmix", "SCALEMARK_ROOT": ROOT}
        done = start(os.path.join(SCRIPTS, "slurm.sbatch"), "--output", self.out, "--repeats", 2, env={**self.stub("0"), **srun, **slurm})
        self.expect(done, 0)
        self.assertEqual(self.files(), ["run-1.h5", "run-2.h5"])
        self.assertEqual(done.stdout.splitlines()[-1:], [f"table of {self.out}"])
        self.out = self.path("array")
        done = start(os.path.join(SCRIPTS, "slurm.sbatch"), "--output", self.out, env={**self.stub("0"), **srun, **slurm, "SLURM_ARRAY_TASK_ID": "2"})
        self.expect(done, 0)
        self.assertNotIn("table of", done.stdout)

    def test_the_last_element_of_an_array_concludes(self):
        for k in (1, 3, 2):
            done = self.run_job("pbs", "0", "--repeats", 3, "--baseline", self.folder, env={"PBS_ARRAY_INDEX": str(k), "STUB_COMPARE": "1"})
            self.expect(done, 1 if k == 2 else 0)
        self.assertEqual(done.stdout.splitlines()[-2:], [f"table of {self.out}", f"compared {self.folder} with {self.out}"])

    def test_the_comparison_with_the_baseline_decides_the_exit_code(self):
        self.expect(self.run_job("lsf", "0", "--repeats", 2, "--baseline", self.folder, env={"STUB_COMPARE": "1"}), 1)
        self.out = self.path("other")
        done = self.run_job("lsf", "0 6", "--repeats", 2, "--baseline", self.folder, env={"STUB_COMPARE": "1"})
        self.expect(done, 6)
        self.assertIn("compared", done.stdout)
        self.out = self.path("third")
        self.expect(self.run_job("lsf", "0", "--baseline", self.path("none")), 2, "--baseline is")
        self.assertEqual(self.files(), [])

    def test_data_are_staged_and_results_brought_back(self):
        data, disk = self.path("da ta"), self.path("disk")
        os.makedirs(os.path.join(data, "deep"))
        os.makedirs(disk)
        with open(os.path.join(data, "deep", "x"), "w", encoding="ascii") as file:
            file.write("data")
        stage = ("--scratch", disk, "--stage", f"rgb300={data}")
        self.expect(self.run_job("pbs", "0 lost:137 lost:3", "--repeats", 2, "--relaunches", 1, *stage), 3)
        self.assertEqual(self.files(), ["run-1.h5", "run-2.h5.parts"])
        self.assertEqual(os.listdir(disk), [], "nothing stays on the node")
        for line in self.launches():
            self.assertRegex(line, rf"--data rgb300={disk}/scalemark-\w+-[0-9a-f]+/rgb300 --output {disk}/scalemark-\w+-[0-9a-f]+/run-")
        # The parts go to the scratch of the job that resumes.
        self.expect(self.run_job("pbs", "0", "--repeats", 2, "--resume", *stage), 0, "Run 1 of 2 is there")
        self.assertEqual(self.files(), ["run-1.h5", "run-2.h5"])
        self.assertTrue(self.launches()[-1].endswith("--resume"))
        self.assertEqual(os.listdir(disk), [])
        self.expect(self.run_job("pbs", "0", "--stage", "rgb300=/nowhere"), 2, "/nowhere is no folder")
        self.expect(self.run_job("pbs", "0", "--stage", "nothing"), 2, "--stage is 'nothing'")

    def test_staged_data_are_there_while_the_program_runs(self):
        data = self.path("data")
        os.makedirs(data)
        open(os.path.join(data, "x"), "w", encoding="ascii").close()
        looking = self.stub_command("looking", 'while [[ $1 != --data ]]; do shift; done\n[[ -e ${2#*=}/x ]] || exit 9\n')
        done = self.run_job("pbs", "0", "--repeats", 1, "--scratch", self.folder, "--stage", f"mnist={data}",
                            env={**looking, "SCALEMARK": self.path("bin", "looking")})
        self.expect(done, 3, "there is no ")

    def test_mpirun_alone_starts_here_or_on_the_hosts_of_a_file(self):
        hosts = self.path("hosts")
        with open(hosts, "w", encoding="ascii") as file:
            file.write("a slots=2\nb slots=2\n")
        self.expect(self.submit("mpirun", "--nodes", "1,2"), 2, "mpirun needs --hostfile")
        self.expect(self.submit("mpirun", "--array"), 2, "need a scheduler")
        self.expect(self.submit("pbs", "--hostfile", hosts), 2, "for mpirun only")
        self.expect(self.submit("mpirun", "--nodes", "2", "--hostfile", hosts, "--time", "0:00:50"), 0)
        self.assertIn(f"exec timeout --foreground --preserve-status --signal=USR1 --kill-after=120 50 bash jobscripts/job.sh mpirun --ranks 4 --ranks-per-node 2 --hostfile {hosts}",
                      self.job("mpirun", 2))
        self.expect(self.run_job("mpirun", "0", "--repeats", 1, "--hostfile", hosts), 0)
        self.assertIn(f"-n 4 --map-by ppr:2:node --bind-to none --hostfile {hosts} ", self.launcher())

    def test_a_time_limit_without_a_scheduler_stops_after_the_case(self):
        self.expect(self.submit("mpirun", "--time", "0:00:02", "--repeats", 2, "--submit", env=self.stub("wait")), 130, "Finished cases are kept")
        self.out = os.path.join(self.out, "nodes-1")
        self.assertIn("run-1.h5.parts", self.files())
        self.assertEqual(len(self.launches()), 1)

    def test_resuming_jobs_can_be_asked_for(self):
        for scheduler, words, head in (("slurm", ["--requeue"], "#SBATCH --requeue\n"), ("pbs", ["--resume-hosts"], "#PBS -r y\n"),
                                       ("lsf", ["--resume-hosts"], "#BSUB -r\n")):
            self.out = self.path(scheduler)
            self.expect(self.submit(scheduler, "--requeue"), 0)
            job = self.job(scheduler)
            self.assertIn(head, job)
            for word in words:
                self.assertIn(f" {word} ", job)
            self.assertEqual(" --resume" in job, scheduler != "slurm", "which would skip the probe of CUDA-aware MPI")

    def launcher(self):
        with open(self.log + ".launcher", encoding="ascii") as file:
            return file.read()

    def test_a_job_makes_all_its_runs_on_the_nodes_that_it_got(self):
        hosts = self.path("hosts")
        with open(hosts, "w", encoding="ascii") as file:
            file.write("a\na\nb\nb\n")
        for scheduler, name in (("pbs", "PBS_NODEFILE"), ("lsf", "LSB_DJOB_HOSTFILE")):
            self.out = self.path(scheduler)
            self.expect(self.run_job(scheduler, "0", "--repeats", 2, "--", "--preset", "smoke", env={name: hosts}), 0)
            self.assertEqual(self.files(), ["run-1.h5", "run-2.h5"])
        self.assertEqual(len(re.findall(f"-n 4 --map-by ppr:2:node --bind-to none --hostfile {hosts} ", self.launcher())), 4)

    def test_an_element_of_an_array_makes_its_own_run(self):
        for k, (scheduler, name) in enumerate((("pbs", "PBS_ARRAY_INDEX"), ("lsf", "LSB_JOBINDEX")), 1):
            self.expect(self.run_job(scheduler, "0", "--repeats", 3, env={name: str(k)}), 0)
        self.assertEqual(self.files(), ["run-1.h5", "run-2.h5"])
        self.expect(self.run_job("pbs", "0", env={"PBS_ARRAY_INDEX": "1"}), 2, "run-1.h5 is there")
        self.expect(self.run_job("pbs", "0", env={"PBS_ARRAY_INDEX": "x"}), 2, "'x'")

    def test_a_lost_run_is_relaunched_and_the_worst_code_is_the_jobs(self):
        self.expect(self.run_job("pbs", "lost:3 0 6", "--repeats", 2), 6, "The job was lost")
        self.assertEqual([line.endswith("--resume") for line in self.launches()], [False, True, False])

    def test_the_container_runs_the_program(self):
        image = self.path("a.sif")
        open(image, "w", encoding="ascii").close()
        for options, shared in (("--bind SPEC", ""), ("--bind SPEC\n--sharens  SHARE the namespace", "--sharens ")):
            with self.subTest(options=options):
                self.out = self.path(f"out{len(shared)}")
                done = self.run_job("pbs", "0", "--repeats", 2, env={**self.stub_apptainer(options), "SCALEMARK_CONTAINER": image,
                                                                     "SCALEMARK_CONTAINER_OPTIONS": "--nv"})
                self.expect(done, 0)
                folders = f"--bind={self.out} --bind={os.getcwd()} --nv {image} scalemark"
                self.assertIn(f"apptainer exec {shared}{folders} run --output {self.out}/run-1.h5", self.launcher())
                self.assertIn(f"apptainer exec {folders} show {self.out}", self.launcher())

    def test_ranks_of_a_node_share_a_container_of_charliecloud(self):
        root = self.path("root")
        os.mkdir(root)
        path = self.stub_command("ch-run", 'echo "ch-run $*" >>"$STUB_LOG.launcher"\nwhile [[ $1 != -- ]]; do shift; done\nshift 2\n'
                                           'exec "$SCALEMARK" "$@"\n')
        done = self.run_job("pbs", "0", "--repeats", 2, env={**path, "SCALEMARK_CONTAINER": root, "SCALEMARK_CONTAINER_OPTIONS": "--unset-env=A"})
        self.expect(done, 0)
        self.assertEqual(done.stdout.splitlines()[-1:], [f"table of {self.out}"])
        folders = f"--bind={self.out} --bind={os.getcwd()} --cd={os.getcwd()} --unset-env=A {root} -- scalemark"
        self.assertIn(f"ch-run --join {folders} run --output {self.out}/run-1.h5", self.launcher())
        self.assertIn(f"ch-run {folders} show {self.out}", self.launcher())
        self.assertTrue(os.path.isdir(f"{root}{self.out}"), "where it is mounted")

    def test_podman_mounts_what_launchers_need(self):
        path = self.stub_command("podman", 'echo "podman $*" >>"$STUB_LOG.launcher"\n'
                                           'echo "$OMPI_MCA_btl_vader_single_copy_mechanism" >"$STUB_LOG.copies"\n'
                                           'while (($#)) && [[ $1 != scalemark ]]; do shift; done\nshift\nexec "$SCALEMARK" "$@"\n')
        # Each folder is mounted once, also one whose name another one begins with.
        cache, earlier, self.out = self.path("cache"), self.path("out"), self.path("out and more")
        os.makedirs(earlier)
        done = self.run_job("pbs", "0", "--repeats", 2, "--baseline", earlier,
                            env={**path, "SCALEMARK_CONTAINER": "podman:a/b:1", "TMPDIR": self.folder, "XDG_CACHE_HOME": cache,
                                 "SCALEMARK_CONTAINER_OPTIONS": "--runtime runc"})
        self.expect(done, 0)
        user = "" if os.geteuid() == 0 else "--userns=keep-id "
        cards = "--device=/dev/infiniband " if os.path.isdir("/dev/infiniband") else ""
        volumes = " ".join(f"--volume={folder}:{folder}" for folder in (os.path.join(cache, "scalemark"), self.folder, "/dev/shm", earlier,
                                                                       self.out, os.getcwd()))
        words = f"podman run --rm --env-host --net=host --pid=host --workdir={os.getcwd()} {user}{cards}{volumes} --runtime runc a/b:1 scalemark"
        self.assertIn(f"{words} run --output {self.out}/run-1.h5", self.launcher())
        self.assertIn(f"{words} show {self.out}", self.launcher())
        with open(self.log + ".copies", encoding="ascii") as file:
            self.assertEqual(file.read(), "none\n")
        self.expect(self.run_job("pbs", "0", env={"SCALEMARK_CONTAINER": "podman:"}), 2, "SCALEMARK_CONTAINER")
        self.expect(self.submit("slurm", "--container", "podman:"), 2, "podman:IMAGE")
        self.out = earlier  # in the head of a job no blanks are allowed
        self.expect(self.submit("slurm", "--container", "podman:a/b:1"), 0)
        self.assertIn("export SCALEMARK_CONTAINER=podman:a/b:1\n", self.job("slurm"))

    def test_docker_is_told_what_its_containers_do_not_inherit(self):
        path = self.stub_command("docker", 'if [[ $1 == info ]]; then echo "$STUB_DOCKER"; exit; fi\n'
                                           'echo "docker $*" >>"$STUB_LOG.launcher"\n'
                                           'echo "$OMPI_MCA_btl_vader_single_copy_mechanism" >"$STUB_LOG.copies"\n'
                                           'while (($#)) && [[ $1 != scalemark ]]; do shift; done\nshift\nexec "$SCALEMARK" "$@"\n')
        allowed = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        os.sched_setaffinity(0, {max(allowed)})
        path |= self.stub_command("nvidia-smi", "echo GPU-1\necho GPU-2\n")
        baseline, cache = self.path("earlier", "base.h5"), self.path("cache")
        os.makedirs(os.path.dirname(baseline))
        open(baseline, "w", encoding="ascii").close()
        settings = {**path, "SCALEMARK_CONTAINER": "docker:a/b:1", "TMPDIR": self.folder + "/", "XDG_CACHE_HOME": cache,
                    "PLACE_OF_RANK": "3", "OPAL_PREFIX": "/opt/hpcx", "SCALEMARK_CONTAINER_OPTIONS": "--shm-size 1g"}
        self.expect(self.run_job("pbs", "0", env={**settings, "STUB_DOCKER": "[name=rootless]"}), 3, "podman:a/b:1")
        self.expect(self.run_job("pbs", "0", "--repeats", 2, "--baseline", baseline, env=settings), 0)
        launch = next(line for line in self.launcher().splitlines() if line.startswith("docker") and f"{self.out}/run-1.h5" in line)
        before, after = launch.split(" a/b:1 ")
        self.assertTrue(before.startswith("docker run --rm "), before)
        self.assertTrue(before.endswith(" --shm-size 1g"), before)
        self.assertTrue(after.startswith("scalemark run --output"), after)
        options = before.split()
        self.assertLessEqual({"--net=host", "--pid=host", "--ipc=host", f"--workdir={os.getcwd()}", f"--user={os.getuid()}:{os.getgid()}",
                              f"--cpuset-cpus={max(allowed)}", "--env=PLACE_OF_RANK", *(f"--group-add={group}" for group in os.getgroups()),
                              '--gpus="device=GPU-1,GPU-2"', "--env=XDG_CACHE_HOME",
                              *(f"--volume={folder}:{folder}" for folder in (self.folder, self.out, os.getcwd(), os.path.dirname(baseline),
                                                                            os.path.join(cache, "scalemark")))}, set(options))
        self.assertFalse({"--env=PATH", "--env=HOME", "--env=LD_LIBRARY_PATH", "--env=OPAL_PREFIX"} & set(options))
        self.assertEqual(len([option for option in options if option.startswith("--volume=")]), 5, "each folder once")
        with open(self.log + ".copies", encoding="ascii") as file:
            self.assertEqual(file.read(), "none\n")
        self.expect(self.run_job("pbs", "0", env={"SCALEMARK_CONTAINER": "docker:"}), 2, "SCALEMARK_CONTAINER")
        self.expect(self.submit("slurm", "--container", "docker:"), 2, "docker:IMAGE")
        self.expect(self.submit("slurm", "--container", "docker:a/b:1", env={"SCALEMARK_CONTAINER_OPTIONS": "--shm-size 1g"}), 0)
        self.assertIn("export SCALEMARK_CONTAINER=docker:a/b:1\n", self.job("slurm"))
        self.assertIn("export SCALEMARK_CONTAINER_OPTIONS=--shm-size\\ 1g\n", self.job("slurm"))

    def slurm_script(self, *arguments, stub, env):
        """slurm.sbatch with an srun that runs the program's stub once."""
        srun = self.stub_command("srun", 'while [[ $1 == -* ]]; do shift; done\nif [[ $1 == "$SCALEMARK" ]]; then shift; exec "$SCALEMARK" "$@"; fi\n'
                                         'exec "$@"\n')
        slurm = {"SLURM_JOB_ID": "7", "SLURM_NTASKS": "4", "SCALEMARK_MPI": "pmix", "SCALEMARK_ROOT": ROOT}
        return start(os.path.join(SCRIPTS, "slurm.sbatch"), "--output", self.out, *arguments, env={**self.stub(stub), **srun, **slurm, **env})

    def test_an_element_of_slurms_array_signals_and_requeues_itself_only(self):
        """One element has the number of the array as its own number: Slurm takes that for the whole array."""
        for name in ("scancel", "scontrol"):
            self.stub_command(name, f'echo "{name} $*" >>"$STUB_LOG.slurm"\n'
                                    'if [[ -e $STUB_LOG.waiting ]]; then kill -USR1 "$(cat "$STUB_LOG.waiting")"; fi\n')
        self.stub_command("sleep", '[[ $1 == 60 ]] || exec /bin/sleep "$@"\n')
        # The batch shell gets the signal as soon as the rank waits.
        self.stub_command("setsid", '(until [[ -e $STUB_LOG.waiting ]]; do /bin/sleep 0.1; done; kill -USR1 $PPID) &\nexec /usr/bin/setsid "$@"\n')
        self.slurm_script("--requeue", stub="wait", env={"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_JOB_ID": "7"})
        with open(self.log + ".slurm", encoding="ascii") as file:
            self.assertEqual(file.read().splitlines(), ["scancel --signal=USR1 7_3", "scontrol requeue 7_3"])

    def test_elements_of_an_array_share_a_folder_and_count_its_runs(self):
        self.out = self.path("shared")
        for element in ("1", "2"):
            array = {"SLURM_ARRAY_TASK_ID": element, "SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_JOB_ID": "7" + element}
            done = self.slurm_script(stub="0", env=array)
            self.expect(done, 0)
        self.assertEqual(done.stdout.splitlines()[-1:], [f"table of {self.out}"])
        # A finished element that is started again says so; without --resume its file would be lost.
        again = self.slurm_script("--resume", stub="0", env=array)
        self.expect(again, 0, "Run 2 is there")
        self.expect(self.slurm_script(stub="0", env=array), 2, "run-2.h5 is there")

    def test_images_of_enroot_go_to_srun(self):
        image = self.path("a.sqsh")
        open(image, "w", encoding="ascii").close()
        self.expect(self.run_job("pbs", "0", env={"SCALEMARK_CONTAINER": image}), 2, "for Slurm")
        srun = self.stub_command("srun", 'echo "srun $*" >>"$STUB_LOG.launcher"\nwhile [[ $1 == -* ]]; do shift; done\nshift\n'
                                         'exec "$SCALEMARK" "$@"\n')
        slurm = {"SLURM_JOB_ID": "7", "SLURM_NTASKS": "4", "SCALEMARK_MPI": "pmix", "SCALEMARK_ROOT": ROOT, "SCALEMARK_CONTAINER": image}
        done = start(os.path.join(SCRIPTS, "slurm.sbatch"), "--output", self.out, "--repeats", 2, env={**self.stub("0"), **srun, **slurm})
        self.expect(done, 0)
        self.assertEqual(done.stdout.splitlines()[-1:], [f"table of {self.out}"])
        container = (f"--container-image={image} --container-workdir={os.getcwd()} "
                     f"--container-mounts={os.getcwd()}:{os.getcwd()},{self.out}:{self.out} scalemark")
        self.assertIn(f"srun --mpi=pmix --kill-on-bad-exit=1 --cpu-bind=none {container} run --output {self.out}/run-1.h5", self.launcher())
        self.assertIn(f"srun --nodes=1 --ntasks=1 --overlap {container} show {self.out}", self.launcher())


if __name__ == "__main__":
    unittest.main()
