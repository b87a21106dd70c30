// SPDX-License-Identifier: Apache-2.0
// HDF5 handles that close themselves, and checked versions of the HDF5 calls that the store needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hdf5.h>

#include "common/base/error.hpp"

namespace scalemark::store::h5 {

/// Move-only owner of an HDF5 id.
class Id {
 public:
  using Close = herr_t (*)(hid_t);
  Id() = default;
  /// Throws Error with HDF5's own explanation if `id` is negative.
  Id(hid_t id, Close closer, std::string_view action);
  Id(Id&& other) noexcept;
  Id& operator=(Id&& other) noexcept;
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  ~Id();
  hid_t get() const { return id_; }
  /// Closes now and throws if that fails, which is when a full disk becomes visible.
  void close(std::string_view action);

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// Limits for reading untrusted files.
constexpr std::uint64_t kMaxDatasetBytes = std::uint64_t{2} << 30;
constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMaxText = std::size_t{64} << 20;
constexpr std::size_t kMaxAttributeText = 1 << 20;
constexpr std::size_t kMaxChildren = 1'000'000;
constexpr std::size_t kMaxAttributes = 1 << 16;
constexpr std::size_t kMaxName = 4096;
/// Larger files are not kept in memory as a whole; HDF5 reads and writes them piece by piece.
struct WholeFileLimits {
  std::uintmax_t read = std::uintmax_t{32} << 20;    ///< bytes of a file that is read
  std::uintmax_t write = std::uintmax_t{128} << 20;  ///< of one that is composed, at twice its size
};
/// The limits in force. Tests lower them, to have small files treated like large ones.
WholeFileLimits& whole_file_limits();

/// Throws Error with HDF5's own explanation if `code` is negative.
void check(herr_t code, std::string_view action);
/// A file could not be opened or read for a reason of the system (EIO, EACCES, EMFILE, ...), which
/// says nothing about its content.
class ReadFailed : public NotRead {
 public:
  explicit ReadFailed(int number);
  int number() const { return number_; }  ///< errno

 private:
  int number_;
};

/// Notices system calls of HDF5 that fail from its construction on, in this thread. Some of HDF5's
/// functions answer such a failure as if there were nothing to read.
class FailureWatch {
 public:
  FailureWatch();
  /// errno of the last one that failed, but for ENOENT; 0: none did.
  int number() const;
  /// Throws ReadFailed if one failed.
  void check() const;

