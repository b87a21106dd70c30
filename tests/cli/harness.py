# SPDX-License-Identifier: Apache-2.0
"""Starting the program under test, for the black-box tests."""
import functools
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

SCALEMARK = os.environ["SCALEMARK"]
ALL = os.environ["SCALEMARK_ALL"]  # the program, where SCALEMARK is one with fewer benchmarks
FILES = os.environ["SCALEMARK_FILES"]  # the program without benchmarks and LibTorch, which starts in a tenth of the time
FAULTY = os.environ["SCALEMARK_FAULTY"]
KERNELS = os.environ["SCALEMARK_KERNELS"]
MPIRUN = os.environ["MPIRUN"]
SWAPS = {"OMPI_MCA_osc": "^rdma"}  # Open MPI 4 does no compare_and_swap within a node otherwise
# Subcommands that know no benchmark: they read, compare and convert files.
OF_FILES = {"baseline", "compare", "export", "finalize", "fleet", "import", "predict", "report", "schema", "show", "study"}


@functools.cache
def mpi_has_sessions():
    """MPI-4's sessions, which Open MPI 4 does not have."""
    version = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True, check=True).stdout
    return not re.search(r"Open MPI\) [1-4]\.", version)


def run(*arguments, ranks=0, program=None, timeout=120, env=None, cwd=None, preexec_fn=None):
    """Runs the program (under mpirun when ranks > 0); returns the finished process with its texts."""
    if program is None:
        program = FILES if arguments and arguments[0] in OF_FILES and not ranks else SCALEMARK
    command = [program, *map(str, arguments)]
    if ranks:
        command = [MPIRUN, "-n", str(ranks), "--oversubscribe", "--bind-to", "none", *command]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=cwd,
                          env={**os.environ, **(env or {})}, preexec_fn=preexec_fn, stdin=subprocess.DEVNULL)


def ranks_of(mpirun_pid):
    """The processes that this mpirun started on this machine: their ids by rank."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(os.path.join(os.path.dirname(path), "environ"), "rb") as file:
                variables = dict(one.partition(b"=")[::2] for one in file.read().split(b"\0"))
        except OSError:
            continue
        parent = int(text[text.rindex(")") + 2:].split()[1])
        if parent == mpirun_pid and b"OMPI_COMM_WORLD_RANK" in variables:
            found[int(variables[b"OMPI_COMM_WORLD_RANK"])] = int(text.split(maxsplit=1)[0])
    return found


def text_of(value):
    """Of what h5py reads: bytes, or a number."""
    return value.decode() if isinstance(value, bytes) else str(value)


def rows(path):
    """The cases of a result file or .parts folder, by key, through `show`."""
    done = run("show", path, "--format", "json")
    if done.returncode != 0:
        raise AssertionError(f"show {path} ended with {done.returncode}: {done.stderr}")
    return {row["key"]: row for row in json.loads(done.stdout)}


def planned_keys(done):
    """The keys of the cases that `run --dry-run` printed."""
    return [line.split("  [")[0] for line in done.stdout.splitlines() if re.match(r"\w+/\w+ ", line)]


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="scalemark-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    @staticmethod
    def content(path):
        with open(path, "rb") as file:
            return file.read()

    def expect(self, done, code, *texts):
        """The exit code and texts on stderr; one failure message with all that was printed."""
        self.assertEqual(done.returncode, code, f"stdout: {done.stdout}\nstderr: {done.stderr}")
        for text in texts:
            self.assertIn(text, done.stderr)
