// SPDX-License-Identifier: Apache-2.0
// Composes HDF5 files in memory, and opens them from there. H5Fget_file_image() of HDF5 1.10 gives
// images with a wrong checksum, so the memory is taken over when the file is closed.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "common/base/descriptor.hpp"
#include "common/base/text.hpp"
#include "common/store/h5/h5.hpp"

namespace scalemark::store::h5 {
namespace {

/// HDF5 allocates memory in steps of this size.
constexpr std::size_t kMemoryStep = 1 << 16;

struct Image {
  std::size_t size = 0;  ///< bytes that HDF5 has allocated now
  std::vector<char> bytes;
};

// HDF5 expects the callbacks to copy the user data for each file. A single copy, owned by us, is
// enough.
void* same_image(void* image) { return image; }
herr_t leave_image(void*) { return 0; }

void* take_memory(std::size_t size, H5FD_file_image_op_t, void* image) {
  static_cast<Image*>(image)->size = size;
  return std::malloc(size);
}

void* resize_memory(void* memory, std::size_t size, H5FD_file_image_op_t, void* image) {
  static_cast<Image*>(image)->size = size;
  return std::realloc(memory, size);
}

herr_t keep_memory(void* memory, H5FD_file_image_op_t operation, void* data) {
  auto& image = *static_cast<Image*>(data);
  if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE) {
    const char* first = static_cast<const char*>(memory);
    try {
      image.bytes.assign(first, first + image.size);
    } catch (const std::bad_alloc&) {
      image.bytes.clear();
    }
  }
  std::free(memory);
  return 0;
}

/// Cuts the allocated memory to the length of the file that the superblock states. Format versions
/// 2 and 3: version in byte 8, end of file in bytes 28 to 35, little-endian.
void cut_to_end(std::vector<char>& bytes) {
  if (bytes.size() < 36 || bytes[8] < 2) throw Error("a result file in memory has no superblock");
  std::uint64_t end = 0;
  for (std::size_t i = 36; i-- > 28;) end = end << 8U | static_cast<unsigned char>(bytes[i]);
  if (end > bytes.size()) throw Error("a result file in memory is cut off");
  bytes.resize(static_cast<std::size_t>(end));
}

/// All bytes of a file within the limit.
std::vector<char> whole_file(const std::filesystem::path& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0 && errno == ENOENT)
    throw InputError(fmt::format("{}: vanished", text::printable(path.string())));
  if (file.get() < 0) throw ReadFailed(errno);
  std::vector<char> bytes(kMemoryStep);
  std::size_t size = 0;
  while (size <= whole_file_limits().read) {
    const ssize_t got = read(file.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw ReadFailed(errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

WholeFileLimits& whole_file_limits() {
  static WholeFileLimits limits;
  return limits;
}

std::string read_whole(const std::filesystem::path& path, const Id& access) {
  static std::atomic<std::uint64_t> opened = 0;
  std::vector<char> bytes = whole_file(path);
  if (bytes.empty())
    throw InputError(
        fmt::format("{}: not a readable HDF5 file (it is empty)", text::printable(path.string())));
  check(H5Pset_fapl_core(access.get(), kMemoryStep, false), "file access");
  check(H5Pset_file_image(access.get(), bytes.data(), bytes.size()), "file access");
  return fmt::format("{}#{}", path.string(), opened++);
}

std::vector<char> file_image(const std::function<void(hid_t root)>& fill) {
  Image image;
  H5FD_file_image_callbacks_t callbacks = {take_memory, nullptr,     resize_memory, keep_memory,
                                           same_image,  leave_image, &image};
  const Id access = file_access();
  check(H5Pset_fapl_core(access.get(), kMemoryStep, false), "file in memory");
  check(H5Pset_file_image_callbacks(access.get(), &callbacks), "file in memory");
  Id file = create_file("in memory", access);
  fill(file.get());
  file.close("file in memory");
  if (image.bytes.empty()) throw OutOfMemory("no memory for a result file");
  cut_to_end(image.bytes);
  return std::move(image.bytes);
}

}  // namespace scalemark::store::h5
