// SPDX-License-Identifier: Apache-2.0
// Prefixes and units of UCUM that occur in results (ucum.org, tables 1 to 4).
#include "common/base/ucum.hpp"

#include <array>
#include <utility>
#include <vector>

#include "common/base/text.hpp"

namespace scalemark::units {
namespace {

struct Atom {
  std::string_view name, base;
  double factor;
  bool prefixed;  ///< may have a prefix
};

constexpr std::array kAtoms = {
    Atom{"s", "s", 1, true},      Atom{"min", "s", 60, false}, Atom{"h", "s", 3600, false},
    Atom{"d", "s", 86400, false}, Atom{"By", "By", 1, true},   Atom{"bit", "By", 0.125, true},
    Atom{"Hz", "Hz", 1, true},    Atom{"J", "J", 1, true},     Atom{"W", "W", 1, true},
    Atom{"V", "V", 1, true},      Atom{"A", "A", 1, true},     Atom{"K", "K", 1, true},
    Atom{"g", "g", 1, true},      Atom{"m", "m", 1, true},     Atom{"flop", "flop", 1, true},
    Atom{"%", "1", 0.01, false},
};

constexpr std::array<std::pair<std::string_view, double>, 24> kPrefixes = {
    {{"Y", 1e24},  {"Z", 1e21},  {"E", 1e18},    {"P", 1e15},    {"T", 1e12},    {"G", 1e9},
     {"M", 1e6},   {"k", 1e3},   {"h", 1e2},     {"da", 1e1},    {"d", 1e-1},    {"c", 1e-2},
     {"m", 1e-3},  {"u", 1e-6},  {"n", 1e-9},    {"p", 1e-12},   {"f", 1e-15},   {"a", 1e-18},
     {"z", 1e-21}, {"y", 1e-24}, {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}}};

BaseUnit base_of_one(std::string_view name) {
  for (const Atom& atom : kAtoms) {
    if (name == atom.name) return {std::string(atom.base), atom.factor};
  }
  for (const auto& [prefix, factor] : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    for (const Atom& atom : kAtoms) {
      if (atom.prefixed && name.substr(prefix.size()) == atom.name)
        return {std::string(atom.base), factor * atom.factor};
    }
  }
  return {std::string(name), 1};
}

}  // namespace

BaseUnit base_unit(std::string_view unit) {
  BaseUnit result;
  std::vector<std::string> parts;
  for (const std::string& part : text::split(std::string(unit), '/')) {
    const BaseUnit one = base_of_one(part);
    result.factor = parts.empty() ? one.factor : result.factor / one.factor;
    parts.push_back(one.unit);
  }
  result.unit = text::join(parts, "/");
  return result;
}

}  // namespace scalemark::units
