// SPDX-License-Identifier: Apache-2.0
// What is stored of the environment, and what never is.
#include "common/core/environment/collect_env.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "common/core/environment/allowed_variables.hpp"

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

// Well-known variables that explain times. A rule that loses one of them is too strict.
TEST(Environment, KeepsTheKnownVariables) {
  for (const char* name : {"OMP_NUM_THREADS",
                           "OMP_PLACES",
                           "OMP_PROC_BIND",
                           "OMP_WAIT_POLICY",
                           "GOMP_CPU_AFFINITY",
                           "GOMP_SPINCOUNT",
                           "KMP_AFFINITY",
                           "KMP_BLOCKTIME",
                           "KMP_HW_SUBSET",
                           "KMP_USER_LEVEL_MWAIT",
                           "MKL_NUM_THREADS",
                           "MKL_DYNAMIC",
                           "MKL_ENABLE_INSTRUCTIONS",
                           "OPENBLAS_NUM_THREADS",
                           "OPENBLAS_CORETYPE",
                           "CUBLAS_WORKSPACE_CONFIG",
                           "MALLOC_ARENA_MAX",
                           "MALLOC_TOP_PAD_",
                           "GLIBC_TUNABLES",
                           "LD_PRELOAD",
                           "CUDA_VISIBLE_DEVICES",
                           "CUDA_DEVICE_ORDER",
                           "CUDA_DEVICE_MAX_CONNECTIONS",
                           "CUDA_LAUNCH_BLOCKING",
                           "CUDA_MODULE_LOADING",
                           "CUDA_CACHE_DISABLE",
                           "CUDA_FORCE_PTX_JIT",
                           "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                           "NVIDIA_VISIBLE_DEVICES",
                           "NVIDIA_DRIVER_CAPABILITIES",
                           "NVIDIA_TF32_OVERRIDE",
                           "NVIDIA_REQUIRE_CUDA",
                           "NCCL_DEBUG",
                           "NCCL_DEBUG_SUBSYS",
                           "NCCL_ALGO",
                           "NCCL_PROTO",
                           "NCCL_SOCKET_IFNAME",
                           "NCCL_NTHREADS",
                           "NCCL_MIN_NCHANNELS",
                           "NCCL_NET_GDR_LEVEL",
                           "NCCL_NET_PLUGIN",
                           "NCCL_P2P_LEVEL",
                           "NCCL_P2P_DISABLE",
                           "NCCL_P2P_DIRECT_DISABLE",
                           "NCCL_SHM_DISABLE",
                           "NCCL_BUFFSIZE",
                           "NCCL_CROSS_NIC",
                           "NCCL_LAUNCH_MODE",
                           "NCCL_CHECK_POINTERS",
                           "NCCL_CUMEM_ENABLE",
                           "NCCL_CUMEM_HOST_ENABLE",
                           "NCCL_NVLS_ENABLE",
                           "NCCL_COLLNET_ENABLE",
                           "NCCL_IB_HCA",
                           "NCCL_IB_GID_INDEX",
                           "NCCL_IB_PKEY",
                           "NCCL_IB_SL",
                           "NCCL_IB_TC",
                           "NCCL_IB_QPS_PER_CONNECTION",
                           "NCCL_IB_PCI_RELAXED_ORDERING",
                           "UCX_TLS",
                           "UCX_NET_DEVICES",
                           "UCX_RNDV_THRESH",
                           "UCX_RNDV_SCHEME",
                           "UCX_MAX_RNDV_RAILS",
                           "UCX_MEMTYPE_CACHE",
                           "UCX_PROTO_ENABLE",
                           "UCX_IB_PKEY",
                           "UCX_IB_NUM_PATHS",
                           "UCX_IB_PATH_MTU",
                           "UCX_IB_GPU_DIRECT_RDMA",
                           "UCX_RC_MLX5_TM_ENABLE",
                           "UCX_PROFILE_MODE",
                           "FI_PROVIDER",
                           "FI_CXI_RX_MATCH_MODE",
                           "FI_EFA_USE_DEVICE_RDMA",
                           "OMPI_MCA_pml",
                           "OMPI_MCA_btl",
                           "OMPI_MCA_btl_tcp_if_include",
                           "OMPI_MCA_btl_openib_pkey",
                           "OMPI_MCA_coll_hcoll_enable",
                           "OMPI_MCA_coll_tuned_use_dynamic_rules",
                           "OMPI_MCA_hwloc_base_binding_policy",
                           "OMPI_MCA_mpi_yield_when_idle",
                           "PRTE_MCA_rmaps_default_mapping_policy",
                           "HWLOC_SYNTHETIC",
                           "TORCH_NCCL_ASYNC_ERROR_HANDLING",
                           "TORCH_CUDNN_V8_API_ENABLED",
                           "TORCH_DISTRIBUTED_DEBUG",
                           "TORCH_NUM_THREADS",
                           "TORCH_LOGS",
                           "PYTORCH_CUDA_ALLOC_CONF",
                           "SLURM_CPU_BIND"}) {
    EXPECT_TRUE(may_store_variable(name)) << name;
  }
}

