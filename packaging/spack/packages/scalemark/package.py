# SPDX-License-Identifier: Apache-2.0
# Scalemark from the clone that this file stands in:
#   spack repo add CLONE/packaging/spack && spack install scalemark +libtorch
# Needs a repository of packages with tomlplusplus, cuda@13 and py-torch@2.11 or newer: that of Spack 1.
import os

from spack.package import *

try:  # Spack 1 keeps the build systems beside its packages
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass

CLONE = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))


class Scalemark(CMakePackage):
    """MPI-based benchmark suite for GPU clusters: communication, memory, kernels, MobileNetV2 training and Llama 3
    fine-tuning, with one result file and one comparison."""

    git = "file://" + CLONE
    license("Apache-2.0")

    version("main", branch="main")

    variant("cuda", default=False, description="Measure NVIDIA GPUs (CUDA 13)")
    variant("libtorch", default=False, description="Trainings, convolutions and fine-tuning, by PyTorch's C++ library")
    variant("tests", default=False, description="Build the tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("git", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("ninja", type="build")
    depends_on("mpi@3:")
    depends_on("hdf5@1.10: +hl")
    depends_on("hwloc@2:")
    depends_on("cli11@2:")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10:")
    depends_on("nlohmann-json@3.11:")
    depends_on("tomlplusplus")
    depends_on("boost@1.74:")
    depends_on("zlib-api")
    depends_on("libpng")
    depends_on("openssl")
    depends_on("pcre2")
    depends_on("benchmark@1.7:")
    depends_on("googletest@1.12: +gmock", when="+tests")
    depends_on("cuda@13:", when="+cuda")
    depends_on("nccl", when="+cuda")
    depends_on("py-torch@2.11:2.15 +distributed", when="+libtorch")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("SCALEMARK_BUILD_TESTS", "tests"),
            self.define("SCALEMARK_ENABLE_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define("SCALEMARK_ENABLE_LIBTORCH", "ON" if self.spec.satisfies("+libtorch") else "OFF"),
            self.define("SCALEMARK_ENABLE_DALI", "OFF"),
        ]
        if self.spec.satisfies("+libtorch"):
            python = self.spec["py-torch"].package.spec["python"].package
            args.append(self.define("LIBTORCH_DIR", join_path(self.spec["py-torch"].prefix, python.platlib)))
        return args
