# SPDX-License-Identifier: Apache-2.0
"""jobscripts/local.sh with a stub in place of the program: repeats, relaunches, exit codes, signals."""
import os
import signal
import subprocess
import time
import unittest

from support import SCRIPTS, ScriptTest, start

LOCAL = os.path.join(SCRIPTS, "local.sh")


def is_running(pid):
    """Whether a process is there and no zombie that only waits for its parent."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False


class Local(ScriptTest):
    def local(self, plan, *arguments, output=True):
        place = ["--output", self.out] if output else []
        return start(LOCAL, *place, *arguments, env=self.stub(plan))

    def test_each_repeat_is_a_launch_with_a_file_of_its_own(self):
        self.expect(self.local("0", "-n", 2, "--repeats", 3, "--", "--preset", "smoke"), 0)
        self.assertEqual(self.files(), ["run-1.h5", "run-2.h5", "run-3.h5"])
        self.assertEqual(self.launches(),
                         [f"ranks=2 run --preset smoke --output {self.out}/run-{k}.h5" for k in (1, 2, 3)])

    def test_ends_with_one_table_over_the_runs(self):
        done = self.local("0", "-n", 1, "--repeats", 2)
        self.expect(done, 0)
        self.assertEqual(done.stdout.splitlines()[-1:], [f"table of {self.out}"])
        for k, (plan, arguments) in enumerate((("0", ("--repeats", 2, "--no-table")), ("0", ()), ("lost:137", ("--relaunches", 0)))):
            with self.subTest(arguments=arguments):
                self.out = self.path(f"out{k}")
                self.assertNotIn("table of", self.local(plan, "-n", 1, *arguments).stdout)

    def on_gpus(self, plan, *arguments):
        """The same where nvidia-smi lists a GPU."""
        stub = self.path("bin", "nvidia-smi")
        os.makedirs(os.path.dirname(stub), exist_ok=True)
        with open(stub, "w", encoding="ascii") as script:
            script.write("#!/bin/bash\necho 'GPU 0: a'\n")
        os.chmod(stub, 0o755)
        path = {"PATH": self.path("bin") + ":" + os.environ["PATH"]}
        return start(LOCAL, "--output", self.out, *arguments, env={**self.stub(plan), **path})

    def test_a_probe_of_its_own_comes_before_the_first_run_on_gpus(self):
        self.expect(self.on_gpus("none:0 0", "-n", 2, "--repeats", 2, "--", "--preset", "smoke"), 0, "run --probe")
        self.assertEqual(self.launches(),
                         ["ranks=2 run --probe"] +
                         [f"ranks=2 run --preset smoke --output {self.out}/run-{k}.h5" for k in (1, 2)])

    def test_whatever_becomes_of_the_probe_the_runs_are_made(self):
        for k, (ending, said) in enumerate((("none:4", ""), ("none:6", "were wrong"), ("none:139", "ended with 139"),
                                            ("crash", "The probe ended with"))):
            with self.subTest(ending=ending):
                self.out = self.path(f"out{k}")
                self.expect(self.on_gpus(f"{ending} 0", "-n", 2), 0, said)
                self.assertEqual(self.files(), ["run-1.h5"])
                os.truncate(self.log, 0)

    def test_no_probe_where_it_could_say_nothing(self):
        for k, arguments in enumerate((("-n", 1), ("-n", 2, "--", "--cuda-aware", "no"),
                                       ("-n", 2, "--", "micro/put", "--cuda-aware=yes"))):
            with self.subTest(arguments=arguments):
                self.out = self.path(f"out{k}")
                self.expect(self.on_gpus("0", *arguments), 0)
                self.assertNotIn("--probe", " ".join(self.launches()))
        self.expect(self.on_gpus("0", "-n", 2, "--repeats", 2, "--resume"), 0)  # a set goes on as it was begun
        self.assertNotIn("--probe", " ".join(self.launches()))
        self.out = self.path("none")
        self.expect(self.local("0", "-n", 2), 0)  # no GPU
        self.assertNotIn("--probe", " ".join(self.launches()))

    def test_more_ranks_than_cores(self):
        ranks = 2 * (os.cpu_count() or 1) + 1
        self.expect(self.local("0", "-n", ranks), 0)
        self.assertIn(f"ranks={ranks} ", self.launches()[0])

    def test_a_lost_job_is_relaunched_with_resume(self):
        # A killed rank, an abort with a code that also means "a case failed", and a segmentation fault.
        self.expect(self.local("kill lost:3 lost:139 0", "-n", 2), 0, "The job was lost")
        self.assertEqual([line.endswith("--resume") for line in self.launches()], [False, True, True, True])
        self.assertEqual(self.files(), ["run-1.h5"])

    def test_relaunches_are_bounded_and_the_code_of_the_launcher_is_kept(self):
        self.expect(self.local("lost:137", "--relaunches", 2, "--repeats", 3), 137, "no relaunch is left", "finalize")
        self.assertEqual(len(self.launches()), 3, "one launch and two relaunches; the next repeat does not start")
        self.assertEqual(self.files(), ["run-1.h5.parts"])

    def test_relaunches_start_anew_when_a_case_was_finished(self):
        self.expect(self.local("case:137 case:137 case:137 0", "--relaunches", 1), 0)
        self.assertEqual(len(self.launches()), 4)

    def test_the_runs_of_a_set_know_their_campaign(self):
        self.expect(self.local("0", "--repeats", 2), 0)
        with open(os.path.join(self.out, "campaign"), encoding="ascii") as file:
            self.assertRegex(file.read(), r"^[0-9T]{15}-[0-9a-f]{12}\n$")

    def test_a_relaunch_waits_until_the_old_writer_is_gone(self):
        script = """
            source "$1/lib.sh"; source "$1/runs.sh"; parts=$2; mkdir -p "$parts"; sleep 1 & writer=$!
            printf '%s %s 12345' "$(hostname)" "$writer" >"$parts/lock"
            wait_for_writer "$parts"
            if kill -0 "$writer" 2>/dev/null; then echo "the writer still lives"; exit 1; fi
            printf 'elsewhere %s 1' $$ >"$parts/lock"
            wait_for_writer "$parts"  # nobody here can ask for it: no waiting
        """
        done = subprocess.run(["bash", "-c", script, "bash", SCRIPTS, self.path("x.parts")],
                              capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_finished_run_with_failed_cases_is_not_relaunched(self):
        for code in (3, 4, 6):
            with self.subTest(code=code):
                self.out = self.path(f"out{code}")
                before = len(self.launches())
                self.expect(self.local(str(code), "--repeats", 2), code)
                self.assertEqual(len(self.launches()) - before, 2)

    def test_the_worst_code_wins(self):
        # Order of the exit codes: 2, 3, 6, 1, 4, 5.
        self.expect(self.local("0 4 6 0", "--repeats", 4), 6)

    def test_usage_errors_end_at_once(self):
        self.expect(self.local("none:2", "--repeats", 3), 2)
        self.assertEqual(len(self.launches()), 1)

    def test_success_without_a_file_is_no_success(self):
        self.expect(self.local("none:0"), 3, "there is no")

    def test_existing_runs_are_not_touched(self):
        self.expect(self.local("0"), 0)
        self.expect(self.local("0"), 2, "--output", "--resume")
        self.assertEqual(len(self.launches()), 1)

    def test_resume_completes_what_is_missing(self):
        self.expect(self.local("0 lost:137", "--repeats", 3, "--relaunches", 0), 137)
        self.assertEqual(self.files(), ["run-1.h5", "run-2.h5.parts"])
        self.expect(self.local("0", "--repeats", 3, "--resume"), 0, "Run 1 of 3 is there")
        self.assertEqual(self.files(), ["run-1.h5", "run-2.h5", "run-3.h5"])
        self.assertTrue(self.launches()[2].endswith("run-2.h5 --resume"))

    def test_the_command_that_goes_on_is_printed(self):
        self.out = self.path("a folder")
        _, errors = self.end_by(signal.SIGINT, "--repeats", "3", "--", "micro/(put|get)", "--tag", "it's=$HOME")
        command = errors.split("To resume (--resume):\n", 1)[1].splitlines()[0].strip()
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False,
                              stdin=subprocess.DEVNULL, env={**os.environ, **self.stub("0")})
        self.expect(done, 0)
        self.assertEqual(self.files(), ["run-1.h5", "run-2.h5", "run-3.h5"])
        self.assertIn(f"micro/(put|get) --tag it's=$HOME --output {self.out}/run-1.h5 --resume", self.launches()[1])

    def test_only_the_word_lets_a_run_go_on_on_other_hosts(self):
        self.expect(self.local("lost:137", "--relaunches", 0), 137)
        self.expect(self.local("lost:137", "--relaunches", 0, "--resume"), 137)
        self.expect(self.local("0", "--resume-hosts"), 0)
        self.assertEqual([line.count("--resume-hosts") for line in self.launches()], [0, 0, 1])
        self.assertTrue(self.launches()[2].endswith("--resume-hosts --resume"))

    def test_a_launch_that_is_refused_leaves_the_parts(self):
        self.expect(self.local("lost:137", "--relaunches", 0), 137)
        self.expect(self.local("none:2", "--resume"), 2)
        self.assertEqual(self.files(), ["run-1.h5.parts"])
        self.assertEqual(len(self.launches()), 2, "it would be refused again")

    def test_the_launcher_adds_nothing_to_what_was_said(self):
        speaks = "Open MPI) 5." in start("mpirun", "--version").stdout  # of a killed rank, and cannot be silenced
        for number, ending in enumerate(("none:2", "3", "crash")):
            with self.subTest(ending=ending):
                self.out = self.path(f"quiet{number}")
                done = self.local(ending, "-n", 2, "--relaunches", 0)
                self.assertNotEqual(done.returncode, 0)
                if speaks and ending == "crash":
                    self.assertIn("prterun noticed", done.stderr)
                    continue
                for text in ("Primary job", "mpirun detected", "mpirun noticed", "-----"):
                    self.assertNotIn(text, done.stderr)

    def test_bad_options_name_option_value_and_what_is_allowed(self):
        for arguments, texts in {
                ("-n", "0"): ["-n", "'0'", "from 1 on"],
                ("-n", "two"): ["'two'"],
                ("-n",): ["-n needs a value"],
                ("--repeats", "-1"): ["--repeats", "'-1'"],
                ("--nonsense",): ["--nonsense", "--help"],
                ("--", "--output", "x.h5"): ["--output"],
                ("--", "--force"): ["--force"],
                ("--", "--resume-hosts"): ["--resume-hosts"],
        }.items():
            with self.subTest(arguments=arguments):
                self.expect(self.local("0", *arguments), 2, *texts)
        self.expect(self.local("0", "--resume", output=False), 2, "--resume needs --output")
        self.assertEqual(self.launches(), [])

    def test_a_program_that_is_none(self):
        done = start(LOCAL, "--output", self.out, env={"SCALEMARK": "/nonexistent/scalemark"})
        self.expect(done, 2, "SCALEMARK", "/nonexistent/scalemark")

    def end_by(self, name, *arguments):
        process = subprocess.Popen([LOCAL, "-n", "2", "--output", self.out, *arguments], stderr=subprocess.PIPE, text=True,
                                   stdin=subprocess.DEVNULL, env={**os.environ, **self.stub("wait")})
        deadline = time.monotonic() + 60
        while not os.path.exists(self.log + ".waiting"):
            self.assertLess(time.monotonic(), deadline, "the stub did not start")
            time.sleep(0.05)
        process.send_signal(name)
        _, errors = process.communicate(timeout=60)
        with open(self.log + ".waiting", encoding="ascii") as text:
            self.assertFalse(is_running(text.read().strip()), "the rank outlived the script")
        return process.returncode, errors

    def test_signals_end_the_ranks_and_start_nothing_more(self):
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
            with self.subTest(signal=name.name):
                self.out = self.path(name.name)
                os.truncate(self.log, 0)
                if os.path.exists(self.log + ".waiting"):
                    os.remove(self.log + ".waiting")
                code, errors = self.end_by(name, "--repeats", "3")
                self.assertNotEqual(code, 0)
                self.assertIn("To resume (--resume):", errors)
                self.assertEqual(len(self.launches()), 1)
                self.assertEqual(self.files(), ["run-1.h5.parts"])


if __name__ == "__main__":
    unittest.main()
