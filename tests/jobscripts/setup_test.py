# SPDX-License-Identifier: Apache-2.0
"""jobscripts/setup.sh without network: LibTorch and the rest from wheels that this test makes."""
import hashlib
import os
import re
import shutil
import subprocess
import unittest
import zipfile

from support import SCRIPTS, ScriptTest, start, tool
from wheel_support import CODEC, DALI, PARTS, WheelTest, listed_torch

class LibTorch(WheelTest):
    def test_wheels_that_are_there_need_no_network(self):
        done = self.run_setup("--cpu")
        self.expect(done, 0)
        self.assertEqual(done.stdout, f"export LIBTORCH_DIR={self.target}\n")
        with open(os.path.join(self.target, "torch", "lib", "libtorch_cpu.so"), encoding="ascii") as library:
            self.assertEqual(library.read(), "torch")
        self.assertTrue(os.path.exists(os.path.join(self.target, "nvidia", "nvidia-cuda-cupti")))
        self.assertEqual(os.listdir(self.wheels), [], "wheels go once they are unpacked")
        self.expect(self.run_setup("--cpu"), 0)

    def test_wheels_are_kept_on_request(self):
        self.expect(self.run_setup("--cpu", "--keep-wheels"), 0)
        self.assertEqual(len(os.listdir(self.wheels)), 3)

    def test_a_missing_wheel_is_named(self):
        os.remove(self.wheel("nvidia-cuda-cupti", "13.0.85"))
        done = self.run_setup("--cpu")
        self.expect(done, 3, "--offline", "nvidia-cuda-cupti==13.0.85", "--libtorch")
        self.assertNotIn("torch==2.11.0", done.stderr)
        self.assertFalse(os.path.exists(self.target))
        self.assertTrue(os.path.exists(self.wheel("torch", "2.11.0")), "finished parts stay")

    def test_a_wheel_with_another_hash_is_discarded(self):
        with open(self.wheel("torch", "2.11.0"), "ab") as wheel:
            wheel.write(b"x")
        self.expect(self.run_setup("--cpu"), 3, "Discarding", "torch==2.11.0")
        self.assertFalse(os.path.exists(self.wheel("torch", "2.11.0")))
        self.assertFalse(os.path.exists(self.target))

    def test_an_interrupted_unpacking_leaves_no_folder_that_counts(self):
        os.makedirs(self.target + ".tmp.1/torch/lib")
        os.makedirs(self.target + "/torch/lib")  # without the mark of completeness
        self.expect(self.run_setup("--cpu"), 0)
        self.assertEqual([name for name in os.listdir(self.cache) if ".tmp." in name], [])
        self.assertTrue(os.path.exists(os.path.join(self.target, "torch", "lib", "libtorch_cpu.so")))

    def test_two_at_once(self):
        environment = {**os.environ, "XDG_CACHE_HOME": self.path("cache"), "LIBTORCH_DIR": ""}
        both = [subprocess.Popen([self.setup, "--no-apt", "--offline", "--cpu"], env=environment, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True) for _ in range(2)]
        for process in both:
            out, errors = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (0, f"export LIBTORCH_DIR={self.target}\n"), errors)

    def test_a_given_libtorch_is_checked(self):
        self.expect(self.run_setup("--cpu"), 0)
        for given in (self.target, os.path.join(self.target, "torch")):
            done = self.run_setup("--libtorch", given)
            self.expect(done, 0)
            self.assertEqual(done.stdout, f"export LIBTORCH_DIR={given}\n")
        self.expect(self.run_setup("--libtorch", self.folder), 3, "--libtorch", self.folder, "lib/libtorch_cpu.so")

    def give_version(self, version):
        with open(os.path.join(self.target, "torch", "version.py"), "w", encoding="ascii") as text:
            text.write(f"__version__ = '{version}'\n")
        return self.run_setup("--libtorch", self.target)

    def test_a_given_libtorch_is_of_an_allowed_version(self):
        newest = listed_torch("libtorch-newest.txt")
        release = int(newest.split(".")[1])
        self.expect(self.run_setup("--cpu"), 0)
        for older in ("2.9.1", "2.10.0+cpu", "1.13.1"):
            self.expect(self.give_version(older), 3, older.split("+", maxsplit=1)[0], f"allowed: 2.11 and newer (2.11 to 2.{release} were tried)")
        for tested in ("2.11.1", "2.12.0+cu130", f"{newest}+cu132"):
            done = self.give_version(tested)
            self.expect(done, 0)
            self.assertNotIn("Warning", done.stderr)
        for newer in (f"2.{release + 1}.0+cu132", "3.0.0"):
            done = self.give_version(newer)
            self.expect(done, 0, f"LibTorch {newer.split('+', maxsplit=1)[0]} is newer than 2.{release}", f"use 2.11 to 2.{release}")
            self.assertEqual(done.stdout, f"export LIBTORCH_DIR={self.target}\n")

    def test_the_newest_has_a_folder_of_its_own(self):
        self.make_wheels("libtorch-newest.txt", {"torch": "2.98.0", "nvidia-cuda-runtime": "13.9.1"})
        newest = os.path.join(self.cache, "libtorch-2.98.0-cpu")
        done = self.run_setup("--libtorch", "newest")
        self.expect(done, 0)
        self.assertEqual(done.stdout, f"export LIBTORCH_DIR={newest}\n")
        self.assertTrue(os.path.exists(os.path.join(newest, "torch", "lib", "libtorch_cpu.so")))
        self.assertFalse(os.path.exists(self.target))
        shutil.rmtree(newest)
        self.expect(self.run_setup("--libtorch", "newest"), 3, "--offline", "torch==2.98.0", "--libtorch newest --keep-wheels")

    def test_the_help_names_the_versions_of_the_lists(self):
        told = " ".join(self.run_setup("--help").stdout.split())
        newest = listed_torch("libtorch-newest.txt")
        self.assertIn(f"Tried were 2.11 to {newest.rsplit('.', 1)[0]}:", told)
        self.assertIn(f"fetch {newest} for CPUs in place of {listed_torch('libtorch-cpu.txt')}", told)

    def test_without_libtorch(self):
        done = self.run_setup("--no-libtorch")
        self.expect(done, 0)
        self.assertEqual(done.stdout, "export LIBTORCH_DIR=''\n")

    def test_bad_options(self):
        self.expect(self.run_setup("--nonsense"), 2, "--nonsense", "--help")
        self.expect(self.run_setup("--libtorch"), 2, "--libtorch needs a value")
        self.expect(self.run_setup("--cuda", "--libtorch", "/"), 2, "exclude each other")


