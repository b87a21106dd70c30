// SPDX-License-Identifier: Apache-2.0
// Redaction of all that a real host tells, with made-up people and machines planted everywhere:
// nothing that names somebody is left, and what names nobody stays as it is.
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include "common/base/version.hpp"
#include "common/core/environment/collect_env.hpp"
#include "common/core/environment/machine_kinds.hpp"
#include "common/hardware/machine.hpp"
#include "common/mpi/transport.hpp"
#include "common/store/redact.hpp"
#include "common/store/untrusted/message.hpp"
#include "tests/common/store/example.hpp"
#include "tests/support/random.hpp"

namespace scalemark::store {
namespace {

/// Variables that say how a machine was set up and name nobody. They must be stored unchanged.
const std::map<std::string, std::string> kHarmless = {
    {"OMP_NUM_THREADS", "4"},
    {"OMP_PLACES", "{0:4}:8:4"},
    {"OMP_PROC_BIND", "close,spread"},
    {"KMP_AFFINITY", "granularity=fine,compact,1,0"},
    {"KMP_HW_SUBSET", "1s,4c@2,1t"},
    {"MKL_NUM_THREADS", "4"},
    {"CUDA_VISIBLE_DEVICES", "0,1"},
    {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
    {"NCCL_DEBUG", "INFO"},
    {"NCCL_SOCKET_IFNAME", "=ib0,^docker"},
    {"NCCL_IB_HCA", "=mlx5_0:1,mlx5_1:1"},
    {"NCCL_IB_PKEY", "0x7fff"},
    {"NCCL_ALGO", "allreduce:ring,tree;broadcast:ring"},
    {"UCX_TLS", "rc,cuda_copy,cuda_ipc"},
    {"UCX_NET_DEVICES", "mlx5_0:1,mlx5_1:1"},
    {"UCX_RNDV_THRESH", "intra:8k,inter:16k"},
    {"FI_PROVIDER", "verbs;ofi_rxm"},
    {"OMPI_MCA_pml", "ucx"},
    {"OMPI_MCA_btl", "^openib,tcp"},
    {"OMPI_MCA_coll_hcoll_enable", "0"},
    {"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True,max_split_size_mb:128"},
    {"NVIDIA_REQUIRE_CUDA", "cuda>=12.8 brand=tesla,driver>=535,driver<536"},
    {"MALLOC_ARENA_MAX", "2"}};

/// A person, their machine, and what belongs to them.
struct Somebody {
  std::string user, other, host, domain, serial, uuid, mac, guid, ip, ip6, mail, account;
  std::string fqdn() const { return host + "." + domain; }
  /// All that must not be left.
  std::vector<std::string> secrets() const {
    return {user, other, host, domain, serial, uuid, mac, guid, ip, ip6, mail, account};
  }
};

std::string word(test::Random& random, std::size_t letters) {
  std::string text;
  for (std::size_t i = 0; i < letters; ++i)
    text += static_cast<char>('a' + static_cast<int>(random.word() % 26));
  return text;
}

std::string hex(test::Random& random, int digits) {
  return fmt::format("{:0{}x}", random.word() >> (64 - 4 * digits), digits);
}

Somebody make_up(test::Random& random) {
  Somebody one;
  const auto byte = [&] { return 1 + random.word() % 254; };
  one.user = word(random, 8), one.other = word(random, 9), one.account = word(random, 7);
  one.host = word(random, 6) + std::to_string(random.word() % 10'000);
  if (random.chance(0.3)) one.host += "-" + word(random, 3);
  one.domain = word(random, 7) + "." + word(random, 8) + ".org";
  one.serial = fmt::format("SN{:012}", random.word() % 1'000'000'000'000);
  one.uuid = fmt::format("{}-{}-{}-{}-{}", hex(random, 8), hex(random, 4), hex(random, 4),
                         hex(random, 4), hex(random, 12));
  for (int i = 0; i < 6; ++i) one.mac += (i == 0 ? "" : ":") + hex(random, 2);
  for (int i = 0; i < 4; ++i) one.guid += (i == 0 ? "" : ":") + hex(random, 4);
  one.ip = fmt::format("10.{}.{}.{}", byte(), byte(), byte());
  one.ip6 = fmt::format("2001:db8:{}::{}", hex(random, 3), hex(random, 4));
  one.mail = fmt::format("{}.{}@{}", word(random, 4), word(random, 6), one.domain);
  return one;
}

/// Texts that hold names of somebody in many ways.
std::vector<std::string> sayings(const Somebody& one) {
  return {
      fmt::format("by {} on {} ({})", one.user, one.host, one.fqdn()),
      fmt::format("cannot open '/home/{}/x' of /scratch/{}/{}", one.other, one.other, one.host),
      fmt::format("~{}/data ../{}/x ./{}/y -I/opt/{}/z", one.other, one.other, one.other, one.host),
      fmt::format("/home/{} /users/{}/", one.other, one.user),
      fmt::format("{}, <{}>, {}@{}, {}@{}:/x", one.mail, one.mail, one.other, one.fqdn(), one.user,
                  one.host),
      fmt::format("https://{}/{}/x scp://{}", one.fqdn(), one.other, one.fqdn()),
      fmt::format("{}-ib0={}:5000 [{}]:22 {}/16", one.host, one.ip, one.ip6, one.ip),
      fmt::format("GPU-{} mac={} guid {}", one.uuid, one.mac, one.guid),
      fmt::format("{}.local.{};{},{}", one.host, one.domain, one.fqdn(), one.account)};
}

std::string said(const Somebody& one) {
  std::string all;
  for (const std::string& text : sayings(one)) all += text + "\n";
  return all;
}

/// What the tags of a run may hold besides.
std::vector<std::string> own_words(const Somebody& one) {
  std::vector<std::string> texts = sayings(one);
  texts.push_back(fmt::format("{}/data/set and in={}/x", one.other, one.other));
  texts.push_back(fmt::format("~{}, (~{})", one.other, one.other));
  return texts;
}

CaseResult planted_case(const Somebody& one) {
  CaseResult result = test::example_case(0);
  result.status = Status::failed;
  result.reason = said(one);
  result.phase = "reading of " + one.host;
  result.verification.rule = "as on " + one.fqdn();
  result.facts = {{"data_set", "/home/" + one.other}, {"peak_source", said(one)}, {"n", 5}};
  result.tables["telemetry/node"].columns = {{"node", "", std::vector{one.host, one.fqdn()}}};
  result.tables["telemetry/gpu"].columns = {{"gpu_serial", "", std::vector{one.serial}},
                                            {"gpu_uuid", "", std::vector{"GPU-" + one.uuid}}};
  result.tables["pairs"].columns = {{"rank_place", "", std::vector{one.host + " numa 0"}},
                                    {"peer_place", "", std::vector{one.fqdn()}}};
  result.tables["places"].columns = {{"node", "", std::vector{one.host}},
                                     {"note", "", std::vector{said(one)}}};
  result.tables["profile"].columns = {{"region", "", std::vector{said(one)}}};
  return result;
}

Run planted_run(const Somebody& one, const std::map<std::string, std::string>& facts) {
  scalemark::Run run = test::example_run(1);
  run.environment.common = facts;
  run.environment.differs = {{"env.NCCL_NOTE", {{one.host, said(one)}, {one.fqdn(), one.host}}}};
  run.environment.raw = {
      {"smi", fmt::format("Serial Number : {}\nGPU UUID : GPU-{}\nNode GUID: {}\n{}", one.serial,
                          one.uuid, one.guid, said(one))},
      {"libraries", "/home/" + one.other + "/libx.so\n/opt/" + one.host + "/liby.so"}};
  run.machines = {
      {"kind1", fmt::format("<info name=\"HostName\" value=\"{}\"/>\n<info name=\"DMIBoardSerial\" "
                            "value=\"{}\"/>\n<info name=\"Address\" value=\"{}\"/>\n",
                            one.fqdn(), one.serial, one.mac)}};
  run.ranks[0].node = one.host, run.ranks[1].node = one.fqdn();
  run.ranks[0].gpu_uuid = "GPU-" + one.uuid;
  run.ranks[0].note = run.ranks[0].nic = said(one);
  run.scheduler = {{"SLURM_JOB_USER", one.user}, {"SLURM_JOB_ACCOUNT", one.account}};
  run.exit_reason = said(one);
  run.campaign = one.user + "-" + one.host;
  run.config = fmt::format("preset: {}/my.toml\nmicro/memcpy bytes=8 | ci=2\n", one.other);
  run.tags.clear();
  run.command_line = "/home/" + one.other + "/bin/scalemark run micro/allreduce -o " + one.other +
                     "/x.h5 --data mnist=" + one.other + "/mnist --peak=~" + one.other + "/p.toml";
  for (const std::string& text : own_words(one)) {
    const std::string tag = fmt::format("tag{}", run.tags.size());
    run.tags[tag] = text;
    run.command_line += " --tag " + tag + "=" + text;
  }
  run.cases = {planted_case(one)};
  return run;
}

/// All bytes of header, cases and tables.
std::string bytes_of(const Run& run) {
  std::string bytes;
  const SendBytes take = [&](std::span<const char> part) {
    bytes.append(part.data(), part.size());
  };
  send_header(take, run);
  for (const CaseResult& result : run.cases) send_case(take, result);
  return bytes;
}

Run redacted(const Run& run) {
  const Redactor redactor(run, {std::string(64, 'k')});
  Run result = redactor.redact(run);
  for (CaseResult& one : result.cases) one = redactor.redact(one);
  return result;
}

/// All facts of this host, with known variables set.
std::map<std::string, std::string> facts_of_this_host() {
  for (const auto& [name, value] : kHarmless) setenv(name.c_str(), value.c_str(), 1);
  std::map<std::string, std::string> facts = collect_node_environment();
  for (const auto& [name, value] : mpi::transport_facts()) facts["mpi." + name] = value;
  return facts;
}

/// Whether a text may name this host, its user or a path, so that redaction may change it.
bool may_name_somebody(const std::string& text) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const passwd* user = getpwuid(getuid());
  const auto holds = [&](const char* name) {
    return *name != '\0' && text.find(name) != std::string::npos;
  };
  return holds(host) || (user != nullptr && holds(user->pw_name)) || holds("/") || holds("@");
}

TEST(RedactFacts, NothingThatNamesSomebodyIsLeft) {
  const auto facts = facts_of_this_host();
  test::Random random(20261124);
  for (int trial = 0; trial < 100; ++trial) {
    const Somebody one = make_up(random);
    const scalemark::Run run = planted_run(one, facts);
    const std::string before = bytes_of(run), after = bytes_of(redacted(run));
    for (const std::string& secret : one.secrets()) {
      EXPECT_NE(before.find(secret), std::string::npos) << secret << ": it is planted";
      const std::size_t at = after.find(secret);
      EXPECT_EQ(at, std::string::npos)
          << secret << " in '" << after.substr(at < 60 ? 0 : at - 60, 150) << "'";
    }
    if (HasFailure()) break;
  }
}

TEST(RedactFacts, WhatNamesNobodyStays) {
  scalemark::Run run = test::example_run(1);
  run.environment.common = facts_of_this_host();
  run.environment.raw.clear();
  run.machines = {{"kind1", anonymous_xml(hardware::machine_xml())}};
  run.producer = build_info();
  run.tags = {{"purpose", "after the update, 2 of 3/4 nodes, 20 GB/s"}};
  run.cases = {test::example_case(0)};
  run.ranks[0].node = "host17", run.ranks[1].node = "host18";
  run.environment.differs.clear();
  const scalemark::Run got = redacted(run);
  std::size_t kept = 0;
  for (const auto& [fact, value] : run.environment.common) {
    if (may_name_somebody(value)) continue;
    EXPECT_EQ(got.environment.common.at(fact), value) << fact;
    ++kept;
  }
  EXPECT_GT(kept, 60u) << "facts of this host";
  for (const auto& [name, value] : kHarmless)
    EXPECT_EQ(got.environment.common.at("env." + name), value) << name;
  EXPECT_EQ(got.environment.common.size(), run.environment.common.size());
  for (const auto& [fact, value] : run.producer) {
    if (may_name_somebody(value)) continue;
    EXPECT_EQ(got.producer.at(fact), value) << fact;
  }
  EXPECT_EQ(got.machines, run.machines);
  EXPECT_EQ(got.tags, run.tags);
  EXPECT_EQ(got.campaign, run.campaign);
  EXPECT_EQ(got.config, run.config);
  EXPECT_EQ(got.command_line, run.command_line);
  EXPECT_EQ(got.planned, run.planned);
  EXPECT_EQ(got.cases[0].key, run.cases[0].key);
  EXPECT_EQ(got.cases[0].config_hash, run.cases[0].config_hash);
}

}  // namespace
}  // namespace scalemark::store
