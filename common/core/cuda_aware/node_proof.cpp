// SPDX-License-Identifier: Apache-2.0
// Each node has a proof of its own; together they count as far as each of them does.
#include "common/core/cuda_aware/node_proof.hpp"

#include <set>
#include <tuple>

#include <fmt/format.h>

#include "common/base/log.hpp"
#include "common/base/text.hpp"
#include "common/core/environment/collect_env.hpp"
#include "common/mpi/environment.hpp"
#include "common/mpi/transport.hpp"
#include "common/mpi/typed.hpp"

namespace scalemark {
namespace {

std::vector<std::string> sorted_once(const std::vector<std::string>& texts) {
  const std::set<std::string> once(texts.begin(), texts.end());
  return {once.begin(), once.end()};
}

/// What this node's file says.
Findings read_findings(const NodeProof& mine) {
  Findings none;
  if (mine.file.empty()) return none;
  std::string why;
  const std::optional<Proof> proof = read_proof(mine.file, why);
  if (proof) return findings_for(*proof, mine.subject, mine.reach);
  if (!why.empty()) {
    log::warn(fmt::format("{} is not a proof: {}", text::printable(mine.file.string(), 300), why));
    for (Finding& one : none) one.reason = "the file is not a proof";
  }
  return none;
}

/// Findings as ranks send them: state, date and reason by use.
using SentFindings = std::vector<std::tuple<Finding::State, std::string, std::string>>;

SentFindings to_send(const Findings& findings) {
  SentFindings sent;
  for (const Finding& one : findings) sent.emplace_back(one.state, one.date, one.reason);
  return sent;
}

Findings received(const SentFindings& sent) {
  Findings findings;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const auto& [state, date, reason] = sent.at(i);
    findings[i] = {state, date, reason};
  }
  return findings;
}

}  // namespace

mpi::CudaSupport agreed_cuda_support(const mpi::Comm& world) {
  return static_cast<mpi::CudaSupport>(world.min(static_cast<int>(mpi::cuda_support())));
}

NodeProof describe_proof(Session& session) {
  NodeProof mine;
  mine.subject.library = mpi::Environment::library_text();
  std::map<std::string, std::string> transport = mpi::transport_facts();
  transport.merge(transport_variables());
  transport.erase("mpi_yield_when_idle");  // how ranks wait, not what they move
  for (const auto& [name, value] : transport) mine.subject.transport[name] = text::printable(value);
  mine.subject.node = text::printable(session.host());
  mine.subject.gpus = sorted_once(session.node().all_gather(text::printable(session.gpu().name())));
  mine.subject.driver = text::printable(session.machine().driver_version);
  mine.subject.cuda = text::printable(device::cuda_versions());
  // Ranks of one node may differ in a variable; its first rank speaks for it.
  mine.subject.transport = mpi::broadcast(session.node(), mine.subject.transport);
  mine.reach.nodes = sorted_once(session.world().all_gather(mine.subject.node));
  mine.reach.within_node = session.world().max(session.node().size()) > 1;
  if (!session.options().cache.empty())
    mine.file = std::filesystem::path(session.options().cache) / proof_name(mine.subject);
  return mine;
}

Findings known_findings(const Session& session, const NodeProof& mine) {
  SentFindings sent;  // by the first rank of each node
  if (session.node().rank() == 0) sent = to_send(read_findings(mine));
  std::optional<Findings> all;
  for (const SentFindings& one : mpi::all_gather(session.world(), sent)) {
    if (one.empty()) continue;
    const Findings findings = received(one);
    all = all ? combine(*all, findings) : findings;
  }
  return all.value_or(Findings());
}

}  // namespace scalemark
