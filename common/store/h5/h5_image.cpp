// SPDX-License-Identifier: Apache-2.0
// Composes HDF5 files in memory. H5Fget_file_image() of HDF5 1.10 gives images with a wrong
// checksum, so the memory is taken over when the file is closed.
#include <cstdlib>

#include "common/store/h5/h5.hpp"

namespace scalemark::store::h5 {
namespace {

/// HDF5 allocates memory in steps of this size.
constexpr std::size_t kGrowth = 1 << 16;

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

}  // namespace

std::vector<char> file_image(const std::function<void(hid_t root)>& fill) {
  Image image;
  H5FD_file_image_callbacks_t callbacks = {take_memory, nullptr,     resize_memory, keep_memory,
                                           same_image,  leave_image, &image};
  const Id access = file_access();
  check(H5Pset_fapl_core(access.get(), kGrowth, false), "file in memory");
  check(H5Pset_file_image_callbacks(access.get(), &callbacks), "file in memory");
  Id file = create_file("in memory", access);
  fill(file.get());
  file.close("file in memory");
  if (image.bytes.empty()) throw OutOfMemory("no memory for a result file");
  cut_to_end(image.bytes);
  return std::move(image.bytes);
}

}  // namespace scalemark::store::h5
