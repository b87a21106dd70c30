// SPDX-License-Identifier: Apache-2.0
// Reads header, parts and a finished result in child processes.
#include "common/store/inspection.hpp"

#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "common/store/untrusted/message.hpp"
#include "common/store/untrusted/sandbox.hpp"

namespace scalemark {
namespace {

/// For readings of which only the errors matter.
RunVisitor take_nothing() {
  return {.header = [](const Run&) {}, .one_case = [](const CaseResult&) {}};
}

/// Reads the header of a run in a child process. Throws InputError.
void check_meta(const std::filesystem::path& parts) {
  const auto produce = [&](const store::SendBytes& send) {
    store::send_header(send, store::read_meta(parts));
    store::send_end(send);
  };
  store::run_apart(store::limits_for(std::filesystem::file_size(parts / store::kMetaName)), produce,
                   [&](const store::ReceiveBytes& receive) {
                     store::receive_run(receive, false, take_nothing());
                   });
}

}  // namespace

std::shared_ptr<const Inspection> inspect_for_resume(const std::filesystem::path& output) {
  auto found = std::make_shared<Inspection>();
  const std::filesystem::path parts = store::parts_of(output);
  if (!std::filesystem::exists(parts / store::kMetaName)) return found;
  try {
    check_meta(parts);
    // The result of a run that was killed while it removed its parts.
    if (std::filesystem::is_regular_file(output))
      visit_run(output, {.samples = false}, take_nothing());
  } catch (const std::exception&) {
    found->header_problem = std::current_exception();
  }
  try {
    found->parts = store::inspect_parts(parts, store::ReadIn::child);
  } catch (const std::exception&) {
    found->parts_problem = std::current_exception();
  }
  return found;
}

}  // namespace scalemark
