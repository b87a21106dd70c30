# SPDX-License-Identifier: Apache-2.0
"""tests/gpu/run.sh with a stub bundle and a stub nvidia-smi: parts, verdicts, what is left behind."""
import os
import unittest

from support import ROOT, ScriptTest, start

RUN = os.path.join(ROOT, "tests", "gpu", "run.sh")


class GpuRun(ScriptTest):
    def setUp(self):
        super().setUp()
        self.bundle = self.path("bundle")
        for folder in ("tests", "golden", "bin"):
            os.makedirs(os.path.join(self.bundle, folder))
        self.write("bundle/VERSION", "stub\n")
        self.write("bundle/golden/one.json", "{}")
        # The launcher: notes what it starts, and ends as a file named after the command's first words says.
        self.write("bundle/run.sh", f'#!/bin/bash\necho "$*" >>{self.log}\ncase "$*" in\n'
                   f'  *"$(cat {self.path("failing")})"*) exit 6 ;;\n'
                   '  *tests/wants_8_gpus*) exit 77 ;;\n'
                   f'  *--probe*) exit "$(cat {self.path("probe")})" ;;\n'
                   f'  *" show "*) cat {self.path("shown")} ;;\n'
                   '  *--output*) touch "${@: -1}" ;;\nesac\n', 0o755)
        self.write("bin/nvidia-smi", "#!/bin/bash\necho 'GPU 0: a'\necho 'GPU 1: b'\n", 0o755)
        self.write("bundle/tests/list", "gpu.one\tSCALEMARK_EXPECT_RANKS=1\tmpirun\t-n\t1\ttests/one\n"
                   "gpu.eight\tmpirun\t-n\t8\ttests/wants_8_gpus\n")
        self.fail_at("nothing of this kind")
        self.write("probe", "4")
        self.write("shown", "")

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def fail_at(self, text):
        self.write("failing", text)

    def run_script(self, *arguments):
        return start(RUN, self.bundle, "--out", self.out, *arguments, env={"PATH": self.path("bin") + ":" + os.environ["PATH"]})

    def test_all_parts_run_on_all_gpus(self):
        done = self.run_script("--presets", "smoke quick", "--repeats", 2, "--libtorch", "/torch")
        self.expect(done, 0)
        self.assertIn("1 passed, 0 failed, 1 skipped", done.stdout)
        runs = [line for line in self.launches() if "scalemark run --preset" in line]
        self.assertEqual(len(runs), 4)
        for line in runs:
            self.assertIn("--libtorch /torch mpirun -n 2 ", line)
            self.assertIn("--redact", line)
        self.assertTrue(any("verify" in line and "one.json" in line and "--device cuda" in line for line in self.launches()))
        self.assertEqual([name for name in self.files() if name.endswith(".h5")],
                         ["quick-1.h5", "quick-2.h5", "smoke-1.h5", "smoke-2.h5"])
        self.assertIn("summary.txt", self.files())

    def test_a_failing_part_does_not_stop_the_others(self):
        for failing, part in (("tests/one", "GPU tests"), ("verify", "numerical checks"), ("smoke", "preset smoke"),
                              ("info", "machine")):
            with self.subTest(part=part):
                os.truncate(self.log, 0)
                self.fail_at(failing)
                done = self.run_script()
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertRegex(done.stdout, part + r".*FAILED")
                self.assertEqual(done.stdout.count("FAILED ("), 1, done.stdout)
                self.assertTrue(any("--preset quick" in line for line in self.launches()))

    def test_device_memory_goes_direct_where_the_probe_proves_it(self):
        for probe, shown, code in (("4", "", 0), ("139", "", 1), ("6", "", 1), ("0", "", 1),
                                   ("0", '{"key": "micro/pingpong memory=device transfer=direct"}', 0)):
            with self.subTest(probe=probe, shown=shown):
                os.truncate(self.log, 0)
                self.write("probe", probe)
                self.write("shown", shown)
                done = self.run_script("--ranks", 1)
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                self.assertTrue(any("mpirun -n 2 " in line and "--probe" in line for line in self.launches()))
                self.assertEqual(any("memory=device" in line for line in self.launches()), probe == "0")

    def test_skipped_tests_alone_prove_nothing(self):
        self.write("bundle/tests/list", "gpu.eight\tmpirun\ttests/wants_8_gpus\n")
        self.expect(self.run_script(), 1)

    def test_no_gpu(self):
        self.write("bin/nvidia-smi", "#!/bin/bash\nexit 9\n", 0o755)
        self.expect(self.run_script(), 3, "no GPU")

    def test_what_is_no_bundle(self):
        self.bundle = self.folder
        self.expect(self.run_script(), 3, "no bundle")
        self.bundle = RUN
        self.expect(self.run_script(), 3, "no archive")

    def test_bad_options(self):
        self.expect(self.run_script("--ranks", "many"), 2, "--ranks is 'many'")
        self.expect(self.run_script("another"), 2, "another")
        self.expect(self.run_script("--nonsense"), 2, "--nonsense")


if __name__ == "__main__":
    unittest.main()