 private:
  long before_;
};

/// Returns HDF5's error stack as one line and clears it. Throws OutOfMemory if it says that memory
/// was lacking, and ReadFailed for an error of the system other than ENOENT.
std::string explain();
/// Type of fixed-length texts of `length` bytes, padded with NUL.
Id text_type(std::size_t length);
/// Makes a text valid UTF-8 and removes control characters except newlines and tabs.
std::string clean_text(std::string_view text);

/// Creates a file that HDF5 1.8 and later can read. Replaces an existing file.
Id create_file(const std::filesystem::path& path);
/// The same with access properties from file_access(), which the caller may have extended.
Id create_file(const std::filesystem::path& path, const Id& access);
Id file_access();
/// The bytes of a file that `fill` writes in memory. HDF5 1.10 crashes at the exit of a process
/// that met a full disk, so it is safer to write the bytes to disk ourselves.
std::vector<char> file_image(const std::function<void(hid_t root)>& fill);
/// Has `access` open the bytes that a file has now, up to the limit. Returns the name to open
/// them by, each time another one: HDF5 takes files of one name for the same. Throws InputError if
/// there are none, ReadFailed.
std::string read_whole(const std::filesystem::path& path, const Id& access);
/// Opens a file for reading, without file locks and plug-ins. Files up to the limit of
/// whole_file_limits() are read into memory at once, so that no later read can fail. Throws
/// InputError if it is no HDF5 file, ReadFailed.
Id open_file(const std::filesystem::path& path);
Id create_group(hid_t parent, const std::string& name);
Id open_group(hid_t parent, const std::string& name);
/// Whether `name` is a hard link in `parent`. Throws InputError for soft, external and user links.
bool has(hid_t parent, const std::string& name);
/// Names of all members, sorted. Throws InputError for links that are not hard.
std::vector<std::string> members(hid_t group);

void write_attribute(hid_t object, const std::string& name, const std::string& value);
void write_attribute(hid_t object, const std::string& name, std::int64_t value);
void write_attribute(hid_t object, const std::string& name, std::uint64_t value);
void write_attribute(hid_t object, const std::string& name, double value);
bool has_attribute(hid_t object, const std::string& name);
/// The stored text after clean_text().
std::string read_text_attribute(hid_t object, const std::string& name);
/// A text that names something. Throws InputError if it needs cleaning or has a second line.
std::string read_line_attribute(hid_t object, const std::string& name);
std::int64_t read_integer_attribute(hid_t object, const std::string& name);
std::uint64_t read_unsigned_attribute(hid_t object, const std::string& name);
double read_real_attribute(hid_t object, const std::string& name);
/// Whether a type is an integer of 1 to 8 bytes, or a float of 4 or 8 bytes, without padding bits.
bool is_plain_number(hid_t type);
/// The value of an attribute as it is stored.
struct PlainAttribute {
  Id type;
  std::vector<char> value;
};
/// Reads a single number, or a text of fixed length. Throws InputError for other attributes.
PlainAttribute read_plain_attribute(hid_t object, const std::string& name);
void write_attribute(hid_t object, const std::string& name, const PlainAttribute& attribute);
enum class AttributeType { text, integer, real };
AttributeType attribute_type(hid_t object, const std::string& name);
std::vector<std::string> attribute_names(hid_t object);

/// Writes a text of any length as a scalar dataset of fixed-length UTF-8.
void write_text(hid_t parent, const std::string& name, const std::string& value);
std::string read_text(hid_t parent, const std::string& name);
/// Writes a column of texts of fixed length.
Id write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& values);
std::vector<std::string> read_texts(hid_t parent, const std::string& name);

/// Writes a row-major matrix [rows][columns], chunked and compressed (shuffle, deflate 4,
/// fletcher32).
Id write_matrix(hid_t parent, const std::string& name, std::span<const std::uint64_t> values,
                hsize_t rows, hsize_t columns);
Id write_matrix(hid_t parent, const std::string& name, std::span<const double> values, hsize_t rows,
                hsize_t columns);
/// Writes the names of a dataset's dimensions, as the dimension scales specification defines them.
void write_dimension_labels(hid_t dataset, std::span<const char* const> labels);
/// Creates a dimension scale without values, of that length; see name_dimensions().
Id write_dimension(hid_t parent, const std::string& name, hsize_t length);
/// Attaches `scales` to the dimensions of `dataset`, which has none yet.
void name_dimensions(hid_t dataset, std::initializer_list<const Id*> scales);
Id write_vector(hid_t parent, const std::string& name, std::span<const std::uint8_t> values);
Id write_vector(hid_t parent, const std::string& name, std::span<const std::uint16_t> values);
Id write_vector(hid_t parent, const std::string& name, std::span<const std::int64_t> values);
Id write_vector(hid_t parent, const std::string& name, std::span<const std::uint64_t> values);
Id write_vector(hid_t parent, const std::string& name, std::span<const double> values);

/// Writes bytes, uncompressed with checksums.
void write_bytes(hid_t parent, const std::string& name, std::string_view bytes);

struct Shape {
  std::size_t rows = 0, columns = 0;
  bool is_real = false;
};
/// Opens a dataset and checks it. Throws InputError for storage, filters, types or sizes that a
/// result file never has. At 8 bytes per element it needs at most kMaxDatasetBytes.
Id open_dataset(hid_t parent, const std::string& name);
Shape matrix_shape(hid_t dataset);
/// Copies a group with its members, or a dataset without unpacking its chunks, but for the group's
/// own members named in `left_out` and for attributes of dimension scales. Throws InputError for
/// attributes and datasets of types that a result file never has.
void copy(hid_t from, hid_t to, const std::string& name,
          const std::set<std::string>& left_out = {});
/// The filters of a dataset's creation properties, in the order in which they are applied.
std::vector<H5Z_filter_t> filters_of(hid_t properties);
/// Creation properties with the chunks and filters of a dataset of open_dataset(), and nothing else
/// of what it has.
Id storage_properties(hid_t dataset, const std::string& what);
/// Copies all chunks as they are stored to a dataset of the same shape, chunks and filters. Throws
/// InputError for chunks that are missing or larger than they may be, Error that starts with
/// `what`.
void copy_chunks(hid_t from, hid_t to, std::string_view what);
/// Opens a dataset that this program wrote or checked before.
Id open_known_dataset(hid_t parent, const std::string& name);
struct Vector {
  std::size_t length = 0;
  bool is_real = false, is_text = false;
};
/// Throws InputError if there is more than one dimension.
Vector vector_shape(hid_t dataset);
/// Number of elements x their size in memory.
std::uint64_t unpacked_bytes(hid_t dataset);
/// Reads all elements of a dataset of open_dataset() as `memory_type` (for texts: the type in the
/// file). Chunks are unpacked by our own code, which checks their size. Throws InputError that
/// starts with `what`.
void read_values(hid_t dataset, hid_t memory_type, void* values, std::string_view what);
std::vector<std::uint64_t> read_unsigned(hid_t dataset, std::size_t count);
std::vector<double> read_real(hid_t dataset, std::size_t count);
std::vector<std::int64_t> read_integers(hid_t parent, const std::string& name);
/// Reads a dataset of single bytes.
std::string read_bytes(hid_t parent, const std::string& name);

}  // namespace scalemark::store::h5