TEST(Environment, RefusesVariablesByTheWordsOfTheirNames) {
  for (const char* name : {"NVIDIA_PW",
                           "NVIDIA_PWD",
                           "NVIDIA_PASSWD",
                           "CUDA_PASSPHRASE",
                           "UCX_CM_CREDS",
                           "UCX_CRED",
                           "FI_CREDENTIALS",
                           "TORCH_HUB_BEARER",
                           "TORCH_HUB_TOKEN1",
                           "MKL_LICENSE",
                           "MKL_LICENCE_FILE",
                           "NCCL_KEY",
                           "NCCL_SSH_KEY2",
                           "NCCL_APIKEY",
                           "NCCL_COOKIE",
                           "UCX_AUTH",
                           "UCX_OAUTH2",
                           "UCX_JWT",
                           "NVIDIA_ACCOUNT",
                           "NVIDIA_MAIL",
                           "NVIDIA_REGISTRY_URL",
                           "OMPI_MCA_plm_rsh_agent",
                           "OMPI_MCA_plm_rsh_args",
                           "PRTE_MCA_plm_ssh_agent",
                           "PRTE_MCA_prte_launch_agent",
                           "NVIDIA_INIT_CMD",
                           "NCCL_RUN_COMMAND",
                           "TORCH_LAUNCHER",
                           "OMPI_MCA_initial_wdir",
                           "OMPI_MCA_osc_sm_backing_directory",
                           "CUDA_MPS_PIPE_DIRECTORY",
                           "UCX_PROFILE_FILE",
                           "HWLOC_XMLFILE",
                           "CUDA_CACHE_PATH",
                           "TORCH_HOME",
                           "MKL_USERNAME"}) {
    EXPECT_FALSE(may_store_variable(name)) << name;
  }
}

TEST(Environment, WithholdsValuesThatShowSecretsOrCommands) {
  const char* const password = "an address with a password";
  const char* const command = "a command with arguments";
  EXPECT_EQ(why_withheld("http://bob:hunter2@proxy:3128/"), password);
  EXPECT_EQ(why_withheld("bob:hunter2@proxy"), password);
  EXPECT_EQ(why_withheld("ssh -i /home/bob/key"), command);
  EXPECT_EQ(why_withheld("/usr/bin/srun --account x"), command);
  for (const char* value : {"a,password=hunter2", "token: hunter2", "Bearer hunter2hunter2",
                            "{\"api_key\": \"hunter2\"}"})
    EXPECT_EQ(why_withheld(value), "it may hold a secret") << value;
  for (const char* value :
       {"", "0", "rc,cuda_copy", "{0:4}:8:4", "-O3 -g", "cuda>=12.8 brand=tesla,driver<536",
        "ppr:1:node", "mlx5_0:1,mlx5_1:1", "1s,4c@2,1t", "expandable_segments:True",
        "allreduce:ring,tree;broadcast:ring", "intra:8k,inter:16k", "=ib0,^docker", "a - b",
        "glibc.malloc.tcache_count=0", "0 -1", "http://proxy:3128/"})
    EXPECT_EQ(why_withheld(value), "") << value;
}

TEST(Environment, CarriesNoSecretAndNoControlCharacter) {
  setenv("NCCL_TOKEN", "hunter2", 1);
  setenv("MY_SECRET", "hunter2", 1);
  setenv("AWS_ACCESS_KEY_ID", "hunter2", 1);
  setenv("NCCL_PROXY", "http://bob:hunter2@proxy:3128/", 1);
  setenv("NVIDIA_PW", "hunter2", 1);
  setenv("UCX_CM_CREDS", "hunter2", 1);
  setenv("TORCH_HUB_BEARER", "hunter2", 1);
  setenv("MKL_LICENSE", "hunter2", 1);
  setenv("OMPI_MCA_plm_rsh_agent", "ssh -l hunter2", 1);
  setenv("NCCL_LAUNCH", "srun --comment hunter2", 1);
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
  EXPECT_EQ(facts.at("env.NCCL_LAUNCH"), "withheld: a command with arguments");
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
