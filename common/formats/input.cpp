// SPDX-License-Identifier: Apache-2.0
// Reads lines, whole files and JSON with limits.
#include "common/formats/input.hpp"

#include <cerrno>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "common/base/error.hpp"
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
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::set<std::string>> open_objects;
  std::size_t values = 0;
  const auto watch = [&](int depth, Event event, nlohmann::json& parsed) {
    if (depth > kDeepest)
      throw InputError(fmt::format("{}: JSON nested deeper than {} levels", place, kDeepest));
    // Limits the number of values: an element is short as text but large in memory.
    const bool is_new =
        event == Event::value || event == Event::object_start || event == Event::array_start;
    if (is_new && ++values > kMaxValues)
      throw InputError(fmt::format("{}: more than {} values", place, kMaxValues));
    if (event == Event::object_start) open_objects.emplace_back();
    if (event == Event::object_end) open_objects.pop_back();
    if (event == Event::key && !open_objects.back().insert(parsed.get<std::string>()).second) {
      throw InputError(fmt::format("{}: \"{}\" occurs twice in one object", place,
                                   text::printable(parsed.get<std::string>(), kQuoted)));
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, watch);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: no JSON: {}", place, text::printable(error.what(), 400)));
  }
}

std::vector<std::string_view> words(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<std::string_view> parts;
  for (std::size_t from = line.find_first_not_of(kBlanks); from != std::string_view::npos;) {
    const std::size_t to = std::min(line.find_first_of(kBlanks, from), line.size());
    parts.push_back(line.substr(from, to - from));
    from = line.find_first_not_of(kBlanks, to);
  }
  return parts;
}

}  // namespace scalemark::formats
