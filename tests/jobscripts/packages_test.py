# SPDX-License-Identifier: Apache-2.0
"""jobscripts/setup.sh and packages: as root and as a user who can install none."""
import os
import shutil
import unittest

from support import SCRIPTS, ScriptTest, start, tool
from wheel_support import WheelTest


class Headers(WheelTest):
    """Stubs of apt-get and the compiler come first on PATH: apt hands out packages that this test makes."""

    def setUp(self):
        super().setUp()
        self.make_wheels("headers.txt", {"libboost-headers": "1.88.0", "nlohmann-json": "3.12.0", "tokenspeed-spdlog": "1.15.1"})
        self.headers = os.path.join(self.cache, "headers")
        self.bin = self.path("bin")
        os.makedirs(self.bin)
        self.environment = {"PATH": self.bin + ":" + os.environ["PATH"]}
        for name, header in (("libcli11-dev", "CLI/CLI.hpp"), ("libtomlplusplus-dev", "toml++/toml.h")):
            root = self.path("debs", name)
            os.makedirs(os.path.join(root, "DEBIAN"))
            with open(os.path.join(root, "DEBIAN", "control"), "w", encoding="ascii") as text:
                text.write(f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: test\nDescription: made by the test\n")
            self.write_header(os.path.join(root, "usr", "include"), header)
        tool(self.bin, "apt-get", f"""echo "apt-get $*" >>{self.log}; shift 2
            for name; do dpkg-deb --build {self.path("debs")}/$name $name.deb >/dev/null; done""")
        tool(self.bin, "c++", "exit 1")

    def write_header(self, folder, header):
        os.makedirs(os.path.dirname(os.path.join(folder, header)))
        open(os.path.join(folder, header), "w", encoding="ascii").close()

    def run_online(self, *arguments):
        return start(self.setup, "--no-apt", "--no-libtorch", *arguments,
                     env={"XDG_CACHE_HOME": self.path("cache"), "LIBTORCH_DIR": "", **self.environment})

    def test_wheels_and_packages_make_one_folder(self):
        for _ in range(2):
            done = self.run_online("--headers")
            self.expect(done, 0, f"Header libraries: {self.headers}")
            self.assertEqual(done.stdout, f"export LIBTORCH_DIR=''\nexport SCALEMARK_HEADERS={self.headers}\n")
        for header in ("CLI/CLI.hpp", "boost/version.hpp", "fmt/format.h", "nlohmann/json.hpp", "spdlog/spdlog.h", "toml++/toml.h"):
            self.assertTrue(os.path.exists(os.path.join(self.headers, "include", header)), header)
        self.assertEqual(self.launches(), ["apt-get -q download libcli11-dev libtomlplusplus-dev"], "the second time all is there")
        self.assertEqual([name for name in os.listdir(self.cache) if ".tmp." in name], [])

    def test_they_are_not_fetched_unless_asked_for(self):
        done = self.run_online()
        self.expect(done, 0)
        self.assertNotIn("SCALEMARK_HEADERS", done.stdout)
        self.assertFalse(os.path.exists(self.headers))

    def test_without_apt_the_rest_is_brought_by_hand(self):
        tool(self.bin, "apt-get", "exit 100")
        include = os.path.join(self.headers, "include")
        for library, header in (("CLI11 2.1", "CLI/CLI.hpp"), ("toml++ 3", "toml++/toml.h")):
            self.expect(self.run_online("--headers"), 3, library, f"({header})", f"to {include}/", "CMAKE_PREFIX_PATH")
            self.write_header(include, header)
        self.expect(self.run_online("--headers"), 0)
        self.expect(self.run_online("--headers", "--offline"), 0)

    def test_what_the_compiler_finds_is_not_asked_for(self):
        tool(self.bin, "apt-get", "exit 100")
        tool(self.bin, "c++", "exit 0")
        self.expect(self.run_online("--headers"), 0)


class Packages(ScriptTest):
    """Stubs of id, dpkg-query, apt-get and sudo come first on PATH."""

    def setUp(self):
        super().setUp()
        self.bin = self.path("bin")
        os.makedirs(self.bin)
        self.missing("mold")
        self.tool("apt-get", f"echo \"apt-get $*\" >>{self.log}")
        self.tool("sudo", f"[[ $* == '-n true' ]] || echo \"sudo $1\" >>{self.log}; exit 1")

    def tool(self, name, body):
        tool(self.bin, name, body)

    def missing(self, *names):
        """Packages that dpkg-query does not know."""
        self.tool("dpkg-query", f"for name; do [[ $name == -* || $name == *{{* || ' {' '.join(names)} ' == *\" $name \"* ]] || "
                                "echo \"installed $name\"; done; exit 1")

    def run_setup(self, *arguments):
        return start(os.path.join(SCRIPTS, "setup.sh"), "--no-libtorch", *arguments,
                     env={"PATH": self.bin + ":" + os.environ["PATH"], "XDG_CACHE_HOME": self.path("cache")})

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
        self.missing("mold", "libpng-dev", "libhwloc-dev", "libgtest-dev")
        self.expect(self.run_setup(), 3, "going on without mold libgtest-dev", "--no-apt --headers",
                    "apt-get update && apt-get install -y --no-install-recommends libhwloc-dev libpng-dev\n")
        self.assertEqual(self.launches(), [])

    def test_a_user_without_sudo_gets_header_libraries_and_goes_without_the_tests(self):
        self.tool("id", "echo 1000")
        self.missing("mold", "libfmt-dev", "libbenchmark-dev")
        done = self.run_setup("--offline")
        self.expect(done, 3, "going on without mold libbenchmark-dev", "--offline, and the set of header libraries is not there")
        self.assertEqual(self.launches(), [])
        self.missing("libbenchmark-dev")
        self.expect(self.run_setup(), 0, "going on without libbenchmark-dev")
        self.expect(self.run_setup("--dev"), 3, "install -y --no-install-recommends libbenchmark-dev")

    def test_root_may_have_them_fetched_too(self):
        self.tool("id", "echo 0")
        self.missing("libfmt-dev")
        self.expect(self.run_setup("--headers", "--offline"), 3, "--offline, and the set of header libraries is not there")
        self.expect(self.run_setup("--offline"), 3, "install -y --no-install-recommends libfmt-dev")

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


if __name__ == "__main__":
    unittest.main()
