# SPDX-License-Identifier: Apache-2.0
"""A copy of jobscripts/setup.sh whose lists name wheels made here: no network."""
import hashlib
import os
import re
import shutil
import zipfile

from support import SCRIPTS, ScriptTest, start

PARTS = {"torch": "2.11.0", "nvidia-cuda-runtime": "13.0.96", "nvidia-cuda-cupti": "13.0.85"}
DALI, CODEC = "nvidia-dali-cuda130", "nvidia-nvimgcodec-cu13"
# What a wheel holds besides a library of its name.
FILES = {
    "torch": {"torch/lib/libtorch_cpu.so": "torch", "torch/version.py": "__version__ = '2.11.0+cu130'\n"},
    "libboost-headers": {"libboost_headers/include/boost/version.hpp": ""},
    "nlohmann-json": {"nlohmann_json/include/nlohmann/json.hpp": ""},
    "tokenspeed-spdlog": {"tokenspeed_spdlog/include/spdlog/spdlog.h": "",
                          "tokenspeed_spdlog/include/spdlog/fmt/bundled/format.h": ""},
    DALI: {"nvidia/dali/libdali_operators.so": "dali", "nvidia/dali/__init__.py": "__version__ = '2.4.0'\n"},
    CODEC: {f"nvidia/nvimgcodec/extensions/lib{name}_ext.so.0.9.0": name for name in ("nvjpeg", "nvjpeg2k", "nvtiff", "opencv")},
}


def listed_torch(requirements):
    """The version of LibTorch in a list of the project."""
    with open(os.path.join(SCRIPTS, requirements), encoding="ascii") as text:
        return re.search(r"^torch==(\S+)", text.read(), re.MULTILINE).group(1)


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