class Driver(WheelTest):
    """The driver, as a stub of nvidia-smi tells it, is looked at before anything is fetched."""

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("bin"))
        self.environment = {"PATH": self.path("bin") + ":" + os.environ["PATH"]}
        self.make_wheels("libtorch-cuda.txt", PARTS)
        self.cuda_target = os.path.join(self.cache, "libtorch-2.11.0-cuda")

    def driver(self, version, cuda):
        tool(self.path("bin"), "nvidia-smi", f"""if [[ ${{1:-}} == -L ]]; then echo 'GPU 0: a'; exit; fi
echo '| NVIDIA-SMI {version}   Driver Version: {version}   {cuda} |'""")

    def test_one_that_is_too_old_is_named_with_what_helps(self):
        for cuda in ("12.4", "11.8"):
            self.driver("550.54.14", f"CUDA Version: {cuda}")
            done = self.run_setup()
            self.expect(done, 3, f"driver runs CUDA {cuda} and older", "need CUDA 13", "580", "cuda-compat-13-0",
                        "/usr/local/cuda-13.0/compat", "--cpu")
            self.assertEqual(done.stdout, "")
            self.assertFalse(os.path.exists(self.cuda_target))

    def test_one_that_runs_cuda_13_is_used(self):
        for cuda in ("CUDA Version: 13.0", "CUDA UMD Version: 13.2", "CUDA Version: 14.1", "CUDA Version: N/A"):
            self.driver("580.65.06", cuda)
            done = self.run_setup()
            self.expect(done, 0)
            self.assertEqual(done.stdout, f"export LIBTORCH_DIR={self.cuda_target}\n")
            self.assertNotIn("driver", done.stderr)

    def test_a_choice_of_the_user_holds(self):
        self.driver("550.54.14", "CUDA Version: 12.4")
        done = self.run_setup("--cuda")
        self.expect(done, 0, "Warning", "CUDA 12.4")
        self.assertEqual(done.stdout, f"export LIBTORCH_DIR={self.cuda_target}\n")
        self.make_wheels("libtorch-cpu.txt", PARTS)  # the same wheels, which go once they are unpacked
        done = self.run_setup("--cpu")
        self.expect(done, 0)
        self.assertNotIn("driver", done.stderr)
        self.assertEqual(self.run_setup("--no-libtorch").returncode, 0)


