# SPDX-License-Identifier: Apache-2.0
"""Scalemark for Ramble: ramble repo add packaging/ramble. The program `scalemark` has to be on the PATH."""
from ramble.appkit import *


class Scalemark(ExecutableApplication):
    """Benchmarks of GPU clusters: communication, memory, products, training of vision and language models"""

    name = "scalemark"

    tags("synthetic-benchmarks", "communication", "training")

    executable("measure", "scalemark run {what} {more} --force -o {experiment_run_dir}/run.h5", use_mpi=True, output_capture=OUTPUT_CAPTURE.ALL)
    executable("figures", "scalemark export {experiment_run_dir}/run.h5 --to fom", use_mpi=False,
               output_capture=OUTPUT_CAPTURE.ALL)

    workload("preset", executables=["measure", "figures"])
    workload_variable("preset", default="quick", description="Name of a preset (scalemark list --presets), or its file", workloads=["preset"])
    workload_variable("what", default="--preset {preset}", description="Arguments of scalemark run", workloads=["preset"])

    workload("benchmark", executables=["measure", "figures"])
    workload_variable("benchmark", default="micro/pingpong", description="Name of a benchmark (scalemark list)", workloads=["benchmark"])
    workload_variable("what", default="{benchmark}", description="Arguments of scalemark run", workloads=["benchmark"])

    workload_variable("more", default="", description="More arguments, such as -a bytes=8", workloads=["preset", "benchmark"])

    figure_of_merit_context("case", regex=r"FOM (?P<key>.+) \S+ \S+ \S+$", output_format="{key}")
    figure_of_merit("{metric} ({unit})", fom_regex=r"FOM (?P<key>.+) (?P<metric>\S+) (?P<value>\S+) (?P<unit>\S+)$",
                    group_name="value", units="", contexts=["case"])
    success_criteria("passed", mode="string", match=r"RESULT PASS")
