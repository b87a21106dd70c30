// SPDX-License-Identifier: Apache-2.0
// What is stored of the environment, and what never is.
#include "common/core/collect_env.hpp"

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
        "OMPI_MCA_orte_top_session_dir", "OMPI_MCA_ess_base_jobid", "SSH_AUTH_SOCK"}) {
    EXPECT_FALSE(may_store_variable(name)) << name;
  }
}

TEST(Environment, CarriesNoSecretAndNoControlCharacter) {
  setenv("NCCL_TOKEN", "hunter2", 1);
  setenv("MY_SECRET", "hunter2", 1);
  setenv("NCCL_NOTE", "a\x1b[31mb", 1);
  const auto facts = collect_node_environment();
  for (const auto& [key, value] : facts) {
    EXPECT_EQ(value.find("hunter2"), std::string::npos) << key;
    EXPECT_EQ(value.find('\x1b'), std::string::npos) << key;
  }
  EXPECT_EQ(facts.at("env.NCCL_NOTE"), "a?[31mb");
  EXPECT_FALSE(facts.at("kernel").empty());
  EXPECT_FALSE(facts.at("cpu_model").empty());
}

}  // namespace
}  // namespace scalemark
