// SPDX-License-Identifier: Apache-2.0
// HDF5 handles, files, groups and links.
#include "common/store/h5/h5.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::store::h5 {
namespace {

/// System calls of HDF5 that failed, but for files that do not exist.
thread_local struct {
  long count = 0;
  int number = 0;  ///< errno of the last one
} failed_calls;

/// errno in a line of HDF5's error stack; 0: it has none.
int number_in(const char* line) {
  constexpr std::string_view kNumber = "errno = ";
  const char* const found = line == nullptr ? nullptr : std::strstr(line, kNumber.data());
  return found == nullptr ? 0 : std::atoi(found + kNumber.size());
}

herr_t note_number(unsigned, const H5E_error2_t* error, void* data) {
  if (const int number = number_in(error->desc); number != 0) *static_cast<int*>(data) = number;
  return 0;
}

/// HDF5 calls this whenever one of its functions fails.
herr_t note_failure(hid_t stack, void*) {
  int number = 0;
  H5Ewalk2(stack, H5E_WALK_DOWNWARD, note_number, &number);
  if (number != 0 && number != ENOENT) failed_calls = {failed_calls.count + 1, number};
  return 0;
}

/// Turns off HDF5's own error output, because exceptions carry its text. Turns off plug-in filters,
/// because they would be loaded from a path in the environment.
void prepare_library() {
  static const bool once = [] {
    H5Eset_auto2(H5E_DEFAULT, note_failure, nullptr);
    H5PLset_loading_state(0);
    return true;
  }();
  (void)once;
}

/// Saves space: up to 64 attributes stay in the object's header (beyond HDF5's default of 8, each
/// object costs 4 KiB), and objects have no times.
void keep_small(const Id& properties) {
  check(H5Pset_attr_phase_change(properties.get(), 64, 60), "attributes");
  check(H5Pset_obj_track_times(properties.get(), false), "attributes");
}

/// Result of listing links.
struct Listing {
  std::vector<std::string> names;
  const char* problem = nullptr;
};

herr_t list_link(hid_t, const char* name, const H5L_info_t* info, void* data) {
  auto& listing = *static_cast<Listing*>(data);
  const std::string_view text = name;
  if (info->type != H5L_TYPE_HARD) {
    listing.problem = "has a link to elsewhere, which a result file never has";
  } else if (text.empty() || text.size() > kMaxName) {
    listing.problem = "has a member without a usable name";
  } else if (listing.names.size() == kMaxChildren) {
    listing.problem = "has more members than a result file may have";
  }
  if (listing.problem != nullptr) return -1;
  listing.names.emplace_back(text);
  return 0;
}

}  // namespace

namespace {

/// What HDF5's error stack says.
struct Explanation {
  std::string text;
  bool no_memory = false;
  int number = 0;  ///< errno of a failed system call; 0: there was none
};

herr_t take_error(unsigned, const H5E_error2_t* error, void* data) {
  auto& found = *static_cast<Explanation*>(data);
  if (error->desc) found.text = error->desc;
  if (error->maj_num == H5E_RESOURCE &&
      (error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC))
    found.no_memory = true;
  if (const int number = number_in(error->desc); number != 0) found.number = number;
  return 0;
}

}  // namespace

ReadFailed::ReadFailed(int number)
    : NotRead(fmt::format("it could not be read: {}", std::strerror(number))), number_(number) {}

FailureWatch::FailureWatch() : before_(failed_calls.count) {}

int FailureWatch::number() const { return failed_calls.count == before_ ? 0 : failed_calls.number; }

void FailureWatch::check() const {
  if (number() != 0) throw ReadFailed(number());
}

std::string explain() {
  Explanation found;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, take_error, &found);
  H5Eclear2(H5E_DEFAULT);
  const std::string text =
      found.text.empty() ? "unknown HDF5 error" : text::printable(found.text, 300);
  if (found.no_memory) throw OutOfMemory(text);
  if (found.number != 0 && found.number != ENOENT) throw ReadFailed(found.number);
  return text;
}

void check(herr_t code, std::string_view action) {
  if (code < 0) throw Error(fmt::format("{}: {}", action, explain()));
}

Id::Id(hid_t id, Close closer, std::string_view action) : id_(id), close_(closer) {
  if (id < 0) throw Error(fmt::format("{}: {}", action, explain()));
}

Id::Id(Id&& other) noexcept
    : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}

Id& Id::operator=(Id&& other) noexcept {
  if (this != &other) {
    if (id_ >= 0) close_(id_);
    id_ = std::exchange(other.id_, H5I_INVALID_HID);
    close_ = other.close_;
  }
  return *this;
}

