# SPDX-License-Identifier: Apache-2.0
"""Poor surroundings: no root, no home, a small /dev/shm, few open files, a narrow terminal, a wrong topology. Two ranks
measure a case there and its file is shown, or the program says what is missing."""
import os
import resource
import subprocess
import sys
import unittest

from harness import MPIRUN, SCALEMARK, ProgramTest, rows, run

KEY = "micro/allreduce backend=mpi bytes=8 memory=host ranks=2"
CASE = ["micro/allreduce", "-a", "backend=mpi", "-a", "bytes=8", "-a", "memory=host", "-a", "ranks=2"]
AS_ROOT_OF_NOTHING = ["unshare", "--user", "--map-root-user", "--mount"]


def limit(what, value):
    return lambda: resource.setrlimit(what, (value, resource.getrlimit(what)[1]))


def works(*command):
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


class Surroundings(ProgramTest):
    def start(self, *more, before=(), inside=(), env=None, without=(), preexec_fn=None):
        command = [*before, MPIRUN, "-n", "2", "--oversubscribe", "--bind-to", "none", *inside, SCALEMARK, "run", *CASE,
                   "-n", "50", "-o", self.path("a.h5"), *more]
        kept = {name: value for name, value in os.environ.items() if name not in without}
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
                              env={**kept, **(env or {})}, preexec_fn=preexec_fn)

    def measured(self, *more, **surroundings):
        done = self.start(*more, **surroundings)
        self.expect(done, 0)
        self.assertEqual({key: row["status"] for key, row in rows(self.path("a.h5")).items()}, {KEY: "ok"})
        return done

    def test_no_root(self):
        before = []
        if os.geteuid() == 0:
            before = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
            if not works(*before, "true"):
                self.skipTest("root, and no other user can be had: there are no user namespaces")
        self.assertEqual(subprocess.run([*before, "sh", "-c", "[ $(id -u) != 0 ]"], check=False).returncode, 0)
        self.measured(before=before, without=["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"])

    def test_no_home(self):
        self.measured(without=["HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "USER", "LOGNAME"])

    def test_a_home_that_cannot_keep_the_secret_of_redaction(self):
        done = self.measured("--redact", env={"HOME": "/nonexistent/home"}, without=["XDG_STATE_HOME"])
        self.assertIn("for this run only", done.stderr)
        self.assertNotIn(os.uname().nodename.encode() + b"\x00", self.content(self.path("a.h5")))

    def test_a_small_shared_memory(self):
        if not works(*AS_ROOT_OF_NOTHING, "mount", "-t", "tmpfs", "none", "/dev/shm"):
            self.skipTest("this user may not mount a file system, not even in a namespace of its own")
        for options in ("size=64k", "ro"):
            with self.subTest(options):
                self.measured("--force", before=[*AS_ROOT_OF_NOTHING, "sh", "-c",
                                                 f'mount -t tmpfs -o {options} none /dev/shm && exec "$@"', "sh"])

    def test_few_open_files(self):
        """Of each rank; mpirun itself needs more."""
        self.measured(inside=["sh", "-c", 'ulimit -n 32 && exec "$@"', "sh"])
        self.expect(run("show", self.path("a.h5"), preexec_fn=limit(resource.RLIMIT_NOFILE, 32)), 0)

    def test_a_small_stack(self):
        self.measured(preexec_fn=limit(resource.RLIMIT_STACK, 1 << 20))

    def test_c_locale_and_a_terminal_of_one_column(self):
        done = self.measured(env={"LANG": "C", "LC_ALL": "C", "COLUMNS": "1"})
        self.assertTrue((done.stdout + done.stderr).isascii())
        shown = run("show", self.path("a.h5"), env={"LC_ALL": "C", "COLUMNS": "1"})
        self.expect(shown, 0)
        self.assertIn("latency", shown.stdout)

    def test_a_wrong_topology(self):
        for name, content in (("empty.xml", ""), ("cut.xml", '<?xml version="1.0"?>\n<topology version="2.0"><object type="Mach'),
                              ("binary.xml", "\x00\x7f\x01" * 100)):
            with self.subTest(name):
                with open(self.path(name), "w", encoding="utf-8") as file:
                    file.write(content)
                self.measured("--force", env={"HWLOC_XMLFILE": self.path(name)})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
