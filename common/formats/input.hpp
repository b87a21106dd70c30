// SPDX-License-Identifier: Apache-2.0
// Reads text of other programs with size limits; errors name file and line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/base/words.hpp"

namespace scalemark::formats {

/// Limits: bytes of a JSON line or of a file read as a whole; values in a JSON text; bytes of a
/// text line.
constexpr std::size_t kLongestJson = std::size_t{256} << 20;
constexpr std::size_t kMaxValues = 20'000'000;
constexpr std::size_t kLongestText = std::size_t{64} << 10;

/// Reads a file line by line, without line ends.
class Lines {
 public:
  /// Throws InputError if the file cannot be opened.
  Lines(const std::filesystem::path& file, std::size_t longest);

  /// The next line, valid until the next call; empty optional at the end. Throws InputError for a
  /// line longer than the limit.
  std::optional<std::string_view> next();
  std::size_t number() const { return number_; }
  /// "file:line", for messages.
  std::string place() const;
  /// Throws InputError with the place, what was expected and what was found.
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

 private:
  std::string name_;
  std::ifstream stream_;
  std::size_t longest_;
  std::size_t number_ = 0;
  std::string line_;
};

/// Reads a file of at most kLongestJson bytes.
std::string read_text(const std::filesystem::path& file);

/// Parses JSON with a depth of at most 16, at most kMaxValues values and no repeated member.
/// Throws InputError starting with `place`.
nlohmann::json parse_json(std::string_view text, const std::string& place);

using text::words;

}  // namespace scalemark::formats
