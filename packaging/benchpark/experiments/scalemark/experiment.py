# SPDX-License-Identifier: Apache-2.0
"""Scalemark as an experiment of Benchpark. It goes into Benchpark's var/exp_repo/experiments/scalemark/; packaging/ramble and
packaging/spack have the application and the package that it names."""
from benchpark.directives import variant
from benchpark.experiment import Experiment


class Scalemark(Experiment):
    variant("preset", default="quick", values=("quick", "node", "osu", "nccl-tests", "nvbandwidth", "imb"), description="what is measured")
    variant("programming_model", default="mpi", values=("mpi", "cuda"), description="ranks on processors, or one rank per GPU")
    variant("nodes", default="1", values=("1", "2", "4", "8", "16", "32", "64"), description="number of nodes")
    variant("ranks_per_node", default="2", values=("1", "2", "4", "8"), description="ranks, and GPUs with cuda, of each node")

    def value(self, name):
        return self.spec.variants[name][0]

    def on_gpus(self):
        return self.spec.satisfies("programming_model=cuda")

    def compute_applications_section(self):
        variables = {"preset": self.value("preset"), "n_nodes": self.value("nodes"), "n_ranks": "{n_nodes}*" + self.value("ranks_per_node")}
        if self.on_gpus():
            variables["n_gpus"] = "{n_ranks}"
        experiment = {"variants": {"package_manager": "spack"}, "variables": variables}
        return {"scalemark": {"workloads": {"preset": {"experiments": {"scalemark_{preset}_{n_nodes}_{n_ranks}": experiment}}}}}

    def compute_spack_section(self):
        package = "scalemark@main+cuda" if self.on_gpus() else "scalemark@main"
        return {"packages": {"scalemark": {"pkg_spec": package, "compiler": "default-compiler"}},
                "environments": {"scalemark": {"packages": ["default-mpi", "scalemark"]}}}
