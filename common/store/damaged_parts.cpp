// SPDX-License-Identifier: Apache-2.0
// Finds parts that cannot be read, and moves them out of the run's folder.
#include "common/store/damaged_parts.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <sys/stat.h>

#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/text.hpp"
#include "common/store/safe_file.hpp"
#include "common/store/schema.hpp"
#include "common/store/segments.hpp"
#include "common/store/state.hpp"
#include "common/store/untrusted/message_stream.hpp"
#include "common/store/untrusted/sandbox.hpp"
#include "common/store/untrusted/tree_check.hpp"

namespace scalemark::store {
namespace {

FileIdentity identity_of(const std::filesystem::path& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino, static_cast<std::uint64_t>(found.st_size),
          std::int64_t{found.st_ctim.tv_sec} * 1'000'000'000 + found.st_ctim.tv_nsec};
}

/// Segments, batches and states.
std::vector<std::filesystem::path> inspected_files(const std::filesystem::path& parts) {
  std::vector<std::filesystem::path> paths = part_files(parts);
  const std::vector<std::filesystem::path> states = state_files(parts);
  paths.insert(paths.end(), states.begin(), states.end());
  return paths;
}

void read_cases(const std::filesystem::path& path, PartState& state) {
  const h5::Id file = open_result(path);
  for (const std::size_t index : case_indices(file.get())) {
    try {
      read_case(file.get(), index, true);
      state.readable.push_back(index);
    } catch (const InputError& error) {
      state.damaged.push_back(index);
      if (state.problem.empty()) state.problem = error.what();
    }
  }
  if (state.readable.empty() && state.problem.empty()) state.problem = "holds no case";
}

PartState read_here(const std::filesystem::path& path) {
  PartState state;
  const h5::FailureWatch watch;
  try {
    if (is_state(path.filename().string()))
      check_state(path);
    else
      read_cases(path, state);
  } catch (const InputError& error) {
    state.problem = error.what();
  }
  watch.check();  // what could not be read is not damaged
  return state;
}

PartState read_in_child(const std::filesystem::path& path) {
  const auto produce = [&](const SendBytes& send) {
    const PartState state = read_here(path);
    Encoder encode(send);
    encode.array(state.readable);
    encode.array(state.damaged);
    encode(state.problem);
  };
  PartState state;
  const auto consume = [&](const ReceiveBytes& receive) {
    Decoder decode(receive);
    decode.array(state.readable);
    decode.array(state.damaged);
    decode(state.problem);
  };
  run_apart(limits_for(std::filesystem::file_size(path)), produce, consume);
  return state;
}

/// A part with a problem is read twice: what is set aside must be damaged for good.
PartState read_part(const std::filesystem::path& path, ReadIn where) {
  if (where == ReadIn::this_process) return read_here(path);
  PartState state;
  for (int reading = 0; reading < 2; ++reading) {
    try {
      state = read_in_child(path);
    } catch (const InputError& error) {
      state = {};
      state.problem = error.what();
    }
    if (state.problem.empty()) break;
  }
  return state;
}

/// Calls `take` for these cases of a batch.
void for_each_of(const std::filesystem::path& batch, const std::vector<std::uint64_t>& indices,
                 ReadIn where, const std::function<void(CaseResult)>& take) {
  const auto read = [&](const std::function<void(CaseResult)>& give) {
    const h5::Id file = open_result(batch);
    for (const std::uint64_t index : indices) give(read_case(file.get(), index, true));
  };
  if (where == ReadIn::this_process) return read(take);
  const auto produce = [&](const SendBytes& send) {
    send_header(send, Run{});
    read([&](const CaseResult& one) { send_case(send, one); });
    send_end(send);
  };
  run_apart(limits_for(std::filesystem::file_size(batch)), produce,
            [&](const ReceiveBytes& receive) {
              receive_run(receive, true, {.header = [](const Run&) {}, .one_case = take});
            });
}

/// Writes the cases of a damaged batch that can be read as segments, unless they have newer ones.
void save_readable(const std::filesystem::path& parts, const PartState& batch, ReadIn where) {
  if (batch.readable.empty()) return;
  for_each_of(batch.path, batch.readable, where, [&](const CaseResult& one) {
    if (!std::filesystem::exists(segment_path(parts, one.index))) write_segment(parts, one);
  });
}

void move_aside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::filesystem::path target = folder / path.filename();
  for (int i = 2; std::filesystem::exists(target); ++i)
    target = folder / fmt::format("{}.{}", path.filename().string(), i);
  std::filesystem::rename(path, target);
  sync_folder(folder);
}

}  // namespace

std::vector<PartState> inspect_parts(const std::filesystem::path& parts, ReadIn where) {
  std::vector<PartState> states;
  for (const std::filesystem::path& path : inspected_files(parts)) {
    const FileIdentity identity = identity_of(path);
    const std::string name = path.filename().string();
    PartState state;
    try {
      state = read_part(path, where);
    } catch (const NotRead& error) {
      throw NotRead(fmt::format("{}: {}", text::printable(path.string()), error.what()));
    }
    if (const auto index = segment_index(name)) {
      // A segment that holds another case than its name says is no better than none.
      if (state.problem.empty() && state.readable != std::vector<std::uint64_t>{*index})
        state.problem = "holds another case than its name says";
      if (!state.problem.empty()) state = {{}, {}, {}, {*index}, state.problem};
    }
    state.path = path;
    state.identity = identity;
    states.push_back(std::move(state));
  }
  return states;
}

void check_unchanged(const std::filesystem::path& parts, const std::vector<PartState>& inspected) {
  const std::vector<std::filesystem::path> there = inspected_files(parts);
  const auto same = [](const std::filesystem::path& path, const PartState& state) {
    return path == state.path && identity_of(path) == state.identity;
  };
  if (!std::ranges::equal(there, inspected, same))
    throw Error(fmt::format("{} changed while it was being read: start again", parts.string()));
}

InspectedParts::InspectedParts(const std::vector<PartState>& inspected) {
  for (const PartState& state : inspected) {
    if (state.problem.empty()) identities_[state.path] = state.identity;
  }
}

void InspectedParts::check(const std::filesystem::path& path) const {
  const auto known = identities_.find(path);
  if (known == identities_.end() || !std::filesystem::exists(path)) return;
  if (identity_of(path) != known->second)
    throw Error(fmt::format("{} was changed by another program since the run resumed",
                            text::printable(path.string())));
}

void InspectedParts::check() const {
  for (const auto& [path, identity] : identities_) check(path);
}

SetAside set_aside_damaged(const std::filesystem::path& parts,
                           const std::vector<PartState>& inspected, ReadIn where) {
  SetAside result;
  const std::filesystem::path folder = parts.string() + ".damaged";
  for (const PartState& state : inspected) {
    if (state.problem.empty()) continue;
    save_readable(parts, state, where);
    move_aside(state.path, folder);
    ++result.files;
    const std::string name = state.path.filename().string();
    if (!is_state(name)) {
      result.cases.insert(state.damaged.begin(), state.damaged.end());
      result.others = result.others || (state.damaged.empty() && state.readable.empty());
    }
    log::warn(fmt::format("{} cannot be read, and was moved to {}: {}", name,
                          text::printable((folder / name).string()),
                          text::printable(state.problem, 300)));
  }
  return result;
}

}  // namespace scalemark::store
