// SPDX-License-Identifier: Apache-2.0
// Interrupted cases, and the merge of all parts into one file.
#include "common/store/parts.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/temporary_file.hpp"
#include "common/base/text.hpp"
#include "common/result/sweeps.hpp"
#include "common/store/lock.hpp"
#include "common/store/safe_file.hpp"
#include "common/store/schema.hpp"
#include "common/store/schema_digest.hpp"
#include "common/store/segments.hpp"
#include "common/store/state.hpp"
#include "common/store/untrusted/tree_check.hpp"

namespace scalemark::store {
namespace {

bool is_part(const std::string& name) {
  return is_segment(name) || is_batch(name) || is_state(name) || is_temporary(name) ||
         name == kMetaName || name == kJournalName || name == kLockName;
}

/// Number of ranks on the node of rank 0, which writes the journal.
std::uint64_t ranks_on_first_node(const Run& header) {
  const auto together = [&](const RankInfo& rank) { return rank.node == header.ranks[0].node; };
  const auto count = header.ranks.empty() ? 1 : std::ranges::count_if(header.ranks, together);
  return static_cast<std::uint64_t>(count);
}

/// Reads one finished case from its file.
CaseResult read_at(const std::pair<const std::size_t, std::filesystem::path>& place, bool samples) {
  CaseResult result;
  for_each_place({place},
                 [&](hid_t root, std::size_t index) { result = read_case(root, index, samples); });
  return result;
}

/// Sweeps of a finished case; none if it cannot be read.
int sweeps_at(const std::pair<const std::size_t, std::filesystem::path>& place) {
  try {
    return sweeps_of(read_at(place, false));
  } catch (const InputError&) {
    return 0;
  }
}

/// An interrupted case as its last sweep, for append_sweep().
CaseResult interrupted_sweep(const Run& header, const Begun& begun, const MemoryState& now,
                             const CaseResult& before) {
  CaseResult part = interrupted_case(header, begun, now);
  mark_sweep(part, begun.kept, sweeps_planned(before));
  return part;
}

}  // namespace

std::filesystem::path parts_of(const std::filesystem::path& output) {
  return output.string() + ".parts";
}

void write_meta(const std::filesystem::path& parts, const Run& run) {
  write_safely(parts / kMetaName, [&](hid_t root) { write_header(root, run); });
}

Run read_meta(const std::filesystem::path& parts) {
  const std::filesystem::path path = parts / kMetaName;
  const h5::Id file = open_result(path);
  Run run;
  naming(path, [&] { run = read_header(file.get()); });
  return run;
}

namespace {

std::vector<Begun> find_unfinished(const std::filesystem::path& parts, const Run& header,
                                   bool whole) {
  const auto places = places_of_cases(
      parts, whole ? TakeBatch() : [](const std::string&) {});
  std::vector<Begun> unfinished;
  for (auto& [index, begun] : read_journal(parts / kJournalName)) {
    const bool planned =
        index < header.planned.size() && header.planned[index] == begun.planned.key;
    if (!planned) continue;
    const auto place = places.find(index);
    if (place == places.end()) {
      begun.kept = 0;
      unfinished.push_back(std::move(begun));
    } else if (begun.kept > 0 && begun.tries > 0 && begun.kept == sweeps_at(*place)) {
      unfinished.push_back(std::move(begun));
    }
  }
  return unfinished;
}

}  // namespace

std::vector<Begun> read_unfinished(const std::filesystem::path& parts, const Run& header,
                                   bool whole) {
  std::vector<Begun> unfinished;
  while_parts_move([&] { unfinished = find_unfinished(parts, header, whole); });
  return unfinished;
}

CaseResult interrupted_case(const Run& header, const Begun& begun, const MemoryState& now) {
  CaseResult result = begun.planned;
  const bool said_oom = result.status == Status::oom;
  const std::string said = result.reason.empty() ? "" : result.reason + "; ";
  result.status = said_oom ? Status::oom : Status::failed;
  result.reason = fmt::format("{}the run ended during phase '{}' ({} {})", said, result.phase,
                              begun.tries, begun.tries == 1 ? "try" : "tries");
  if (said_oom) return result;
  const std::uint64_t available = begun.memory.available / ranks_on_first_node(header);
  if (begun.memory.available > 0 && result.predicted_memory > available) {
    result.status = Status::oom;
    result.reason += "; it needed more memory than was free";
  } else if (!now.boot.empty() && now.boot == begun.memory.boot &&
             now.oom_kills > begun.memory.oom_kills) {
    result.status = Status::oom;
    result.reason += "; meanwhile the kernel's OOM killer ended a process";
  }
  return result;
}

CaseResult interrupted_row(const std::filesystem::path& parts, const Run& header,
                           const Begun& begun, const MemoryState& now) {
  if (begun.kept == 0) return interrupted_case(header, begun, now);
  const auto places = places_of_cases(parts);
  CaseResult all = read_at(*places.find(begun.planned.index), true);
  append_sweep(all, interrupted_sweep(header, begun, now, all));
  return all;
}

namespace {

/// The row of a case that was finished, and whose part cannot be read.
CaseResult damaged_case(const std::filesystem::path& parts, const Run& header, std::size_t index,
                        const std::string& why) {
  CaseResult result;
  const auto begun = read_journal(parts / kJournalName);
  if (const auto found = begun.find(index); found != begun.end()) {
    result = found->second.planned;
  } else if (index < header.planned.size()) {
    result.key = header.planned[index];
    result.name = result.key.substr(0, result.key.find(' '));
  }
  result.index = index;
  result.status = Status::failed;
  result.reason = fmt::format("it was measured, but its part is damaged: {}", why);
  return result;
}

}  // namespace

void visit_parts(const std::filesystem::path& parts, const ReadOptions& options,
                 const RunVisitor& visitor) {
  Run run = read_meta(parts);
  run.complete = false;
  visitor.header(run);
  const MemoryState now = memory_state();
  const std::vector<Begun> unfinished = read_unfinished(parts, run, options.whole);
  std::string unreadable;  // why the first of the batches that cannot be opened cannot be
  auto next = unfinished.begin();
  const auto give_unfinished = [&](std::size_t before) {
    for (; next != unfinished.end() && next->planned.index < before; ++next) {
      CaseResult one = interrupted_case(run, *next, now);
      if (!unreadable.empty())
        one.reason = fmt::format("it may have been measured, in a part that is damaged ({}); {}",
                                 unreadable, one.reason);
      visitor.one_case(std::move(one));
    }
  };
  const auto give_finished = [&](CaseResult result) {
    give_unfinished(result.index);
    if (next != unfinished.end() && next->planned.index == result.index) {
      append_sweep(result, interrupted_sweep(run, *next, now, result));
      ++next;
    }
    visitor.one_case(std::move(result));
  };
  const auto give_damaged = [&](std::size_t index, const std::string& why) {
    give_unfinished(index);
    visitor.one_case(damaged_case(parts, run, index, why));
  };
  const auto note_unreadable = [&](const std::string& why) {
    // Without a journal nobody knows which cases it had.
    if (unfinished.empty()) throw InputError(why);
    if (unreadable.empty()) unreadable = why;
  };
  if (options.whole)
    for_each_segment(parts, options.samples, give_finished, {}, {});
  else
    for_each_segment(parts, options.samples, give_finished, give_damaged, note_unreadable);
  give_unfinished(SIZE_MAX);
}

void write_merged(const std::filesystem::path& parts, const std::filesystem::path& output,
                  bool replace, Lock& lock,
                  const std::function<std::size_t(hid_t root)>& fill_cases) {
  const std::uintmax_t bytes = bytes_of_parts(parts);
  // Checked before writing: HDF5 crashes if the disk gets full while it writes a file itself.
  reserve_space(parts, bytes);
  std::size_t written = 0;
  const auto fill = [&](hid_t root) {
    written = fill_cases(root);
    seal_cases(root);
  };
  const auto check = [&](hid_t root) {
    read_header(root);
    expect_readable(root, written);
  };
  write_safely(output, fill,
               {.staging = parts,
                .check = check,
                .in_memory = bytes < h5::whole_file_limits().write,
                .replace = replace});
  try {
    remove_parts(parts, lock);
  } catch (const std::exception& error) {
    log::warn(fmt::format("{} is complete, but its parts could not be removed: {}", output.string(),
                          error.what()));
  }
}

void merge(const std::filesystem::path& parts, const std::filesystem::path& output,
           const Run& header, bool replace, Lock& lock) {
  write_merged(parts, output, replace, lock, [&](hid_t root) {
    write_header(root, header);
    std::size_t written = 0;
    for_each_place(places_of_cases(parts), [&](hid_t part, std::size_t index) {
      copy_case(part, root, index);
      ++written;
    });
    return written;
  });
}

namespace {

/// A file that was removed while another process had it open, on NFS or FUSE. It goes when that
/// process closes it.
bool is_removed_while_open(const std::string& name) {
  return name.starts_with(".nfs") || name.starts_with(".fuse_hidden");
}

/// All parts but the lock. Throws UsageError if the folder holds anything else.
std::vector<std::filesystem::path> only_parts(const std::filesystem::path& parts) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(parts)) {
    const std::string name = entry.path().filename().string();
    if (is_removed_while_open(name)) continue;
    if (entry.is_directory() || !is_part(name)) {
      throw UsageError(fmt::format(
          "{} holds '{}', which does not belong to a run: nothing was removed; move it away first",
          parts.string(), text::printable(name, 80)));
    }
    if (name != kLockName) paths.push_back(entry.path());
  }
  return paths;
}

/// The folder's name while its parts are removed one by one.
std::filesystem::path name_while_removed(const std::filesystem::path& parts) {
  return parts.string() + ".removed";
}

/// Removes a folder that nobody uses any more.
void remove_folder(const std::filesystem::path& folder) {
  clear_parts(folder);
  std::filesystem::remove(folder / kLockName);
  std::error_code error;
  std::filesystem::remove(folder, error);
  // A reader has some part open still: the next run of this name removes what it leaves.
  if (error && error != std::errc::directory_not_empty)
    throw std::filesystem::filesystem_error("cannot remove", folder, error);
}

}  // namespace

void clear_parts(const std::filesystem::path& parts) {
  for (const std::filesystem::path& path : only_parts(parts)) std::filesystem::remove(path);
}

void finish_removal(const std::filesystem::path& parts) {
  const std::filesystem::path removed = name_while_removed(parts);
  if (std::filesystem::exists(std::filesystem::symlink_status(removed))) remove_folder(removed);
}

void remove_parts(const std::filesystem::path& parts, Lock& lock) {
  only_parts(parts);
  finish_removal(parts);
  std::filesystem::rename(parts, name_while_removed(parts));
  lock.leave();
  finish_removal(parts);
}

}  // namespace scalemark::store
