// SPDX-License-Identifier: Apache-2.0
// Walks through the objects of an untrusted file.
#include "common/store/untrusted/tree_check.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::store {
namespace {

class Walk {
 public:
  Walk(const TreeLimits& limits, std::uint64_t file_size)
      : limits_(limits), max_bytes_(limits.unpacked) {
    const std::uint64_t believable = std::min(file_size, std::uint64_t{1} << 50);
    max_bytes_ = std::max(max_bytes_, believable * limits.expansion);
  }

  void group(hid_t group, const std::string& path, std::size_t depth) {
    if (depth > limits_.depth)
      refuse(path, fmt::format("is nested deeper than {} levels", limits_.depth));
    check_storage(group, path);
    for (const std::string& name : members(group, path)) {
      object(group, name, path + "/" + name, depth);
    }
  }

  /// Throws if the object was visited before, under this name or another.
  void meet(const H5O_info_t& info, const std::string& path) {
    if (!addresses_.insert(info.addr).second) {
      refuse(path, "is a second name of an object, or a loop, which a result file never has");
    }
    if (addresses_.size() > limits_.objects) {
      throw InputError(fmt::format("more than {} objects in a file", limits_.objects));
    }
    if (info.num_attrs > h5::kMaxAttributes) {
      refuse(path, fmt::format("has more than {} attributes", h5::kMaxAttributes));
    }
  }

 private:
  /// Throws for a group whose names are stored with filters: HDF5 1.10 crashes if a filter is
  /// missing.
  static void check_storage(hid_t group, const std::string& path) {
    H5G_info_t info;
    h5::check(H5Gget_info(group, &info), "group");
    if (info.nlinks > h5::kMaxChildren)
      refuse(path, "has more members than a result file may have");
    if (info.storage_type != H5G_STORAGE_TYPE_DENSE) return;
    const h5::Id properties(H5Gget_create_plist(group), H5Pclose, "group");
    if (H5Pget_nfilters(properties.get()) != 0) refuse(path, "has names packed by a filter");
  }

  static std::vector<std::string> members(hid_t group, const std::string& path) {
    try {
      return h5::members(group);
    } catch (const InputError& error) {
      throw InputError(fmt::format("'{}': {}", text::printable(path + "/", 200), error.what()));
    }
  }

  [[noreturn]] static void refuse(const std::string& path, const std::string& why) {
    throw InputError(fmt::format("'{}' {}", text::printable(path, 200), why));
  }

  void object(hid_t parent, const std::string& name, const std::string& path, std::size_t depth) {
    H5O_info_t info;
    if (H5Oget_info_by_name2(parent, name.c_str(), &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS,
                             H5P_DEFAULT) < 0) {
      refuse(path, "cannot be opened: " + h5::explain());
    }
    meet(info, path);
    if (info.type == H5O_TYPE_GROUP) {
      group(h5::open_group(parent, name).get(), path, depth + 1);
    } else if (info.type == H5O_TYPE_DATASET) {
      if (!is_dimension(name, path)) dataset(parent, name, path);
    } else {
      refuse(path, "is neither a group nor a dataset");
    }
  }

  /// Whether a dataset is a dimension scale: /cases/<case>/metrics/<metric>/rank or iteration.
  /// Scales have no values and are never opened.
  static bool is_dimension(const std::string& name, const std::string& path) {
    const bool of_metric = std::ranges::count(path, '/') == 5 && path.starts_with("/cases/") &&
                           text::split(path, '/').at(3) == "metrics";
    return of_metric && (name == "rank" || name == "iteration");
  }

  void dataset(hid_t parent, const std::string& name, const std::string& path) {
    const std::uint64_t bytes = h5::unpacked_bytes(h5::open_dataset(parent, name).get());
    if (bytes > max_bytes_ - bytes_) refuse(path, "and others claim more data than the file holds");
    bytes_ += bytes;
  }

  const TreeLimits& limits_;
  std::uint64_t max_bytes_, bytes_ = 0;
  std::unordered_set<haddr_t> addresses_;
};

}  // namespace

void check_tree(hid_t root, const TreeLimits& limits) {
  hsize_t file_size = 0;
  h5::check(H5Fget_filesize(root, &file_size), "size of the file");
  H5O_info_t info;
  h5::check(H5Oget_info2(root, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS), "root group");
  Walk walk(limits, file_size);
  walk.meet(info, "/");
  walk.group(h5::Id(H5Gopen2(root, "/", H5P_DEFAULT), H5Gclose, "root group").get(), "", 0);
}

void naming(const std::filesystem::path& path, const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", text::printable(path.string()), error.what()));
  }
}

h5::Id open_result(const std::filesystem::path& path) {
  h5::Id file = h5::open_file(path);
  naming(path, [&] { check_tree(file.get()); });
  return file;
}

}  // namespace scalemark::store
