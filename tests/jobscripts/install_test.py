# SPDX-License-Identifier: Apache-2.0
"""cmake --install of a build into a prefix, and a benchmark built against it: install_test.py BUILD"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from support import ROOT, ScriptTest, start

BUILD = sys.argv[1]


class Install(ScriptTest):
    def test_programs_data_pages_and_completions_are_there(self):
        prefix = self.path("prefix")
        self.expect(start("cmake", "--install", BUILD, "--prefix", prefix, timeout=120), 0)
        for path in ("bin/scalemark-kernels", "share/scalemark/presets/quick.toml", "share/scalemark/golden/tokens.json",
                     "share/man/man1/scalemark.1", "share/man/man1/scalemark-run.1", "share/bash-completion/completions/scalemark",
                     "share/zsh/site-functions/_scalemark", "share/fish/vendor_completions.d/scalemark.fish",
                     "share/doc/scalemark/README.md", "share/doc/scalemark/LICENSE"):
            self.assertTrue(os.path.getsize(os.path.join(prefix, path)) > 0, path)
        presets = os.listdir(os.path.join(prefix, "share", "scalemark", "presets"))
        self.assertEqual(sorted(presets), sorted(os.listdir(os.path.join(ROOT, "suites", "presets"))))
        program = os.path.join(prefix, "bin", "scalemark")
        listed = start(program, "list")
        self.expect(listed, 0)
        self.assertIn("micro/allreduce", listed.stdout)
        pages = {name for name in os.listdir(os.path.join(prefix, "share", "man", "man1")) if name.startswith("scalemark-")}
        told = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
        names = [line.split()[0] for line in told[told.index("Subcommands:"):told.index("Examples:")].splitlines()[1:]
                 if line.startswith("  ") and not line.startswith("   ")]
        self.assertEqual(pages, {f"scalemark-{name}.1" for name in names})

    def test_a_module_finds_its_prefix(self):
        """Also where the folder was moved. No other module of the name may be loaded beside it."""
        first, prefix = self.path("first"), self.path("moved")
        self.expect(start("cmake", "--install", BUILD, "--prefix", first, "--component", "programs", timeout=120), 0)
        os.rename(first, prefix)
        (version,) = os.listdir(os.path.join(prefix, "share", "modulefiles", "scalemark"))
        done = start("bash", "-c", """set -e
            source /usr/share/modules/init/bash
            module use "$1/share/modulefiles"
            module load scalemark
            command -v scalemark
            scalemark --version
            echo "$MANPATH $CMAKE_PREFIX_PATH"
            module unload scalemark
            ! command -v scalemark""", "bash", prefix)
        self.expect(done, 0)
        where, told, paths = done.stdout.splitlines()
        self.assertEqual(where, os.path.join(prefix, "bin", "scalemark"))
        self.assertIn(version, told)
        self.assertTrue(paths.startswith(os.path.join(prefix, "share", "man")), paths)
        self.assertTrue(paths.endswith(prefix), paths)
        self.assertIn("Scalemark " + version, start("bash", "-c", 'source /usr/share/modules/init/bash && module use "$1" && '
                                                    "module help scalemark", "bash", os.path.join(prefix, "share/modulefiles")).stderr)

    def configure(self, source, build, prefix):
        """As the build that was installed: with its compilers, and so with their standard library."""
        with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
            compilers = re.findall(r"^(CMAKE_C(?:XX)?_COMPILER):\w+=(.+)$", cache.read(), re.MULTILINE)
        return start("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
                     *(f"-D{name}={path}" for name, path in compilers), timeout=120)

    def check_prefix(self, prefix, first):
        """Nothing names the place of the installation or of the sources, and no header includes one that is missing."""
        for folder, _, files in os.walk(os.path.join(prefix, "lib", "cmake")):
            for name in files:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    text = file.read()
                self.assertNotIn(first, text, name)
                self.assertNotIn(ROOT + "/", text, name)
        headers = pathlib.Path(prefix, "include", "scalemark")
        included = {name for header in headers.rglob("*.hpp")
                    for name in re.findall(r'^#include "([^"]+)"', header.read_text(encoding="utf-8"), re.MULTILINE)}
        self.assertGreater(len(included), 100)
        self.assertEqual([name for name in sorted(included) if not (headers / name).exists()], [])

    def change(self, path, old, new):
        text = pathlib.Path(path).read_text(encoding="utf-8")
        self.assertIn(old, text)
        pathlib.Path(path).write_text(text.replace(old, new), encoding="utf-8")

    def test_a_benchmark_outside_the_tree_stands_beside_ours(self):
        """That of examples/, and a collective by the shared code of ours."""
        source, build, first, prefix = (self.path(name) for name in ("mine", "build", "first", "moved"))
        lists = os.path.join(source, "CMakeLists.txt")
        shutil.copytree(os.path.join(ROOT, "examples"), source)
        shutil.copy(os.path.join(ROOT, "suites/micro/collective/allgather.cpp"), source)
        self.change(os.path.join(source, "allgather.cpp"), '"micro/allgather"', '"example/allgather"')
        self.change(lists, "add_executable(reverse_copy ", "add_executable(reverse_copy allgather.cpp ")
        self.expect(start("cmake", "--install", BUILD, "--prefix", first, "--component", "development", timeout=120), 0)
        os.rename(first, prefix)
        self.check_prefix(prefix, first)
        self.expect(self.configure(source, build, prefix), 0)
        self.expect(start("cmake", "--build", build, timeout=300), 0)

        program, out = os.path.join(build, "reverse_copy"), self.path("out.h5")
        listed = start(program, "list")
        self.expect(listed, 0)
        for name in ("example/reverse_copy", "example/allgather", "micro/allreduce", "micro/pingpong", "imaging/train", "presets: burn-in, burn-in-cpu, compute, conv2d,"):
            self.assertIn(name, listed.stdout)
        launcher = ("mpirun", "--oversubscribe", "--bind-to", "none", "-n", 2)
        self.expect(start(*launcher, program, "run", "example/", "micro/barrier", "--quick", "-n", 5, "-o", out), 0)
        shown = start(program, "show", out, "--format", "jsonl")
        self.expect(shown, 0)
        cases = [json.loads(line) for line in shown.stdout.splitlines()]
        self.assertEqual({(case["name"], case["status"]) for case in cases},
                         {(name, "ok") for name in ("example/reverse_copy", "example/allgather", "micro/barrier")})

        # Without C neither MPI nor HDF5 is found.
        self.change(lists, "LANGUAGES C CXX", "LANGUAGES CXX")
        refused = self.configure(source, self.path("refused"), prefix)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("project(... LANGUAGES C CXX)", " ".join(refused.stderr.split()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
