// SPDX-License-Identifier: Apache-2.0
// A file system of nodes (files and folders) and names, to which recorded calls are applied or not.
#include "tests/common/store/power_loss.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

namespace scalemark::test {
namespace {

using Path = std::filesystem::path;
using Kind = FileCall::Kind;

constexpr int kRoot = 0, kNone = -1;

/// A name in a folder, which is a node, too.
using Name = std::pair<int, std::string>;

/// The name stands for that node now; kNone: for nothing.
using NewNames = std::vector<std::pair<Name, int>>;

void apply_names(const NewNames& changes, std::map<Name, int>& names) {
  for (const auto& [name, node] : changes) {
    if (node == kNone) {
      names.erase(name);
    } else {
      names[name] = node;
    }
  }
}

/// What one call changed.
struct Change {
  NewNames names = {};
  int node = kNone;                      ///< whose content changes
  std::optional<std::size_t> size = {};  ///< its new size
  std::size_t offset = 0;
  std::string data = {};
  int synced = kNone;  ///< this node is synced
};

/// Follows the calls as they happened, to know which node each one meant.
class Follower {
 public:
  explicit Follower(Path root) : root_(std::move(root)) {}

  Change follow(const FileCall& call) {
    switch (call.kind) {
      case Kind::open:
        return opened(call);
      case Kind::write:
        return {.node = files_.at(call.file),
                .offset = static_cast<std::size_t>(call.offset),
                .data = call.data};
      case Kind::resize:
        return {.node = files_.at(call.file), .size = static_cast<std::size_t>(call.offset)};
      case Kind::sync:
        return {.synced = files_.at(call.file)};
      case Kind::rename: {
        const Name from = name_of(call.path), to = name_of(call.to);
        return named({{from, kNone}, {to, names_.at(from)}});
      }
      case Kind::link:
        return named({{name_of(call.to), names_.at(name_of(call.path))}});
      case Kind::remove:
        return named({{name_of(call.path), kNone}});
      case Kind::make_folder:
        return named({{name_of(call.path), ++last_}});
      case Kind::mark:
        return {};
    }
    throw std::logic_error("unknown call");
  }

 private:
  Change opened(const FileCall& call) {
    Change change;
    if (call.made) change = named({{name_of(call.path), ++last_}});
    const int node = node_of(call.path);
    files_[call.file] = node;
    if (call.emptied) {
      change.node = node;
      change.size = 0;
    }
    return change;
  }

  Change named(NewNames names) {
    apply_names(names, names_);
    return {.names = std::move(names)};
  }

  int node_of(const Path& path) const {
    return path == root_ ? kRoot
                         : names_.at({node_of(path.parent_path()), path.filename().string()});
  }
  Name name_of(const Path& path) const {
    return {node_of(path.parent_path()), path.filename().string()};
  }

  Path root_;
  std::map<Name, int> names_;
  std::map<int, int> files_;  // node of each open file
  int last_ = kRoot;
};

/// Whether the syncs after a change made it durable.
bool is_durable(const std::vector<Change>& changes, std::size_t which) {
  const Change& change = changes[which];
  return std::any_of(changes.begin() + static_cast<std::ptrdiff_t>(which) + 1, changes.end(),
                     [&](const Change& later) {
                       if (later.synced == kNone) return false;
                       if (change.names.empty()) return later.synced == change.node;
                       return std::ranges::any_of(change.names, [&](const auto& one) {
                         return one.first.first == later.synced;
                       });
                     });
}

/// What is on the disk.
struct Disk {
  std::map<Name, int> names;
  std::map<int, std::string> contents;

  void apply(const Change& change) {
    apply_names(change.names, names);
    if (change.node == kNone) return;
    std::string& content = contents[change.node];
    if (change.size) content.resize(*change.size);
    const std::size_t end = change.offset + change.data.size();
    if (end > content.size() && !change.data.empty()) content.resize(end);
    content.replace(change.offset, change.data.size(), change.data);
  }

  void write(int folder, const Path& to, const std::vector<int>& folders) const {
    for (const auto& [name, node] : names) {
      if (name.first != folder) continue;
      const Path path = to / name.second;
      if (std::ranges::find(folders, node) != folders.end()) {
        std::filesystem::create_directory(path);
        write(node, path, folders);
      } else {
        const auto content = contents.find(node);
        std::ofstream(path, std::ios::binary) << (content == contents.end() ? "" : content->second);
      }
    }
  }
};

}  // namespace

void lose_power(const std::vector<FileCall>& calls, CallsDone done, Unsynced what,
                std::uint64_t seed, const Path& from, const Path& to) {
  Follower follower(from);
  std::vector<Change> changes;
  std::vector<int> folders;
  for (std::size_t i = 0; i < done.count; ++i) {
    changes.push_back(follower.follow(calls[i]));
    if (calls[i].kind == Kind::make_folder) folders.push_back(changes.back().names[0].second);
  }
  std::mt19937_64 generator(seed);
  Disk disk;
  for (std::size_t i = 0; i < done.count; ++i) {
    const bool is_name = !changes[i].names.empty();
    const bool kept =
        what == Unsynced::any ? generator() % 2 == 0 : is_name == (what == Unsynced::data_lost);
    if (kept || i < done.durable || is_durable(changes, i)) disk.apply(changes[i]);
  }
  disk.write(kRoot, to, folders);
}

std::vector<std::string> marks_before(const std::vector<FileCall>& calls, std::size_t count) {
  std::vector<std::string> marks;
  for (std::size_t i = 0; i < count; ++i) {
    if (calls[i].kind == Kind::mark) marks.push_back(calls[i].path);
  }
  return marks;
}

}  // namespace scalemark::test
