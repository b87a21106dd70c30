// SPDX-License-Identifier: Apache-2.0
// Reads lines, whole files and JSON with limits.
#include "common/formats/input.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/limited_json.hpp"
#include "common/base/text.hpp"

namespace scalemark::formats {
namespace {

constexpr int kDeepest = 16;
constexpr std::size_t kQuoted = 120;

std::ifstream open(const std::filesystem::path& file, const std::string& name) {
  if (std::filesystem::is_directory(file))
    throw InputError(fmt::format("{}: a folder; allowed: a file", name));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
  return stream;
}

}  // namespace

Lines::Lines(const std::filesystem::path& file, std::size_t longest)
    : name_(text::printable(file.string())), stream_(open(file, name_)), longest_(longest) {}

std::optional<std::string_view> Lines::next() {
  line_.clear();
  std::streambuf& buffer = *stream_.rdbuf();
  int c = buffer.sbumpc();
  if (c == std::char_traits<char>::eof()) return std::nullopt;
  ++number_;
  for (; c != '\n' && c != std::char_traits<char>::eof(); c = buffer.sbumpc()) {
    if (line_.size() == longest_)
      throw InputError(fmt::format("{}: the line is longer than {} bytes", place(), longest_));
    line_ += static_cast<char>(c);
  }
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  return line_;
}

std::string Lines::place() const { return fmt::format("{}:{}", name_, number_); }

void Lines::fail(std::string_view expected, std::string_view found) const {
  throw InputError(fmt::format("{}: expected {}, found \"{}\"", place(), expected,
                               text::printable(found, kQuoted)));
}

std::string read_text(const std::filesystem::path& file) {
  const std::string name = text::printable(file.string());
  std::ifstream stream = open(file, name);
  std::string content;
  std::vector<char> block(std::size_t{1} << 20);
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())),
         stream.gcount() > 0) {
    content.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    if (content.size() > kLongestJson)
      throw InputError(fmt::format("{}: larger than {} bytes", name, kLongestJson));
  }
  return content;
}

nlohmann::json parse_json(std::string_view text, const std::string& place) {
  try {
    return parse_limited_json(text, {.depth = kDeepest, .values = kMaxValues});
  } catch (const JsonRefused& refused) {
    switch (refused.why()) {
      case JsonRefused::Why::depth:
        throw InputError(fmt::format("{}: JSON nested deeper than {} levels", place, kDeepest));
      case JsonRefused::Why::values:
        // Limits the number of values: an element is short as text but large in memory.
        throw InputError(fmt::format("{}: more than {} values", place, kMaxValues));
      case JsonRefused::Why::repeated:
        break;
    }
    throw InputError(fmt::format("{}: \"{}\" occurs twice in one object", place,
                                 text::printable(refused.name(), kQuoted)));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: no JSON: {}", place, text::printable(error.what(), 400)));
  }
}

}  // namespace scalemark::formats
