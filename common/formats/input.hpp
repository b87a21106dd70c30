// SPDX-License-Identifier: Apache-2.0
// Text that another program wrote, read with limits and errors that name the place.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace scalemark::formats {

/// Bytes of a line of JSON, or of a whole file that is read at once; values in it; bytes of a line
/// of text.
constexpr std::size_t kLongestJson = std::size_t{256} << 20;
constexpr std::size_t kMaxValues = 20'000'000;
constexpr std::size_t kLongestText = std::size_t{64} << 10;

/// The lines of a file, one at a time, without their ends.
class Lines {
 public:
  /// Throws InputError if the file cannot be opened.
  Lines(const std::filesystem::path& file, std::size_t longest);

  /// The next line, valid until the next call; nothing at the end. Throws InputError for a line
  /// that is longer than allowed.
  std::optional<std::string_view> next();
  std::size_t number() const { return number_; }
  /// "file:line", for messages.
  std::string place() const;
  /// Throws InputError: the place, what was expected, and what stands there.
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

 private:
  std::string name_;
  std::ifstream stream_;
  std::size_t longest_;
  std::size_t number_ = 0;
  std::string line_;
};

/// The whole of a file of at most kLongestJson bytes.
std::string read_text(const std::filesystem::path& file);

/// JSON that is at most 16 deep, has at most kMaxValues values and names no member twice. Throws
/// InputError that begins with `place`.
nlohmann::json parse_json(std::string_view text, const std::string& place);

/// The parts of a line between blanks and tabs.
std::vector<std::string_view> words(std::string_view line);

}  // namespace scalemark::formats
