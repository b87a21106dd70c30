// SPDX-License-Identifier: Apache-2.0
// `scalemark finalize`: makes a result file from parts, which child processes read.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/result/sweeps.hpp"
#include "common/store/damaged_parts.hpp"
#include "common/store/lock.hpp"
#include "common/store/parts.hpp"
#include "common/store/schema.hpp"
#include "common/store/segments.hpp"
#include "common/store/untrusted/message_stream.hpp"
#include "common/store/untrusted/sandbox.hpp"

namespace scalemark {
namespace {

bool is_measured(const CaseResult& one) { return one.status == Status::ok && has_all_sweeps(one); }

/// Throws UsageError if `output` is a result of the same run with more measured cases than
/// `measured`.
void refuse_to_lose_cases(const std::filesystem::path& output, const std::string& uuid,
                          std::size_t measured) {
  if (!std::filesystem::exists(output)) return;
  std::size_t stored = 0;
  std::string owner;
  try {
    visit_run(output, {},
              {.header = [&](const Run& run) { owner = run.uuid; },
               .one_case = [&](const CaseResult& one) { stored += is_measured(one) ? 1 : 0; }});
  } catch (const InputError&) {
    return;  // what cannot be read is no loss
  }
  if (owner == uuid && stored > measured)
    throw UsageError(fmt::format(
        "{} holds {} measured cases of this run, and the parts only {}: nothing was replaced",
        output.string(), stored, measured));
}

/// Indices of the cases that started and did not finish, ascending.
std::vector<std::uint64_t> find_unfinished(const std::filesystem::path& parts) {
  const auto produce = [&](const store::SendBytes& send) {
    std::vector<std::uint64_t> indices;
    for (const store::Begun& begun :
         store::read_unfinished(parts, store::read_meta(parts), /*whole=*/true))
      indices.push_back(begun.planned.index);
    store::Encoder{send}.array(indices);
  };
  std::vector<std::uint64_t> indices;
  store::run_apart(
      store::limits_for(store::bytes_of_parts(parts)), produce,
      [&](const store::ReceiveBytes& receive) { store::Decoder{receive}.array(indices); });
  std::ranges::sort(indices);
  return indices;
}

/// What damaged parts have to do with an unfinished case; empty: nothing.
std::string note_of_damage(std::size_t index, const store::SetAside& damaged) {
  if (damaged.cases.contains(index)) return "it was measured, but its part is damaged; ";
  return damaged.others ? "it may have been measured, in a part that is damaged; " : "";
}

/// What the parts hold.
struct Content {
  Run header;
  std::size_t cases = 0, measured = 0;  ///< with all sweeps; of these with status ok
};

Content count_cases(const std::filesystem::path& parts) {
  Content content;
  visit_run(parts, {.samples = false, .whole = true},
            {.header = [&](Run run) { content.header = std::move(run); },
             .one_case =
                 [&](const CaseResult& one) {
                   content.cases += has_all_sweeps(one) ? 1 : 0;
                   content.measured += is_measured(one) ? 1 : 0;
                 }});
  return content;
}

}  // namespace

void finalize_parts(const std::filesystem::path& parts, const std::filesystem::path& output,
                    bool force) {
  if (std::filesystem::exists(output) && !force) {
    throw UsageError(fmt::format("{} exists; --force replaces it", output.string()));
  }
  if (!std::filesystem::exists(parts / store::kMetaName)) {
    throw InputError(fmt::format("{}: not the .parts folder of a run ({} is missing)",
                                 text::printable(parts.string()), store::kMetaName));
  }
  store::Lock lock(parts);
  const auto inspected = store::inspect_parts(parts, store::ReadIn::child);
  const store::SetAside damaged = store::set_aside_damaged(parts, inspected, store::ReadIn::child);
  // From here on each part can be read. If one cannot, nothing is written and nothing removed.
  Content content = count_cases(parts);
  Run& run = content.header;
  refuse_to_lose_cases(output, run.uuid, content.measured);
  const std::vector<std::uint64_t> unfinished = find_unfinished(parts);
  // If the run was killed after its last case, nothing is missing.
  run.complete = unfinished.empty() && content.cases == run.planned.size();
  if (run.exit_reason.empty()) run.exit_reason = "interrupted";
  store::write_merged(parts, output, force, lock, [&](hid_t root) {
    std::size_t written = 0;
    const auto write = [&](CaseResult one) {
      if (std::ranges::binary_search(unfinished, one.index))
        one.reason = note_of_damage(one.index, damaged) + one.reason;
      store::write_case(root, one);
      ++written;
    };
    store::write_header(root, run);
    visit_run(parts, {.whole = true}, {.header = [](const Run&) {}, .one_case = write});
    lock.check_own();
    return written;
  });
}

}  // namespace scalemark
