// SPDX-License-Identifier: Apache-2.0
// Writes, finds and compacts segments.
#include "common/store/segments.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/store/safe_file.hpp"
#include "common/store/schema.hpp"
#include "common/store/untrusted/tree_check.hpp"

namespace scalemark::store {
namespace {

/// The number in a name such as c000123.h5; nothing if the name has another form.
std::optional<std::size_t> number_in(const std::string& name, char letter) {
  if (name.size() < 10 || name.front() != letter || !name.ends_with(".h5")) return std::nullopt;
  const auto number = text::parse_integer(name.substr(1, name.size() - 4));
  if (!number || *number < 0) return std::nullopt;
  const auto index = static_cast<std::size_t>(*number);
  if (name != fmt::format("{}{}.h5", letter, case_name(index))) return std::nullopt;
  return index;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& parts, char letter) {
  std::vector<std::pair<std::size_t, std::filesystem::path>> found;
  for (const auto& entry : std::filesystem::directory_iterator(parts)) {
    if (const auto number = number_in(entry.path().filename().string(), letter))
      found.emplace_back(*number, entry.path());
  }
  std::ranges::sort(found);
  std::vector<std::filesystem::path> paths;
  for (auto& [number, path] : found) paths.push_back(std::move(path));
  return paths;
}

std::filesystem::path next_batch(const std::filesystem::path& parts) {
  const std::vector<std::filesystem::path> batches = files_of(parts, 'b');
  const std::size_t last =
      batches.empty() ? 0 : *number_in(batches.back().filename().string(), 'b');
  return parts / fmt::format("b{}.h5", case_name(last + 1));
}

/// A part is gone that was there when the parts were listed: the run under way has compacted it.
class PartGone : public InputError {
 public:
  using InputError::InputError;
};

h5::Id open_part(const std::filesystem::path& path) {
  try {
    return open_result(path);
  } catch (const InputError&) {
    if (!std::filesystem::exists(path))
      throw PartGone(fmt::format("{}: vanished", text::printable(path.string())));
    throw;
  }
}

/// Runs `read`. If it throws InputError, but for a part that moved, and there is a `damaged`, that
/// is told instead.
void or_damaged(const std::function<void()>& read, std::size_t index, const TakeDamage& damaged) {
  const h5::FailureWatch watch;
  try {
    read();
    watch.check();
  } catch (const PartGone&) {
    throw;
  } catch (const InputError& error) {
    watch.check();
    if (!damaged) throw;
    damaged(index, error.what());
  }
}

std::uintmax_t bytes_of(const std::vector<std::filesystem::path>& paths) {
  std::uintmax_t total = 1 << 16;
  for (const std::filesystem::path& path : paths) total += std::filesystem::file_size(path);
  return total;
}

}  // namespace

std::filesystem::path segment_path(const std::filesystem::path& parts, std::size_t index) {
  return parts / fmt::format("c{}.h5", case_name(index));
}

bool is_segment(const std::string& name) { return segment_index(name).has_value(); }
std::optional<std::size_t> segment_index(const std::string& name) { return number_in(name, 'c'); }
bool is_batch(const std::string& name) { return number_in(name, 'b').has_value(); }

std::vector<std::filesystem::path> part_files(const std::filesystem::path& parts) {
  std::vector<std::filesystem::path> paths = files_of(parts, 'b');
  const std::vector<std::filesystem::path> segments = files_of(parts, 'c');
  paths.insert(paths.end(), segments.begin(), segments.end());
  return paths;
}

void write_segment(const std::filesystem::path& parts, const CaseResult& result) {
  write_safely(segment_path(parts, result.index), [&](hid_t root) { write_case(root, result); });
}

void while_parts_move(const std::function<void()>& read) {
  constexpr int kAttempts = 100;
  for (int tries = 1;; ++tries) {
    try {
      return read();
    } catch (const PartGone&) {
      if (tries == kAttempts) throw;
    }
  }
}

std::map<std::size_t, std::filesystem::path> places_of_cases(const std::filesystem::path& parts,
                                                             const TakeBatch& unreadable) {
  std::map<std::size_t, std::filesystem::path> places;
  for (const std::filesystem::path& path : files_of(parts, 'b')) {
    const auto read = [&] {
      const h5::Id file = open_part(path);
      for (const std::size_t index : case_indices(file.get())) places[index] = path;
    };
    TakeDamage damaged;
    if (unreadable) damaged = [&](std::size_t, const std::string& why) { unreadable(why); };
    or_damaged(read, 0, damaged);
  }
  for (const std::filesystem::path& path : files_of(parts, 'c'))
    places[*number_in(path.filename().string(), 'c')] = path;
  return places;
}

void for_each_place(const std::map<std::size_t, std::filesystem::path>& places,
                    const std::function<void(hid_t root, std::size_t index)>& take,
                    const TakeDamage& damaged) {
  // With sweeps, the cases of a batch are in any order: a file stays open until its last case.
  std::map<std::filesystem::path, std::size_t> awaited;
  for (const auto& [index, path] : places) ++awaited[path];
  std::map<std::filesystem::path, h5::Id> open;
  for (const auto& [index, path] : places) {
    const auto read = [&, index = index, &path = path] {
      auto file = open.find(path);
      if (file == open.end()) file = open.emplace(path, open_part(path)).first;
      naming(path, [&] { take(file->second.get(), index); });
    };
    or_damaged(read, index, damaged);
    if (--awaited[path] == 0) open.erase(path);
  }
}

void for_each_segment(const std::filesystem::path& parts, bool samples,
                      const std::function<void(CaseResult)>& take, const TakeDamage& damaged,
                      const TakeBatch& unreadable) {
  std::size_t next = 0;
  TakeDamage note_damage;
  if (damaged)
    note_damage = [&](std::size_t index, const std::string& why) {
      damaged(index, why);
      next = index + 1;
    };
  while_parts_move([&] {
    auto places = places_of_cases(parts, unreadable);
    places.erase(places.begin(), places.lower_bound(next));
    for_each_place(
        places,
        [&](hid_t root, std::size_t index) {
          take(read_case(root, index, samples));
          next = index + 1;
        },
        note_damage);
  });
}

CaseResult read_known_case(const std::filesystem::path& path, std::size_t index, bool samples) {
  const h5::Id file = h5::open_file(path);
  CaseResult result;
  naming(path, [&] { result = read_case(file.get(), index, samples); });
  return result;
}

void remove_superseded(const std::filesystem::path& parts,
                       const std::map<std::size_t, std::filesystem::path>& places) {
  std::set<std::filesystem::path> needed;
  for (const auto& [index, path] : places) needed.insert(path);
  for (const std::filesystem::path& batch : files_of(parts, 'b')) {
    if (!needed.contains(batch)) std::filesystem::remove(batch);
  }
}

void expect_readable(hid_t root, std::size_t written) {
  std::size_t readable = 0;
  for_each_case(root, true, [&](const CaseResult&) { ++readable; });
  if (readable != written)
    throw Error(fmt::format("only {} of {} written cases can be read back", readable, written));
}

std::map<std::size_t, std::filesystem::path> compact_segments(const std::filesystem::path& parts) {
  const std::vector<std::filesystem::path> segments = files_of(parts, 'c');
  const std::uintmax_t bytes = bytes_of(segments);
  const bool in_memory = bytes < h5::whole_file_limits().write;
  // Checked before writing, as in merge().
  if (!in_memory) reserve_space(parts, bytes);
  const auto fill = [&](hid_t root) {
    for (const std::filesystem::path& path : segments) {
      const h5::Id file = open_result(path);
      copy_case(file.get(), root, *number_in(path.filename().string(), 'c'));
    }
  };
  const auto check = [&](hid_t root) { expect_readable(root, segments.size()); };
  const std::filesystem::path batch = next_batch(parts);
  write_safely(batch, fill, {.staging = {}, .check = check, .in_memory = in_memory});
  std::map<std::size_t, std::filesystem::path> places;
  for (const std::filesystem::path& path : segments) {
    places[*number_in(path.filename().string(), 'c')] = batch;
    std::filesystem::remove(path);
  }
  return places;
}

std::uintmax_t bytes_of_parts(const std::filesystem::path& parts) {
  std::vector<std::filesystem::path> paths = part_files(parts);
  paths.push_back(parts / "meta.h5");
  return bytes_of(paths);
}

}  // namespace scalemark::store
