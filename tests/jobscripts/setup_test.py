# SPDX-License-Identifier: Apache-2.0
"""jobscripts/setup.sh without network: LibTorch from wheels that this test makes, packages from stubs."""
import hashlib
import os
import re
import shutil
import subprocess
import unittest
import zipfile

from support import SCRIPTS, ScriptTest, start

PARTS = {"torch": "2.11.0", "nvidia-cuda-runtime": "13.0.96", "nvidia-cuda-cupti": "13.0.85"}
DALI = "nvidia-dali-cuda130"
# What a wheel holds besides a library of its name.
FILES = {
    "torch": {"torch/lib/libtorch_cpu.so": "torch", "torch/version.py": "__version__ = '2.11.0+cu130'\n"},
    DALI: {"nvidia/dali/libdali_operators.so": "dali", "nvidia/dali/__init__.py": "__version__ = '2.4.0'\n"},
}


class WheelTest(ScriptTest):
    """A copy of the scripts whose requirement lists name wheels made here."""

    def setUp(self):
        super().setUp()
        shutil.copytree(SCRIPTS, self.path("jobscripts"))
        self.setup = self.path("jobscripts", "setup.sh")
        self.cache = self.path("cache", "scalemark")
        self.wheels = os.path.join(self.cache, "wheels")
        self.target = os.path.join(self.cache, "libtorch-2.11.0-cpu")
        self.environment = {}
        os.makedirs(self.wheels)
        self.make_wheels("libtorch-cpu.txt", PARTS)

    def make_wheels(self, requirements, parts):
        """Writes the wheels, and the list that names them."""
        lines = []
        for name, version in parts.items():
            path = self.wheel(name, version)
            with zipfile.ZipFile(path, "w") as wheel:
                for file, content in FILES.get(name, {f"nvidia/{name}/lib/lib{name}.so": name}).items():
                    wheel.writestr(file, content)
            with open(path, "rb") as data:
                lines.append(f"{name}=={version} --hash=sha256:{hashlib.sha256(data.read()).hexdigest()}  # 1 MB\n")
        with open(self.path("jobscripts", requirements), "w", encoding="ascii") as text:
            text.write("# made by the test\n" + "".join(lines))

    def wheel(self, name, version):
        return os.path.join(self.wheels, f"{name.replace('-', '_')}-{version}-py3-none-any.whl")

    def run_setup(self, *arguments):
        environment = {"XDG_CACHE_HOME": self.path("cache"), "LIBTORCH_DIR": "", "DALI_DIR": "", **self.environment}
        return start(self.setup, "--no-apt", "--offline", *arguments, env=environment)


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
        with open(os.path.join(self.target, "torch", "version.py"), "w", encoding="ascii") as text:
            text.write("__version__ = '2.9.1'\n")
        self.expect(self.run_setup("--libtorch", self.target), 3, "2.9.1", "allowed: 2.11")

    def test_without_libtorch(self):
        done = self.run_setup("--no-libtorch")
        self.expect(done, 0)
        self.assertEqual(done.stdout, "export LIBTORCH_DIR=''\n")

    def test_bad_options(self):
        self.expect(self.run_setup("--nonsense"), 2, "--nonsense", "--help")
        self.expect(self.run_setup("--libtorch"), 2, "--libtorch needs a value")
        self.expect(self.run_setup("--cuda", "--libtorch", "/"), 2, "exclude each other")


class Dali(WheelTest):
    def setUp(self):
        super().setUp()
        self.make_wheels("dali.txt", {DALI: "2.4.0"})
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
        done = start("/bin/bash", "-c", f". {os.path.join(SCRIPTS, 'lib.sh')} && libtorch_options",
                     env={"LIBTORCH_DIR": "", "DALI_DIR": "", **environment})
        self.expect(done, 0)
        return done.stdout.split()

    def test_what_was_asked_for_must_be_found(self):
        off = ["-DSCALEMARK_ENABLE_LIBTORCH=OFF", "-DSCALEMARK_ENABLE_DALI=OFF"]
        self.assertEqual(self.options(), off)
        self.assertEqual(self.options(DALI_DIR="/d"), off)
        torch = ["-DLIBTORCH_DIR=/t", "-DSCALEMARK_ENABLE_LIBTORCH=ON"]
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


