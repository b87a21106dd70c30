// SPDX-License-Identifier: Apache-2.0
// Reads and writes lists of hosts.
#include "common/fleet/host_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/words.hpp"

namespace scalemark::fleet {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What comes before the number of a host, and its digits: numbers of different widths go together
/// if none has leading zeros.
using Group = std::pair<std::string, std::size_t>;

struct Numbered {
  Group group;
  std::uint64_t number = 0;
};

/// Nothing for a name that does not end in a number, or whose number has more digits than fit.
std::optional<Numbered> trailing_number(const std::string& name) {
  constexpr std::size_t kMaxDigits = 18;
  const auto digits = static_cast<std::size_t>(
      std::ranges::find_if_not(name.rbegin(), name.rend(), is_digit) - name.rbegin());
  if (digits == 0 || digits > kMaxDigits) return std::nullopt;
  Numbered one{.group = {name.substr(0, name.size() - digits), digits}};
  const char* const end = name.data() + name.size();
  std::from_chars(end - digits, end, one.number);
  return one;
}

/// The same, and nothing for a name that is a number.
std::optional<Numbered> numbered_name(const std::string& name) {
  auto one = trailing_number(name);
  return one && one->group.first.empty() ? std::nullopt : std::move(one);
}

/// "1,3-7", each number at least `width` digits wide.
std::string ranges(const std::set<std::uint64_t>& numbers, std::size_t width) {
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const std::uint64_t first = *at;
    std::uint64_t last = first;
    for (++at; at != numbers.end() && *at == last + 1; ++at) last = *at;
    text += fmt::format("{}{:0{}}", text.empty() ? "" : ",", first, width);
    if (last > first) text += fmt::format("-{:0{}}", last, width);
  }
  return text;
}

}  // namespace

bool is_host_name(std::string_view name) {
  return !name.empty() && name.size() < 256 && name.front() != '-' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' ||
                  c == '.' || c == '_';
         });
}

std::string short_name(std::string_view host) {
  return std::string(host.substr(0, host.find('.')));
}

NameOrder name_order(const std::string& host) {
  const std::string name = short_name(host);
  if (const auto one = trailing_number(name)) return {one->group.first, one->number, host};
  return {name, 0, host};
}

std::string node_list(std::span<const std::string> names) {
  std::set<std::string> plain;
  std::vector<Numbered> numbered;
  std::set<Group> padded;  // groups in which a number has leading zeros
  for (const std::string& name : names) {
    const std::optional<Numbered> one = numbered_name(name);
    if (!one) {
      plain.insert(name);
      continue;
    }
    numbered.push_back(*one);
    if (name[one->group.first.size()] == '0' && one->group.second > 1) padded.insert(one->group);
  }
  std::map<Group, std::set<std::uint64_t>> groups;
  for (const Numbered& one : numbered)
    groups[padded.contains(one.group) ? one.group : Group(one.group.first, 1)].insert(one.number);
  std::vector<std::string> texts(plain.begin(), plain.end());
  for (const auto& [group, numbers] : groups) {
    const std::string list = ranges(numbers, group.second);
    texts.push_back(group.first + (numbers.size() > 1 ? "[" + list + "]" : list));
  }
  return text::join(texts, ",");
}

std::vector<std::string> host_names(std::string_view text, const std::string& origin) {
  std::vector<std::string> names;
  for (const std::string_view name : text::words(text, " \t\r\n")) {
    if (!is_host_name(name))
      throw InputError(
          fmt::format("{}: '{}' is no name of a host", origin, text::printable(name, 60)));
    names.emplace_back(name);
  }
  return names;
}

}  // namespace scalemark::fleet
