// SPDX-License-Identifier: Apache-2.0
// Reads "login,node[1,3-7]".
#include "common/fleet/node_list_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/fleet/host_names.hpp"

namespace scalemark::fleet {
namespace {

/// Reads a list in Slurm's notation.
class NodeListReader {
 public:
  NodeListReader(std::string_view list, const std::string& origin, std::size_t max)
      : list_(list), origin_(origin), max_(max) {}

  std::vector<std::string> read() {
    std::vector<std::string> all;
    for (;;) {
      for (std::string& name : names(max_ - all.size())) {
        if (!is_host_name(name)) fail();
        all.push_back(std::move(name));
      }
      if (at_ == list_.size()) return all;
      ++at_;  // the comma
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw InputError(
        fmt::format("{}: '{}' is no list of hosts", origin_, text::printable(list_, 60)));
  }

  void append(std::vector<std::string>& names, std::string_view part) const {
    for (std::string& name : names) name += part;
  }

  /// All names up to the next comma outside of brackets.
  std::vector<std::string> names(std::size_t room) {
    std::vector<std::string> all(1);
    while (at_ < list_.size() && list_[at_] != ',') {
      const std::size_t end = std::min(list_.find_first_of(",[", at_), list_.size());
      append(all, list_.substr(at_, end - at_));
      at_ = end;
      if (at_ == list_.size() || list_[at_] == ',') break;
      const std::size_t close = list_.find(']', at_);
      if (close == std::string_view::npos) fail();
      const std::vector<std::string> numbers = bracket(list_.substr(at_ + 1, close - at_ - 1));
      if (numbers.empty()) fail();
      if (numbers.size() > room / all.size()) too_many();
      std::vector<std::string> longer;
      for (const std::string& name : all)
        for (const std::string& number : numbers) longer.push_back(name + number);
      all = std::move(longer);
      at_ = close + 1;
    }
    if (all.size() > room) too_many();
    return all;
  }

  [[noreturn]] void too_many() const {
    throw InputError(fmt::format("{}: more than {} hosts", origin_, max_));
  }

  std::uint64_t number(std::string_view digits) const {
    constexpr std::size_t kMaxDigits = 18;
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (digits.size() > kMaxDigits || error != std::errc{} || stop != end) fail();
    return value;
  }

  /// "03", "04" of "03-04".
  std::vector<std::string> bracket(std::string_view text) const {
    std::vector<std::string> all;
    for (const std::string& part : text::split(text, ',')) {
      const std::size_t dash = std::min(part.find('-'), part.size());
      const std::uint64_t first = number(std::string_view(part).substr(0, dash)),
                          last = dash == part.size()
                                     ? first
                                     : number(std::string_view(part).substr(dash + 1));
      if (last < first) fail();
      if (last - first >= max_ - std::min(all.size(), max_)) too_many();
      for (std::uint64_t value = first; value <= last; ++value)
        all.push_back(fmt::format("{:0{}}", value, dash));
    }
    return all;
  }

  std::string_view list_;
  const std::string& origin_;
  std::size_t max_, at_ = 0;
};

}  // namespace

std::vector<std::string> expanded_node_list(std::string_view list, const std::string& origin,
                                            std::size_t max) {
  return NodeListReader(list, origin, max).read();
}

}  // namespace scalemark::fleet