class Dali(WheelTest):
    def setUp(self):
        super().setUp()
        self.make_wheels("dali.txt", {DALI: "2.4.0", CODEC: "0.9.0.20"})
        self.dali = os.path.join(self.cache, "dali-2.4.0")

    def test_it_is_there_when_it_is_asked_for(self):
        done = self.run_setup("--cpu")
        self.expect(done, 0)
        self.assertEqual(done.stdout, f"export LIBTORCH_DIR={self.target}\n")
        self.assertFalse(os.path.exists(self.dali))
        for _ in range(2):
            done = self.run_setup("--cpu", "--dali")
            self.expect(done, 0, f"DALI: {self.dali}")
            self.assertEqual(done.stdout, f"export LIBTORCH_DIR={self.target}\nexport DALI_DIR={self.dali}\n")
            self.assertTrue(os.path.exists(os.path.join(self.dali, "nvidia", "dali", "libdali_operators.so")))
            self.assertEqual(os.listdir(os.path.join(self.dali, "nvidia", "nvimgcodec", "extensions")), ["libopencv_ext.so.0.9.0"])
        self.assertEqual(os.listdir(self.wheels), [])
        for taken_back in ("--no-dali", "--no-libtorch"):
            self.assertNotIn("DALI_DIR", self.run_setup("--dali", taken_back).stdout)

    def test_a_missing_wheel_is_named(self):
        os.remove(self.wheel(DALI, "2.4.0"))
        done = self.run_setup("--cpu", "--dali")
        self.expect(done, 3, "--offline, and DALI is not there", f"{DALI}==2.4.0", "--no-dali")
        self.assertNotIn("torch==", done.stderr)
        self.assertEqual(done.stdout, "", "no settings for half of what was asked for")

    def test_a_given_one_is_checked(self):
        self.expect(self.run_setup("--cpu", "--dali"), 0)
        self.environment = {"DALI_DIR": self.dali}
        self.assertIn(f"export DALI_DIR={self.dali}\n", self.run_setup("--cpu", "--dali").stdout)
        with open(os.path.join(self.dali, "nvidia", "dali", "__init__.py"), "w", encoding="ascii") as text:
            text.write("__version__ = '1.43.0'\n")
        self.expect(self.run_setup("--cpu", "--dali"), 3, "DALI 1.43.0", "allowed: 2.4")
        self.environment = {"DALI_DIR": self.folder}
        self.expect(self.run_setup("--cpu", "--dali"), 3, self.folder, "nvidia/dali/libdali_operators.so")


class Settings(ScriptTest):
    """What the printed settings mean to CMake."""

    def options(self, **environment):
        done = start("/bin/bash", "-c", f". {os.path.join(SCRIPTS, 'lib.sh')} && build_options",
                     env={"LIBTORCH_DIR": "", "DALI_DIR": "", "SCALEMARK_HEADERS": "", **environment})
        self.expect(done, 0)
        return done.stdout.split()

    def test_what_was_asked_for_must_be_found(self):
        off = ["-DSCALEMARK_HEADERS=", "-DSCALEMARK_ENABLE_LIBTORCH=OFF", "-DSCALEMARK_ENABLE_DALI=OFF"]
        self.assertEqual(self.options(), off)
        self.assertEqual(self.options(DALI_DIR="/d"), off)
        self.assertEqual(self.options(SCALEMARK_HEADERS="/h"),
                         ["-DSCALEMARK_HEADERS=/h", "-DSCALEMARK_BUILD_TESTS=OFF", *off[1:]])
        torch = ["-DSCALEMARK_HEADERS=", "-DLIBTORCH_DIR=/t", "-DSCALEMARK_ENABLE_LIBTORCH=ON"]
        self.assertEqual(self.options(LIBTORCH_DIR="/t"), torch + ["-DSCALEMARK_ENABLE_DALI=AUTO"])
        self.assertEqual(self.options(LIBTORCH_DIR="/t", DALI_DIR="/d"),
                         torch + ["-DDALI_DIR=/d", "-DSCALEMARK_ENABLE_DALI=ON"])


