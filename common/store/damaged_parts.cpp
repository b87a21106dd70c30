// SPDX-License-Identifier: Apache-2.0
// Finds parts that cannot be read, and moves them out of the run's folder.
#include "common/store/damaged_parts.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/text.hpp"
#include "common/store/safe_file.hpp"
#include "common/store/schema.hpp"
#include "common/store/segments.hpp"
#include "common/store/untrusted/message_stream.hpp"
#include "common/store/untrusted/sandbox.hpp"
#include "common/store/untrusted/tree_check.hpp"

namespace scalemark::store {
namespace {

/// What can be read of a part.
struct PartState {
  std::vector<std::uint64_t> readable, damaged;  ///< cases
  std::string problem;                           ///< the first; empty: all can be read
};

PartState read_here(const std::filesystem::path& path) {
  PartState state;
  try {
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
  } catch (const InputError& error) {
    state.problem = error.what();
  }
  return state;
}

PartState read_apart(const std::filesystem::path& path) {
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
  try {
    run_apart(limits_for(std::filesystem::file_size(path)), produce, consume);
  } catch (const InputError& error) {
    return {{}, {}, error.what()};
  }
  return state;
}

/// Writes the cases of a damaged batch that can be read as segments, unless they have newer ones.
void save_readable(const std::filesystem::path& parts, const std::filesystem::path& batch,
                   const std::vector<std::uint64_t>& readable) {
  if (readable.empty()) return;
  const h5::Id file = open_result(batch);
  for (const std::uint64_t index : readable) {
    const std::filesystem::path segment = segment_path(parts, index);
    if (std::filesystem::exists(segment)) continue;
    write_safely(segment, [&](hid_t root) { copy_case(file.get(), root, index); });
  }
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

SetAside set_aside_damaged(const std::filesystem::path& parts, bool apart) {
  SetAside result;
  const std::filesystem::path folder = parts.string() + ".damaged";
  for (const std::filesystem::path& path : part_files(parts)) {
    const std::string name = path.filename().string();
    PartState state = (apart ? read_apart : read_here)(path);
    if (const auto index = segment_index(name)) {
      // A segment that holds another case than its name says is no better than none.
      if (state.problem.empty() && state.readable != std::vector<std::uint64_t>{*index})
        state.problem = "holds another case than its name says";
      if (!state.problem.empty()) state = {{}, {*index}, state.problem};
    }
    if (state.problem.empty()) continue;
    save_readable(parts, path, state.readable);
    move_aside(path, folder);
    ++result.files;
    result.cases.insert(state.damaged.begin(), state.damaged.end());
    result.others = result.others || (state.damaged.empty() && state.readable.empty());
    const std::string place = text::printable((folder / name).string());
    log::warn(fmt::format("{} cannot be read, and was moved to {}: {}", name, place,
                          text::printable(state.problem, 300)));
  }
  return result;
}

}  // namespace scalemark::store
