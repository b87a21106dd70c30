// SPDX-License-Identifier: Apache-2.0
// The allow-list of environment variables, and the words that exclude a variable of its families.
#include "common/core/environment/allowed_variables.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "common/base/text.hpp"

namespace scalemark {
namespace {

constexpr std::array kPrefixes = {"OMP_",      "GOMP_",    "KMP_",      "OMPI_MCA_", "PMIX_MCA_",
                                  "UCX_",      "FI_",      "NCCL_",     "CUDA_",     "NVIDIA_",
                                  "TORCH_",    "PYTORCH_", "CUBLAS_",   "MALLOC_",   "MKL_",
                                  "PRTE_MCA_", "HWLOC_",   "OPENBLAS_", "GLIBC_"};

/// What mpirun tells its own processes, other in each job.
constexpr std::array kLaunchers = {"OMPI_MCA_ess", "OMPI_MCA_orte_", "OMPI_MCA_pmix",
                                   "OMPI_MCA_shmem_RUNTIME", "PMIX_MCA_mca_base_"};

/// Words that exclude a variable wherever they stand in its name: secrets, people, folders.
constexpr std::array<std::string_view, 18> kAnywhere = {
    "TOKEN",  "SECRET",  "PASS",    "CREDENTIAL", "COOKIE",     "AUTH",
    "BEARER", "LICENSE", "LICENCE", "URI",        "TRANSPORTS", "SESSION",
    "JOBFAM", "HNP",     "USER",    "HOST",       "PWD",        "HOME"};

/// Words that exclude a variable as a whole part of its name: secrets, people, commands.
const std::set<std::string_view> kParts = {
    "PW",     "CRED",      "CREDS", "JWT",   "SALT",  "CERT",    "CERTS",  "PEM",
    "TICKET", "SIGNATURE", "URL",   "LOGIN", "OWNER", "MAIL",    "EMAIL",  "ACCOUNT",
    "AGENT",  "CMD",       "ARGS",  "EXEC",  "SHELL", "COMMAND", "SCRIPT", "LAUNCHER"};

/// Variables with such a word that say how messages or threads work, and nothing else.
const std::set<std::string_view> kHarmless = {"NCCL_CUMEM_HOST_ENABLE",
                                              "UCX_IB_PATH_MTU",
                                              "UCX_IB_NUM_PATHS",
                                              "KMP_USER_LEVEL_MWAIT",
                                              "OMPI_MCA_mtl_psm_path_query",
                                              "OMPI_MCA_coll_han_use_dynamic_file_rules"};

const std::set<std::string_view> kNames = {
    "LD_PRELOAD",          "SLURM_JOB_ID",   "SLURM_JOB_NUM_NODES",
    "SLURM_NTASKS",        "SLURM_MPI_TYPE", "SLURM_NTASKS_PER_NODE",
    "SLURM_CPUS_PER_TASK", "SLURM_CPU_BIND", "PBS_JOBID",
    "LSB_JOBID",           "FLUX_JOB_ID"};

bool holds(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

/// Whether a part of a name names a key, a folder or a file. Keys of InfiniBand (pkey: partition;
/// lkey, mkey, qkey, rkey: memory, queue), directions and profiles are none.
bool names_place(std::string_view part) {
  static const std::set<std::string_view> kKeys = {"PKEY", "LKEY", "MKEY", "QKEY", "RKEY"};
  if (holds(part, "KEY")) return !kKeys.contains(part);
  if (holds(part, "FILE")) return !part.starts_with("PROFILE");
  if (holds(part, "DIR")) return !part.starts_with("DIRECT") || part.starts_with("DIRECTOR");
  return holds(part, "PATH");
}

bool excludes(std::string_view part) {
  while (!part.empty() && std::isdigit(static_cast<unsigned char>(part.back())) != 0)
    part.remove_suffix(1);
  return kParts.contains(part) || names_place(part);
}

/// Whether a value is a command with options: "ssh -l user", not "-O3 -g" and "a b".
bool is_command(const std::string& value) {
  std::istringstream words(value);
  std::string word;
  if (!(words >> word) || word.starts_with('-')) return false;
  while (words >> word) {
    const std::size_t letter = word.find_first_not_of('-');
    if (word.starts_with('-') && letter != std::string::npos && letter <= 2 &&
        std::isalpha(static_cast<unsigned char>(word[letter])) != 0)
      return true;
  }
  return false;
}

}  // namespace

bool may_store_variable(const std::string& name) {
  const auto starts = [&](const char* prefix) { return name.starts_with(prefix); };
  if (std::ranges::any_of(kLaunchers, starts)) return false;
  if (kHarmless.contains(name)) return true;
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (std::ranges::any_of(kAnywhere, [&](std::string_view word) { return holds(upper, word); }))
    return false;
  const std::vector<std::string> parts = text::split(upper, '_');
  if (std::ranges::any_of(parts, [](const std::string& part) { return excludes(part); }))
    return false;
  return kNames.contains(name) || std::ranges::any_of(kPrefixes, starts);
}

std::string why_withheld(const std::string& value) {
  static const std::regex address(R"re(://[^/]*@|[^\s:@/,=]+:[^\s:@/]+@[A-Za-z0-9])re"),
      secret(
          R"re((^|[^A-Za-z0-9])(pw|passwd|password|passphrase|token|secret|api_?key|credentials?|)re"
          R"re(bearer)["']?\s*([=:]|\s+[A-Za-z0-9+/_-]{8}))re",
          std::regex::icase);
  // Long values end in printed facts anyway; std::regex recurses for each character.
  const std::string start = value.substr(0, 1024);
  if (std::regex_search(start, address)) return "an address with a password";
  if (std::regex_search(start, secret)) return "it may hold a secret";
  return is_command(start) ? "a command with arguments" : "";
}

}  // namespace scalemark