class Tokenizer(ScriptTest):
    """A copy of the scripts whose list names a wheel made here."""

    def setUp(self):
        super().setUp()
        shutil.copytree(SCRIPTS, self.path("jobscripts"))
        self.wheels = self.path("cache", "scalemark", "wheels")
        self.model = self.path("cache", "scalemark", "llama3", "tokenizer.model")
        self.wheel = os.path.join(self.wheels, "llama_models-0.3.0-py3-none-any.whl")
        os.makedirs(self.wheels)
        self.make(b"YQ== 0\n", hashlib.sha256(b"YQ== 0\n").hexdigest())

    def make(self, content, digest):
        with zipfile.ZipFile(self.wheel, "w") as wheel:
            wheel.writestr("llama_models/llama3/tokenizer.model", content)
        with open(self.wheel, "rb") as data:
            wheel_digest = hashlib.sha256(data.read()).hexdigest()
        with open(self.path("jobscripts", "tokenizer.txt"), "w", encoding="ascii") as text:
            text.write(f"# made by the test\n# member llama_models/llama3/tokenizer.model sha256:{digest}\n"
                       f"llama-models==0.3.0 --hash=sha256:{wheel_digest}  # 1 MB\n")

    def run_setup(self, *arguments):
        return start(self.path("jobscripts", "setup.sh"), "--no-apt", "--offline", "--no-libtorch", *arguments,
                     env={"XDG_CACHE_HOME": self.path("cache")})

    def test_it_is_taken_out_of_its_wheel_once(self):
        for _ in range(2):
            done = self.run_setup("--tokenizer")
            self.expect(done, 0, self.model)
            self.assertEqual(done.stdout, f"export LIBTORCH_DIR=''\nexport SCALEMARK_TOKENIZER={self.model}\n")
            with open(self.model, "rb") as file:
                self.assertEqual(file.read(), b"YQ== 0\n")
            self.assertEqual(os.listdir(self.wheels), [], "the wheel goes")

    def test_it_is_not_fetched_unless_asked_for(self):
        done = self.run_setup()
        self.expect(done, 0)
        self.assertNotIn("TOKENIZER", done.stdout)
        self.assertFalse(os.path.exists(self.model))

    def test_where_it_is_not_to_be_had_the_set_up_goes_on(self):
        os.remove(self.wheel)
        done = self.run_setup("--tokenizer")
        self.expect(done, 0, "--offline", "llama-models==0.3.0", "Tokenizer: none")
        self.assertEqual(done.stdout, "export LIBTORCH_DIR=''\nexport SCALEMARK_TOKENIZER=''\n")

    def test_another_file_in_the_wheel_does_not_count(self):
        self.make(b"another\n", "0" * 64)
        self.expect(self.run_setup("--tokenizer"), 0, "is not the one", "Tokenizer: none")
        self.assertFalse(os.path.exists(self.model))

    def test_a_damaged_file_is_replaced(self):
        os.makedirs(os.path.dirname(self.model))
        with open(self.model, "w", encoding="ascii") as file:
            file.write("half")
        self.expect(self.run_setup("--tokenizer"), 0, self.model)
        with open(self.model, "rb") as file:
            self.assertEqual(file.read(), b"YQ== 0\n")


