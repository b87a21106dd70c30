// SPDX-License-Identifier: Apache-2.0
// Rows of the data sets, every field checked.
#include "suites/llm/text/json_rows.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "suites/llm/text/row_reader.hpp"

namespace scalemark::llm {
namespace {

constexpr std::size_t kMaxDepth = 16;

/// One row as JSON, with its place for errors.
struct Row {
  nlohmann::json json;
  std::string place;

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", place, what));
  }
  std::string text_of(const nlohmann::json& object, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end()) fail(fmt::format("field '{}' is missing", key));
    if (!found->is_string())
      fail(fmt::format("field '{}' is {}; wanted: a text", key, found->type_name()));
    return found->get<std::string>();
  }
  std::string text_of(const char* key) const { return text_of(json, key); }
};

Role role_of(const Row& row, const std::string& from) {
  if (from == "system") return Role::system;
  if (from == "human") return Role::user;
  if (from == "gpt") return Role::assistant;
  row.fail(
      fmt::format("a turn is from '{}'; allowed: system, human, gpt", text::printable(from, 40)));
}

Record conversation_of(const Row& row) {
  const auto turns = row.json.find("conversations");
  if (turns == row.json.end() || !turns->is_array())
    row.fail("field 'conversations' is missing or no list");
  Record record;
  for (const nlohmann::json& turn : *turns) {
    if (!turn.is_object()) row.fail("a turn is not an object with from and value");
    record.push_back({role_of(row, row.text_of(turn, "from")), row.text_of(turn, "value"), {}});
  }
  return record;
}

Record record_of(const Row& row, Corpus corpus) {
  const auto pair = [](std::string user, std::string context, std::string assistant) {
    return Record{{Role::user, std::move(user), std::move(context)},
                  {Role::assistant, std::move(assistant), {}}};
  };
  switch (corpus) {
    case Corpus::alpaca:
      return pair(row.text_of("instruction"),
                  row.json.contains("input") ? row.text_of("input") : std::string(),
                  row.text_of("output"));
    case Corpus::grammar:
      return pair(row.text_of("input"), {}, row.text_of("output"));
    case Corpus::samsum:
      return pair(row.text_of("dialogue"), {}, row.text_of("summary"));
    case Corpus::slimorca:
      return conversation_of(row);
    case Corpus::preference:
      break;
  }
  throw UsageError("rows of data set 'preference' are pairs of answers");
}

/// Nesting depth of the JSON text. Parsed values need several times the memory of their text, and
/// brackets need the most.
std::size_t depth_of(std::string_view json) {
  std::size_t depth = 0, deepest = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') in_text = !in_text;
    if (in_text && c == '\\') ++i;
    if (in_text) continue;
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if ((c == '}' || c == ']') && depth > 0) --depth;
  }
  return deepest;
}

/// Calls `use` with each row, as far as `limits` go.
template <typename Use>
void for_each_row(std::istream& stream, const std::string& origin, const RowLimits& limits,
                  Use use) {
  RowReader reader(stream, origin, limits.row_bytes);
  std::string bytes;
  std::size_t line = 0, rows = 0, all = 0;
  while ((limits.rows == 0 || rows < limits.rows) && reader.next(bytes, line)) {
    Row row{nullptr, fmt::format("{}:{}", text::printable(origin), line)};
    all += bytes.size();
    if (all > limits.all_bytes)
      row.fail(
          fmt::format("the rows hold more than {} bytes; take fewer of them", limits.all_bytes));
    if (depth_of(bytes) > kMaxDepth)
      row.fail(fmt::format("lists and objects are nested more than {} deep", kMaxDepth));
    try {
      row.json = nlohmann::json::parse(bytes);
    } catch (const nlohmann::json::parse_error& error) {
      const auto place =
          bytes.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, bytes.size()));
      line += static_cast<std::size_t>(std::count(bytes.begin(), place, '\n'));
      throw InputError(fmt::format("{}:{}: not JSON: {}", text::printable(origin), line,
                                   text::printable(error.what(), 200)));
    }
    if (!row.json.is_object()) row.fail("a row is not an object in braces");
    use(row);
    ++rows;
  }
  if (rows == 0) throw InputError(fmt::format("{}: holds no rows", text::printable(origin)));
}

std::vector<Record> records_of(std::istream& stream, const std::string& origin, Corpus corpus,
                               const RowLimits& limits) {
  if (corpus == Corpus::preference)
    throw UsageError("rows of data set 'preference' are pairs of answers");
  std::vector<Record> records;
  for_each_row(stream, origin, limits,
               [&](const Row& row) { records.push_back(record_of(row, corpus)); });
  return records;
}

std::ifstream open(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(fmt::format("{}: {}", text::printable(path.string()),
                                 error ? error.message() : "is not a regular file"));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(fmt::format("{}: cannot be read", text::printable(path.string())));
  return stream;
}

}  // namespace

std::vector<Record> read_records(const std::filesystem::path& path, Corpus corpus,
                                 const RowLimits& limits) {
  std::ifstream stream = open(path);
  return records_of(stream, path.string(), corpus, limits);
}

std::vector<Record> parse_records(std::string_view text, const std::string& origin, Corpus corpus,
                                  const RowLimits& limits) {
  std::istringstream stream{std::string(text)};
  return records_of(stream, origin, corpus, limits);
}

std::vector<PreferenceRecord> read_preferences(const std::filesystem::path& path,
                                               const RowLimits& limits) {
  std::ifstream stream = open(path);
  std::vector<PreferenceRecord> records;
  for_each_row(stream, path.string(), limits, [&](const Row& row) {
    records.push_back({{{Role::user, row.text_of("question"), {}}},
                       row.text_of("response_j"),
                       row.text_of("response_k")});
  });
  return records;
}

}  // namespace scalemark::llm
