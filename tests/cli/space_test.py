# SPDX-License-Identifier: Apache-2.0
"""A disk that gets full, a quota that is used up, a folder that becomes read-only while a run goes on:
an error with its exit code, all finished cases intact, and --resume goes on when there is space again.

    space_test.py NO_SPACE_LIBRARY

Twice: errors made by a library put before the system's calls, and a real small file system, in a mount
namespace of our own where this user may have one."""
import errno
import json
import os
import resource
import subprocess
import sys
import unittest

from harness import FAULTY, ProgramTest, rows, run

INSIDE = "--inside"
LIBRARY = sys.argv.pop(1)
CASES = 40
NAMESPACES = [["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"]]


def usable_namespace():
    """The command that may mount a file system, if there is one."""
    for command in NAMESPACES:
        test = [*command, "sh", "-c", "mount -t tmpfs -o size=1m none /mnt"]
        if subprocess.run(test, capture_output=True, check=False).returncode == 0:
            return command
    return None


class Space(ProgramTest):
    def command(self, out, *more):
        return ["run", "test/nap", "-a", f"number=0:{CASES - 1}:+1", "-n", "5", "-o", out, "--quiet", "--format",
                "jsonl", *more]

    def interrupt(self, out, fill, env):
        """Lets five cases be printed, then calls fill(process); returns the keys that were printed, and stderr."""
        process = subprocess.Popen([FAULTY, *self.command(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env={**os.environ, **env})
        printed = [process.stdout.readline() for _ in range(5)]
        fill(process)
        rest, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, errors)
        return {json.loads(line)["key"] for line in printed + rest.splitlines()}, errors

    def check(self, folder, fill, empty, message, env=None):
        out = os.path.join(folder, "a.h5")
        printed, errors = self.interrupt(out, fill, env or {})
        self.assertIn(message, errors)
        self.assertIn("a.h5.parts/", errors)
        self.assertLess(len(printed), CASES)
        kept = {key for key, row in rows(out + ".parts").items() if row["status"] == "ok"}
        self.assertLessEqual(printed, kept)
        begun = run(*self.command(out, "--resume"), program=FAULTY, env=env)
        self.expect(begun, 3, "--output", message)
        self.assertEqual({key for key, row in rows(out + ".parts").items() if row["status"] == "ok"}, kept)
        empty()
        self.expect(run(*self.command(out, "--resume"), program=FAULTY, env=env), 0)
        table = rows(out)
        self.assertEqual((len(table), {row["status"] for row in table.values()}), (CASES, {"ok"}))
        self.assertEqual(os.listdir(folder), ["a.h5"])


class Errors(Space):
    """Made by the library."""

    def try_error(self, number):
        marker = self.path("no_space")

        def fill(_):
            with open(marker + ".new", "w", encoding="ascii") as file:
                file.write(str(number))
            os.rename(marker + ".new", marker)
        self.check(self.folder, fill, lambda: os.remove(marker), os.strerror(number),
                   {"LD_PRELOAD": LIBRARY, "NO_SPACE_FOLDER": self.folder})

    def test_quota_used_up(self):
        self.try_error(errno.EDQUOT)

    def test_disk_full(self):
        self.try_error(errno.ENOSPC)

    def test_input_output_error(self):
        self.try_error(errno.EIO)


class SizeOfFiles(Space):
    def test_a_limit_is_an_error_and_no_signal(self):
        """Where SIGXFSZ is not ignored, it ends the process without a word."""
        def limit(process):
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4096, 4096))
        out = self.path("a.h5")
        printed, errors = self.interrupt(out, limit, {})
        self.assertIn(os.strerror(errno.EFBIG), errors)
        self.assertLessEqual(printed, {key for key, row in rows(out + ".parts").items() if row["status"] == "ok"})
        self.expect(run(*self.command(out, "--resume"), program=FAULTY), 0)
        self.assertEqual((len(rows(out)), os.listdir(self.folder)), (CASES, ["a.h5"]))


class RealFileSystem(Space):
    """Runs in a mount namespace."""

    def setUp(self):
        super().setUp()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", self.folder], check=True)
        self.addCleanup(subprocess.run, ["umount", self.folder], check=True)

    def test_disk_full(self):
        ballast = self.path("ballast")

        def fill(_):
            file = os.open(ballast, os.O_WRONLY | os.O_CREAT)
            try:
                while True:
                    os.write(file, bytes(4096))
            except OSError:
                os.close(file)
        self.check(self.folder, fill, lambda: os.remove(ballast), os.strerror(errno.ENOSPC))

    def test_read_only(self):
        out = self.path("a.h5")
        process = subprocess.Popen([FAULTY, *self.command(out)], stdout=subprocess.PIPE, text=True)
        printed = {json.loads(process.stdout.readline())["key"] for _ in range(5)}
        process.kill()
        process.communicate(timeout=60)
        subprocess.run(["mount", "-o", "remount,ro", self.folder], check=True)
        why = os.strerror(errno.EROFS)
        self.expect(run(*self.command(out, "--resume"), program=FAULTY), 3, "--output", why)
        self.expect(run(*self.command(self.path("b.h5")), program=FAULTY), 3, "--output", "b.h5", why)
        self.expect(run("finalize", out + ".parts"), 3, "a.h5.parts/", why)
        # What is there can be read.
        self.assertLessEqual(printed, {key for key, row in rows(out + ".parts").items() if row["status"] == "ok"})
        subprocess.run(["mount", "-o", "remount,rw", self.folder], check=True)
        self.expect(run(*self.command(out, "--resume"), program=FAULTY), 0)
        self.assertEqual((len(rows(out)), os.listdir(self.folder)), (CASES, ["a.h5"]))

    def test_too_small_from_the_start(self):
        subprocess.run(["mount", "-o", "remount,size=4m", self.folder], check=True)
        done = run(*self.command(self.path("a.h5")), program=FAULTY)
        self.expect(done, 3, "--output", "16384 KiB", os.strerror(errno.ENOSPC))
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_temporary_folder_too_small_for_the_launcher(self):
        """MPI_Init and mpirun would wait for ever."""
        environment = {"TMPDIR": self.folder}
        for size, code in (("1m", 3), ("6m", 3), ("12m", 0)):
            subprocess.run(["mount", "-o", f"remount,size={size}", self.folder], check=True)
            done = run("run", "test/nap", "-n", "5", "--dry-run", ranks=2, program=FAULTY, env=environment, timeout=30)
            self.expect(done, code)
            self.assertEqual("MPI_Init needs 8.2 MiB there, and would wait for ever" in done.stderr, code == 3, done.stderr)


class Namespace(unittest.TestCase):
    def test_on_a_file_system_of_our_own(self):
        command = usable_namespace()
        if command is None:
            self.skipTest("this user may not mount a file system, not even in a namespace of its own; "
                          "the same errors were made by a library instead")
        done = subprocess.run([*command, sys.executable, os.path.abspath(__file__), LIBRARY, INSIDE],
                              capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Ran 4 tests", done.stderr)


if __name__ == "__main__":
    if INSIDE in sys.argv:
        unittest.main(argv=[sys.argv[0], "RealFileSystem"])
    else:
        unittest.main(argv=[sys.argv[0], "Errors", "SizeOfFiles", "Namespace"])