class Mlperf(ScriptTest):
    """A copy of the scripts whose list names a wheel made here."""

    def setUp(self):
        super().setUp()
        shutil.copytree(SCRIPTS, self.path("jobscripts"))
        self.wheels = self.path("cache", "scalemark", "wheels")
        self.wheel = os.path.join(self.wheels, "mlperf_logging-4.1.68-py3-none-any.whl")
        os.makedirs(self.wheels)
        with zipfile.ZipFile(self.wheel, "w") as wheel:
            wheel.writestr("mlperf_logging/__init__.py", "")
        with open(self.wheel, "rb") as data:
            digest = hashlib.sha256(data.read()).hexdigest()
        with open(self.path("jobscripts", "mlperf.txt"), "w", encoding="ascii") as text:
            text.write(f"# made by the test\nmlperf-logging==4.1.68 --hash=sha256:{digest}  # 1 MB\n")

    def run_setup(self, *arguments):
        return start(self.path("jobscripts", "setup.sh"), "--no-apt", "--offline", "--no-libtorch", *arguments,
                     env={"XDG_CACHE_HOME": self.path("cache")})

    def test_it_is_unpacked_once(self):
        target = self.path("cache", "scalemark", "mlperf-logging-4.1.68")
        for _ in range(2):
            done = self.run_setup("--mlperf")
            self.expect(done, 0, target)
            self.assertEqual(done.stdout, f"export LIBTORCH_DIR=''\nexport SCALEMARK_MLPERF_LOGGING={target}\n")
            self.assertTrue(os.path.exists(os.path.join(target, "mlperf_logging", "__init__.py")))
            self.assertEqual(os.listdir(self.wheels), [], "the wheel goes")

    def test_where_it_is_not_to_be_had_the_set_up_goes_on(self):
        os.remove(self.wheel)
        done = self.run_setup("--mlperf")
        self.expect(done, 0, "--offline", "mlperf-logging==4.1.68", "log checker: none")
        self.assertEqual(done.stdout, "export LIBTORCH_DIR=''\nexport SCALEMARK_MLPERF_LOGGING=''\n")
        self.assertNotIn("MLPERF", self.run_setup().stdout)


class Quickstart(ScriptTest):
    """A copy of the scripts in which set-up is a stub, so that nothing comes after it."""

    def setUp(self):
        super().setUp()
        shutil.copytree(SCRIPTS, self.path("jobscripts"))
        shutil.copytree(os.path.join(SCRIPTS, "..", "suites", "presets"), self.path("suites", "presets"))
        with open(self.path("jobscripts", "setup.sh"), "w", encoding="ascii") as script:
            script.write(f"#!/bin/bash\necho setup >>{self.log}\nexit 9\n")

    def quickstart(self, *arguments):
        return start(self.path("jobscripts", "quickstart.sh"), *arguments, cwd=self.folder)

    def test_a_preset_that_is_not_there_is_refused_before_the_set_up(self):
        for preset, said in (("nope", "'nope'"), ("quikc", "did you mean quick?"), ("imaging-pin-c", "paper-imaging-pin-cpu?"),
                             ("quick.toml", "did you mean quick?"), ("./quick", "'./quick'"), ("../presets/quick", "'../pre"),
                             ("", "--preset is ''")):
            with self.subTest(preset=preset):
                self.expect(self.quickstart("--preset", preset), 2, said, "tuned-llm-cpu")
        self.assertEqual(self.launches(), [])

    def test_a_preset_and_a_file_are_taken(self):
        with open(self.path("mine.toml"), "w", encoding="ascii"):
            pass
        taken = ("smoke", "conv2d-cpu", "mine.toml", "./mine.toml", self.path("mine.toml"), "mine-cpu.toml", "./mine-cpu.toml")
        for preset in taken:
            with self.subTest(preset=preset):
                self.expect(self.quickstart("--preset", preset), 9)
        self.assertEqual(self.launches(), ["setup"] * len(taken))


class Help(ScriptTest):
    def test_every_script_explains_itself(self):
        scripts = [os.path.join(SCRIPTS, name) for name in sorted(os.listdir(SCRIPTS)) if name.endswith((".sh", ".sbatch"))]
        scripts += [os.path.join(SCRIPTS, "..", "tests", "run.sh"), os.path.join(SCRIPTS, "..", "tests", "gpu", "run.sh")]
        for script in scripts:
            if not os.access(script, os.X_OK):
                continue  # sourced
            with self.subTest(script=script):
                done = start(script, "--help", cwd=self.folder)
                self.expect(done, 0)
                self.assertRegex(done.stdout, "-h, --help")
                with open(script, encoding="ascii") as text:
                    code = text.read().split("set -euo pipefail", 1)[1]
                for option in set(re.findall(r"^ +(?:-\w \| )?((?:-{1,2}[a-z][a-z-]* ?\|? ?)+)\)", code, 8)):
                    for name in option.replace("|", " ").split():
                        self.assertIn(name, done.stdout, f"{name} is missing in the help of {script}")


if __name__ == "__main__":
    unittest.main()
