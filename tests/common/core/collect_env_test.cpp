// SPDX-License-Identifier: Apache-2.0
// What is stored of the environment, and what never is.
#include "common/core/environment/collect_env.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace scalemark {
namespace {

TEST(Environment, StoresOnlyAllowedVariables) {
  for (const char* name :
       {"OMP_NUM_THREADS", "NCCL_DEBUG", "OMPI_MCA_btl", "CUDA_VISIBLE_DEVICES", "SLURM_JOB_ID"}) {
    EXPECT_TRUE(may_store_variable(name)) << name;
  }
  for (const char* name :
       {"HOME", "USER", "PATH", "SLURM_JWT", "NCCL_SECRET_X", "OMPI_MCA_auth_token", "CUDA_API_KEY",
        "PMIX_MCA_password", "PMIX_SERVER_URI2", "OMPI_MCA_orte_precondition_transports",
        "OMPI_MCA_orte_top_session_dir", "OMPI_MCA_ess_base_jobid", "SSH_AUTH_SOCK",
        "NCCL_DEBUG_FILE", "UCX_LOG_FILE", "NCCL_HOSTID"}) {
    EXPECT_FALSE(may_store_variable(name)) << name;
  }
}

TEST(Environment, CarriesNoSecretAndNoControlCharacter) {
  setenv("NCCL_TOKEN", "hunter2", 1);
  setenv("MY_SECRET", "hunter2", 1);
  setenv("AWS_ACCESS_KEY_ID", "hunter2", 1);
  setenv("NCCL_PROXY", "http://bob:hunter2@proxy:3128/", 1);
  setenv("NCCL_NOTE", "a\x1b[31mb", 1);
  setenv("LD_LIBRARY_PATH", "/home/hunter2/lib", 1);
  const auto facts = collect_node_environment();
  for (const auto& [key, value] : facts) {
    EXPECT_EQ(key.find("hunter2"), std::string::npos) << key;
    EXPECT_EQ(value.find("hunter2"), std::string::npos) << key;
    EXPECT_EQ(value.find('\x1b'), std::string::npos) << key;
  }
  EXPECT_EQ(facts.at("env.NCCL_NOTE"), "a?[31mb");
  EXPECT_EQ(facts.at("env.NCCL_PROXY"), "withheld: an address with a password");
}

// Where a user would look for a fact, there is one, or the reason why not.
TEST(Environment, KnowsWhatChoosesTheWayOfMessages) {
  setenv("UCX_TLS", "rc,cuda", 1);
  setenv("OMPI_MCA_pml", "ucx", 1);
  setenv("OMPI_MCA_btl_smcuda_use_cuda_ipc", "0", 1);
  setenv("OMPI_MCA_mpi_oversubscribe", "1", 1);
  setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
  setenv("NCCL_DEBUG", "INFO", 1);
  const auto found = transport_variables();
  EXPECT_EQ(found.at("env.UCX_TLS"), "rc,cuda");
  EXPECT_EQ(found.at("env.OMPI_MCA_pml"), "ucx");
  EXPECT_TRUE(found.contains("env.OMPI_MCA_btl_smcuda_use_cuda_ipc"));
  for (const char* other : {"env.OMPI_MCA_mpi_oversubscribe", "env.NCCL_DEBUG",
                            "env.OMPI_MCA_hwloc_base_binding_policy"})
    EXPECT_FALSE(found.contains(other)) << other;
}

TEST(Environment, HasTheFactsThatExplainTimes) {
  const auto facts = collect_node_environment();
  for (const char* fact : {"kernel",
                           "kernel_options",
                           "os",
                           "glibc",
                           "cpu_model",
                           "cpu_stepping",
                           "cpu_microcode",
                           "cpu_governor",
                           "cpu_frequency_driver",
                           "cpu_boost",
                           "cpu_smt",
                           "cpu_idle_states",
                           "cpu_mitigations",
                           "memory_total",
                           "memory_speed",
                           "huge_pages",
                           "transparent_huge_pages",
                           "numa_nodes",
                           "numa_balancing",
                           "swappiness",
                           "address_randomisation",
                           "clock_source",
                           "timer_resolution",
                           "limit_memlock",
                           "limit_stack",
                           "cgroup_cpu_max",
                           "cgroup_memory_max",
                           "cgroup_cpus",
                           "container",
                           "load_average",
                           "processes_of_other_users",
                           "cpu_clock_now",
                           "cpu_throttle_events",
                           "gpu_direct_rdma",
                           "mpi_library",
                           "library.mpi",
                           "program_build_id"}) {
    EXPECT_TRUE(facts.contains(fact)) << fact;
  }
}

}  // namespace
}  // namespace scalemark
