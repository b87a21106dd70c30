// SPDX-License-Identifier: Apache-2.0
// Files that were made to do harm, each in one way, out of a good result.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <hdf5.h>

namespace scalemark::test {

struct HostileFile {
  std::string name;  ///< what is in it, in snake_case; its file is NAME.h5
  std::string why;   ///< part of the line that it is refused with
  std::function<void(const std::filesystem::path&)> make;  ///< makes it of the good file there
};

/// For GoogleTest, which prints the bytes of what it does not know.
inline void PrintTo(const HostileFile& one, std::ostream* out) { *out << one.name; }

/// All of them, the same at each call.
std::vector<HostileFile> hostile_files();
/// The groups of the list.
std::vector<HostileFile> hostile_links();
std::vector<HostileFile> hostile_types();
std::vector<HostileFile> hostile_sizes();
std::vector<HostileFile> hostile_chunks();
std::vector<HostileFile> hostile_texts();

/// Makes a file one of format 1.0, which has no digests: what is changed then is seen by the check
/// that is made for it, as where somebody computed the digests anew.
void remove_digests(const std::filesystem::path& path);
/// The good result with one case that they are made of, without digests.
void write_good_file(const std::filesystem::path& path);
/// Makes one, in a folder that exists; its path.
std::filesystem::path make_hostile(const HostileFile& one, const std::filesystem::path& folder);

constexpr const char* kLatency = "/cases/000000/metrics/latency";
/// Changes a file with HDF5's own calls, at an object of it.
void edit(const std::filesystem::path& path, const char* object,
          const std::function<void(hid_t)>& change);
using Shape = std::vector<hsize_t>;
/// Replaces the samples of the latency, without data.
void replace_samples(const std::filesystem::path& path, const Shape& shape,
                     const std::function<void(hid_t)>& properties = {},
                     hid_t type = H5T_NATIVE_UINT64);
/// Properties of a dataset in chunks, compressed.
std::function<void(hid_t)> chunked(const Shape& chunk);

}  // namespace scalemark::test
