# SPDX-License-Identifier: Apache-2.0
"""What a user types: cmake --preset NAME, then a build, with g++ and with clang, without LibTorch. By default only the modules
that include MPI's headers are built, by g++; the build for the sanitizers shows all sources by clang. With --full both
compilers build both programs."""
import json
import os
import shutil
import sys
import tempfile
import unittest

from support import ROOT, start

FULL = "--full" in sys.argv
COMPILERS = {"g++": ("gcc", "g++"), "clang": ("clang", "clang++")}


class Presets(unittest.TestCase):
    def setUp(self):
        self.build = tempfile.mkdtemp(prefix="scalemark-test-")
        self.addCleanup(shutil.rmtree, self.build, ignore_errors=True)

    def command(self, *command):
        done = start(*command, cwd=ROOT, timeout=1800, env={"CCACHE_SLOPPINESS": "pch_defines,time_macros"})
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-8000:]}\n{done.stderr[-8000:]}")
        return done.stdout

    def configure(self, preset, compiler):
        c, cxx = COMPILERS[compiler]
        self.assertTrue(shutil.which(cxx), f"{cxx} is missing: jobscripts/setup.sh --dev")
        self.command("cmake", "--preset", preset, "-B", self.build, f"-DCMAKE_C_COMPILER={c}", f"-DCMAKE_CXX_COMPILER={cxx}",
                     "-DSCALEMARK_ENABLE_LIBTORCH=OFF", *([] if FULL else ["-DSCALEMARK_BUILD_TESTS=OFF"]))

    def check_as_typed(self, compiler):
        self.configure("cpu-release", compiler)
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as commands:
            rows = json.load(commands)
        self.assertTrue(any(row["file"].endswith("cuda_support.cpp") for row in rows), "sources are compiled one by one")
        for row in rows:
            self.assertNotIn("-Werror", row["command"], "a warning of the user's compiler is no error")
        if compiler == "clang" and not FULL:
            return
        targets = ["scalemark", "scalemark-kernels"] if FULL else ["scalemark_mpi", "scalemark_collective"]
        self.command("cmake", "--build", self.build, "--parallel", 2, "--target", *targets)
        if FULL:
            self.assertIn("micro/pingpong", self.command(os.path.join(self.build, "suites", "scalemark"), "list"))
            kernels = os.path.join(self.build, "suites", "micro", "scalemark-kernels")
            self.assertIn("memcpy", self.command(kernels, "--benchmark_list_tests"))

    def test_with_gcc(self):
        self.check_as_typed("g++")

    def test_with_clang(self):
        self.check_as_typed("clang")

    def test_warnings_are_errors_in_ci(self):
        self.configure("ci", "g++")
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as commands:
            for row in json.load(commands):
                if row["file"].startswith(os.path.join(ROOT, "common")):
                    self.assertIn("-Werror", row["command"], row["file"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