class Packages(ScriptTest):
    """Stubs of id, dpkg-query, apt-get and sudo come first on PATH."""

    def setUp(self):
        super().setUp()
        self.bin = self.path("bin")
        os.makedirs(self.bin)
        self.tool("dpkg-query", "for name; do [[ $name == -* || $name == *{* || $name == mold ]] || echo \"installed $name\"; done; exit 1")
        self.tool("apt-get", f"echo \"apt-get $*\" >>{self.log}")
        self.tool("sudo", f"[[ $* == '-n true' ]] || echo \"sudo $1\" >>{self.log}; exit 1")

    def tool(self, name, body):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="ascii") as script:
            script.write(f"#!/bin/bash\n{body}\n")
        os.chmod(path, 0o755)

    def run_setup(self, *arguments):
        return start(os.path.join(SCRIPTS, "setup.sh"), "--no-libtorch", *arguments,
                     env={"PATH": self.bin + ":" + os.environ["PATH"]})

    def test_root_installs_only_what_is_missing(self):
        self.tool("id", "echo 0")
        self.expect(self.run_setup(), 0, "Installing 1 packages: mold")
        self.assertRegex(self.launches()[-1], "install .* mold")
        self.assertNotIn("cmake", "".join(self.launches()))
        self.assertFalse(any("update" in line for line in self.launches()), "the lists were good enough")

    def test_package_lists_are_updated_when_they_do_not_know_a_package(self):
        self.tool("id", "echo 0")
        self.tool("apt-get", f"echo \"apt-get $*\" >>{self.log}; [[ $* != *--download-only* ]]")
        self.expect(self.run_setup(), 0, "Updating the package lists")
        self.assertRegex(self.launches()[1], "update")

    def test_a_user_without_sudo_is_told_what_to_install(self):
        self.tool("id", "echo 1000")
        self.expect(self.run_setup(), 3, "apt-get update && apt-get install -y --no-install-recommends mold", "--no-apt")
        self.assertEqual(self.launches(), [])

    def test_offline_names_the_packages(self):
        self.tool("id", "echo 0")
        self.expect(self.run_setup("--offline"), 3, "--offline", "install -y --no-install-recommends mold")
        self.assertEqual(self.launches(), [])

    def test_a_failed_installation_is_an_error(self):
        self.tool("id", "echo 0")
        self.tool("apt-get", "exit 100")
        self.expect(self.run_setup(), 4, "apt-get update failed")

    def test_missing_tools_are_named(self):
        for tool in ("bash", "env", "dirname", "awk", "sed", "cat", "nproc", "basename", "id", "sha256sum"):
            target = shutil.which(tool)
            self.assertIsNotNone(target, tool)
            os.symlink(target, os.path.join(self.bin, tool))
        done = start("/bin/bash", os.path.join(SCRIPTS, "setup.sh"), "--no-apt", "--no-libtorch", env={"PATH": self.bin})
        self.expect(done, 3, "not found on PATH", "cmake", "mpicc")


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
        for preset in ("smoke", "mine.toml", "./mine.toml", self.path("mine.toml")):
            with self.subTest(preset=preset):
                self.expect(self.quickstart("--preset", preset), 9)
        self.assertEqual(self.launches(), ["setup"] * 4)


class Help(ScriptTest):
    def test_every_script_explains_itself(self):
        scripts = [os.path.join(SCRIPTS, name) for name in sorted(os.listdir(SCRIPTS)) if name.endswith((".sh", ".sbatch"))]
        scripts += [os.path.join(SCRIPTS, "..", "tests", "run.sh"), os.path.join(SCRIPTS, "..", "tests", "gpu", "run.sh")]
        for script in scripts:
            if script.endswith("lib.sh"):
                continue
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
