// SPDX-License-Identifier: Apache-2.0
// Rows of the data sets, every field checked, from files of any form.
#include "suites/llm/text/data_rows.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "suites/llm/text/row_files.hpp"
#include "suites/llm/text/row_reader.hpp"
#include "suites/llm/text/table_reader.hpp"

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

/// What has been read so far, over all files of a data set.
class Taken {
 public:
  explicit Taken(const RowLimits& limits) : limits_(limits) {}
  bool enough() const { return limits_.rows > 0 && rows_ == limits_.rows; }
  bool any() const { return rows_ > 0; }
  const RowLimits& limits() const { return limits_; }
  /// Counts a row of this size. Throws InputError if that is too much.
  void add(const Row& row, std::size_t bytes) {
    ++rows_;
    all_ += bytes;
    if (all_ > limits_.all_bytes)
      row.fail(
          fmt::format("the rows hold more than {} bytes; take fewer of them", limits_.all_bytes));
  }

 private:
  RowLimits limits_;
  std::size_t rows_ = 0, all_ = 0;
};

using UseRow = std::function<void(const Row&)>;

nlohmann::json parsed(const std::string& bytes, const std::string& origin, std::size_t line) {
  try {
    return nlohmann::json::parse(bytes);
  } catch (const nlohmann::json::parse_error& error) {
    const auto place =
        bytes.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, bytes.size()));
    line += static_cast<std::size_t>(std::count(bytes.begin(), place, '\n'));
    throw InputError(fmt::format("{}:{}: not JSON: {}", text::printable(origin), line,
                                 text::printable(error.what(), 200)));
  }
}

void json_rows(std::istream& stream, const std::string& origin, Taken& taken, const UseRow& use) {
  RowReader reader(stream, origin, taken.limits().row_bytes);
  std::string bytes;
  std::size_t line = 0;
  while (!taken.enough() && reader.next(bytes, line)) {
    Row row{nullptr, fmt::format("{}:{}", text::printable(origin), line)};
    taken.add(row, bytes.size());
    if (depth_of(bytes) > kMaxDepth)
      row.fail(fmt::format("lists and objects are nested more than {} deep", kMaxDepth));
    row.json = parsed(bytes, origin, line);
    if (!row.json.is_object()) row.fail("a row is not an object in braces");
    use(row);
  }
}

/// Columns of a table without a first line of names, in this order. All but `optional` are needed.
struct Columns {
  std::vector<std::string> names;
  std::string optional = {};
};

Columns columns_of(Corpus corpus) {
  switch (corpus) {
    case Corpus::alpaca:
      return {{"instruction", "input", "output"}, "input"};
    case Corpus::grammar:
      return {{"input", "output"}};
    case Corpus::samsum:
      return {{"dialogue", "summary"}};
    case Corpus::preference:
      return {{"question", "response_j", "response_k"}};
    case Corpus::slimorca:
      break;
  }
  return {};
}

/// Whether the first line of a table names all columns that are needed.
bool is_header(const std::vector<std::string>& cells, const Columns& columns) {
  return std::ranges::all_of(columns.names, [&](const std::string& name) {
    return name == columns.optional || std::ranges::count(cells, name) == 1;
  });
}

void table_rows(std::istream& stream, const std::string& origin, TableForm form, Corpus corpus,
                Taken& taken, const UseRow& use) {
  const Columns columns = columns_of(corpus);
  if (columns.names.empty()) {
    throw InputError(fmt::format("{}: rows of this data set are conversations, which are JSON",
                                 text::printable(origin)));
  }
  TableReader reader(stream, origin, form, taken.limits().row_bytes);
  std::vector<std::string> cells, names;
  std::size_t line = 0;
  while (!taken.enough() && reader.next(cells, line)) {
    Row row{nlohmann::json::object(), fmt::format("{}:{}", text::printable(origin), line)};
    if (names.empty()) {
      if (is_header(cells, columns)) {
        names = cells;
        continue;
      }
      names = columns.names;
      if (cells.size() != names.size()) {
        row.fail(fmt::format("neither names the columns {} nor has as many cells",
                             fmt::join(names, ", ")));
      }
    }
    if (cells.size() != names.size())
      row.fail(fmt::format("a row of {} cells; wanted: {}", cells.size(), names.size()));
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      bytes += cells[i].size();
      if (std::ranges::count(columns.names, names[i]) > 0) row.json[names[i]] = cells[i];
    }
    taken.add(row, bytes);
    use(row);
  }
}

/// Calls `use` with each row of a stream, as far as the limits go.
void stream_rows(std::istream& stream, const std::string& origin, RowForm form, Corpus corpus,
                 Taken& taken, const UseRow& use) {
  if (form == RowForm::json) return json_rows(stream, origin, taken, use);
  table_rows(stream, origin, form == RowForm::csv ? TableForm::csv : TableForm::tsv, corpus, taken,
             use);
}

void expect_rows(const Taken& taken, const std::string& origin) {
  if (!taken.any()) throw InputError(fmt::format("{}: holds no rows", text::printable(origin)));
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

/// The same of a file, or of the files of a folder.
void file_rows(const std::filesystem::path& path, Corpus corpus, const RowLimits& limits,
               const UseRow& use) {
  Taken taken(limits);
  for (const std::filesystem::path& file : row_files(path)) {
    if (taken.enough()) break;
    std::ifstream stream = open(file);
    stream_rows(stream, file.string(), form_of(file), corpus, taken, use);
  }
  expect_rows(taken, path.string());
}

void refuse_pairs(Corpus corpus) {
  if (corpus == Corpus::preference)
    throw UsageError("rows of data set 'preference' are pairs of answers");
}

}  // namespace

std::vector<Record> read_records(const std::filesystem::path& path, Corpus corpus,
                                 const RowLimits& limits) {
  refuse_pairs(corpus);
  std::vector<Record> records;
  file_rows(path, corpus, limits,
            [&](const Row& row) { records.push_back(record_of(row, corpus)); });
  return records;
}

std::vector<Record> parse_records(std::string_view text, const std::string& origin, Corpus corpus,
                                  const RowLimits& limits) {
  refuse_pairs(corpus);
  std::istringstream stream{std::string(text)};
  std::vector<Record> records;
  Taken taken(limits);
  stream_rows(stream, origin, form_of(origin), corpus, taken,
              [&](const Row& row) { records.push_back(record_of(row, corpus)); });
  expect_rows(taken, origin);
  return records;
}

std::vector<PreferenceRecord> read_preferences(const std::filesystem::path& path,
                                               const RowLimits& limits) {
  std::vector<PreferenceRecord> records;
  file_rows(path, Corpus::preference, limits, [&](const Row& row) {
    records.push_back({{{Role::user, row.text_of("question"), {}}},
                       row.text_of("response_j"),
                       row.text_of("response_k")});
  });
  return records;
}

}  // namespace scalemark::llm
