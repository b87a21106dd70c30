// SPDX-License-Identifier: Apache-2.0
// Writes and reads the tables of a case: /telemetry/<what>/<nnnnnn>, /baseline/<what>/<nnnnnn>, and
// /<name>/<nnnnnn> for the tables of kSingleTables.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/store/schema.hpp"

namespace scalemark::store {
namespace {

/// Whether a table name is one of kSingleTables.
bool is_single(const std::string& name) {
  return std::ranges::find(kSingleTables, name) != kSingleTables.end();
}

/// The parts of a table name such as telemetry/node.
struct FamilyName {
  std::string family, what;
};
std::optional<FamilyName> family_name(const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return std::nullopt;
  FamilyName parts{name.substr(0, slash), name.substr(slash + 1)};
  const bool known = std::ranges::find(kTableFamilies, parts.family) != kTableFamilies.end();
  if (!known || !text::is_identifier(parts.what)) return std::nullopt;
  return parts;
}

std::size_t length_of(const Column& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.values);
}

h5::Id write_values(hid_t group, const Column& column) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values))
    return h5::write_texts(group, column.name, *texts);
  if (const auto* reals = std::get_if<std::vector<double>>(&column.values))
    return h5::write_vector(group, column.name, std::span<const double>(*reals));
  const auto& counts = std::get<std::vector<std::uint64_t>>(column.values);
  return h5::write_vector(group, column.name, std::span<const std::uint64_t>(counts));
}

void write_column(hid_t group, const Column& column, std::size_t order) {
  const h5::Id dataset = write_values(group, column);
  h5::write_attribute(dataset.get(), "order", static_cast<std::int64_t>(order));
  h5::write_attribute(dataset.get(), "unit", column.unit);
}

void write_table(hid_t parent, const std::string& name, const Table& table,
                 const std::string& case_name) {
  const h5::Id group = h5::create_group(parent, case_name);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (length_of(column) != length_of(table.columns[0]))
      throw Error(fmt::format("table {}: column {} has another length", name, column.name));
    if (!text::is_identifier(column.name))
      throw Error(fmt::format("table {}: '{}' is not the name of a column", name, column.name));
    write_column(group.get(), column, i);
  }
}

Column read_column(hid_t group, const std::string& name, std::int64_t& order) {
  if (!text::is_identifier(name))
    throw InputError(fmt::format("'{}' is not the name of a column", text::printable(name, 80)));
  const h5::Id dataset = h5::open_dataset(group, name);
  Column column;
  column.name = name;
  column.unit = h5::read_line_attribute(dataset.get(), "unit");
  order = h5::read_integer_attribute(dataset.get(), "order");
  const h5::Vector vector = h5::vector_shape(dataset.get());
  if (vector.is_text) {
    column.values = h5::read_texts(group, name);
  } else if (vector.is_real) {
    column.values = h5::read_real(dataset.get(), vector.length);
  } else {
    column.values = h5::read_unsigned(dataset.get(), vector.length);
  }
  return column;
}

Table read_table(hid_t parent, const std::string& case_name) {
  const h5::Id group = h5::open_group(parent, case_name);
  std::map<std::int64_t, Column> ordered;
  for (const std::string& name : h5::members(group.get())) {
    std::int64_t order = 0;
    Column column = read_column(group.get(), name, order);
    if (!ordered.emplace(order, std::move(column)).second)
      throw InputError("two columns have the same order");
  }
  Table table;
  for (auto& [order, column] : ordered) {
    table.columns.push_back(std::move(column));
    if (length_of(table.columns.back()) != length_of(table.columns[0]))
      throw InputError("columns differ in length");
  }
  return table;
}

void take_table(hid_t parent, const std::string& name, const std::string& case_name,
                std::map<std::string, Table>& tables) {
  if (!h5::has(parent, case_name)) return;
  try {
    tables[name] = read_table(parent, case_name);
  } catch (const InputError& error) {
    throw InputError(fmt::format("table {}: {}", name, error.what()));
  }
}

}  // namespace

bool is_table_name(const std::string& name) {
  return is_single(name) || family_name(name).has_value();
}

void write_tables(hid_t root, const CaseResult& result) {
  for (const auto& [name, table] : result.tables) {
    if (!is_table_name(name))
      throw Error(fmt::format("a result file has no place for a table '{}'", name));
    const std::string case_group = case_name(result.index);
    if (is_single(name)) {
      write_table(need_group(root, name).get(), name, table, case_group);
      continue;
    }
    const FamilyName parts = *family_name(name);
    const h5::Id family = need_group(root, parts.family);
    const h5::Id group = need_group(family.get(), parts.what);
    write_table(group.get(), name, table, case_group);
  }
}

std::map<std::string, Table> read_tables(hid_t root, const std::string& case_name) {
  std::map<std::string, Table> tables;
  for (const char* name : kSingleTables) {
    if (h5::has(root, name)) take_table(h5::open_group(root, name).get(), name, case_name, tables);
  }
  for (const char* family : kTableFamilies) {
    if (!h5::has(root, family)) continue;
    const h5::Id group = h5::open_group(root, family);
    for (const std::string& what : h5::members(group.get())) {
      const std::string name = fmt::format("{}/{}", family, what);
      if (!is_table_name(name))
        throw InputError(fmt::format("'{}' is not the name of a table", text::printable(name, 80)));
      take_table(h5::open_group(group.get(), what).get(), name, case_name, tables);
    }
  }
  return tables;
}

std::string link_name(const std::string& name) {
  std::string link;
  for (const char c : name) {
    if (c == '/' || c == '.' || c == '%') {
      link += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      link += c;
    }
  }
  return link;
}

std::string name_of_link(std::string link) {
  for (const auto& [code, c] :
       {std::pair{"%2F", "/"}, std::pair{"%2E", "."}, std::pair{"%25", "%"}}) {
    for (std::size_t at = link.find(code); at != std::string::npos; at = link.find(code, at + 1)) {
      link.replace(at, 3, c);
    }
  }
  return h5::clean_text(link);
}

}  // namespace scalemark::store