Id::~Id() {
  if (id_ >= 0) close_(id_);
}

void Id::close(std::string_view action) {
  const hid_t id = std::exchange(id_, H5I_INVALID_HID);
  if (id >= 0) check(close_(id), action);
}

namespace {

/// Limits HDF5's metadata cache. By default it holds 32 MiB as stored in the file, but the index of
/// a dataset's chunks needs ten times as much memory. In a large run that exceeds the samples of a
/// case, and all cases of a file that is written.
void limit_cache(const Id& access) {
  constexpr std::size_t kMaxMetadataBlock = std::size_t{2} << 20;
  H5AC_cache_config_t config{};
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  check(H5Pget_mdc_config(access.get(), &config), "metadata cache");
  config.set_initial_size = true;
  config.initial_size = config.min_size = config.max_size = kMaxMetadataBlock;
  config.flash_incr_mode = H5C_flash_incr__off;
  config.incr_mode = H5C_incr__off;
  config.decr_mode = H5C_decr__off;
  check(H5Pset_mdc_config(access.get(), &config), "metadata cache");
}

}  // namespace

Id file_access() {
  prepare_library();
  Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V110), "file access");
  check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "file access");
  limit_cache(access);
  return access;
}

Id create_file(const std::filesystem::path& path, const Id& access) {
  const Id properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "file properties");
  // Reduces the chunk index of a small dataset from 2.6 to 0.4 KiB.
  check(H5Pset_istore_k(properties.get(), 4), "file properties");
  keep_small(properties);
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties.get(), access.get()), H5Fclose,
          fmt::format("cannot create {}", path.string())};
}

Id create_file(const std::filesystem::path& path) { return create_file(path, file_access()); }

Id open_file(const std::filesystem::path& path) {
  prepare_library();
  const std::string name = text::printable(path.string());
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(
        fmt::format("{}: {}", name, error ? error.message() : "is not a regular file"));
  }
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "file access");
  check(H5Pset_file_locking(access.get(), false, true), "file access");
  limit_cache(access);
  std::string opened = path.string();
  if (std::filesystem::file_size(path, error) <= whole_file_limits().read)
    opened = read_whole(path, access);
  const hid_t id = H5Fopen(opened.c_str(), H5F_ACC_RDONLY, access.get());
  if (id < 0) throw InputError(fmt::format("{}: not a readable HDF5 file ({})", name, explain()));
  return {id, H5Fclose, name};
}

Id create_group(hid_t parent, const std::string& name) {
  const Id properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "group " + name);
  keep_small(properties);
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), H5Gclose,
          "group " + name};
}

Id open_group(hid_t parent, const std::string& name) {
  if (!has(parent, name)) {
    throw InputError(fmt::format("group '{}' is missing", text::printable(name, 80)));
  }
  const hid_t id = H5Gopen2(parent, name.c_str(), H5P_DEFAULT);
  if (id < 0) {
    throw InputError(fmt::format("'{}' is not a group: {}", text::printable(name, 80), explain()));
  }
  return {id, H5Gclose, name};
}

bool has(hid_t parent, const std::string& name) {
  // Link by link: of a path whose first link is missing, HDF5 says that it failed.
  for (std::size_t end = 0; end != std::string::npos;) {
    end = name.find('/', end + 1);
    const std::string link = name.substr(0, end);
    const htri_t found = H5Lexists(parent, link.c_str(), H5P_DEFAULT);
    // Also for lack of memory, which must not look like a file without this name.
    if (found < 0)
      throw InputError(
          fmt::format("'{}' cannot be looked up: {}", text::printable(name, 80), explain()));
    if (found == 0) return false;
  }
  H5L_info_t info;
  if (H5Lget_info(parent, name.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) {
    throw InputError(fmt::format("'{}' is a link to elsewhere, which a result file never has",
                                 text::printable(name, 80)));
  }
  return true;
}

std::vector<std::string> members(hid_t group) {
  Listing listing;
  // In no order: to sort them first, HDF5 makes a table, and frees what is not in it yet if a read
  // fails (1.10.8, H5G__link_release_table).
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, list_link, &listing) < 0) {
    const std::string why = explain();
    throw InputError(
        fmt::format("a group {}", listing.problem ? listing.problem : "cannot be listed: " + why));
  }
  std::ranges::sort(listing.names);
  return std::move(listing.names);
}

}  // namespace scalemark::store::h5
