// SPDX-License-Identifier: Apache-2.0
// Finds paths, mail addresses and addresses of machines in free text, character by character.
#include "common/store/redact_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <regex>

#include <arpa/inet.h>

namespace scalemark::store {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_one_of(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

bool ends_path(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 || is_one_of(c, ":,;'\")]}<>|`");
}

/// Whether an absolute path starts at `at`: at the start of a word, or after the letter of a
/// compiler option (-I/usr/include). A '/' after other letters, digits or paths is a division or
/// part of a relative path.
bool begins_absolute(std::string_view text, std::size_t at) {
  if (text[at] != '/' || at + 1 >= text.size() || ends_path(text[at + 1])) return false;
  if (at == 0) return true;
  const char before = text[at - 1];
  if (is_word(before)) return at >= 2 && text[at - 2] == '-' && (at == 2 || !is_word(text[at - 3]));
  return !is_one_of(before, "/.~*-+)]}");
}

/// Whether a word starts at `at`, so that a path that begins with '~', '.' or a folder may.
bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || (!is_word(text[at - 1]) && !is_one_of(text[at - 1], "/.~*-+)]}@%"));
}

std::string_view path_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && !ends_path(text[end])) ++end;
  return text.substr(at, end - at);
}

/// Whether a path starts at `at` with "~/", "~user/", "./" or "../".
bool begins_relative(std::string_view text, std::size_t at) {
  if (!begins_word(text, at)) return false;
  const std::string_view path = path_at(text, at);
  if (path.starts_with("./") || path.starts_with("../")) return true;
  if (!path.starts_with('~')) return false;
  const std::size_t slash = path.find('/');
  return slash == 1 || (slash != std::string_view::npos && (is_letter(path[1]) || path[1] == '_'));
}

/// A number of numbers, or a rate: "1/2", "2026/11/24", "GB/s".
bool is_fraction(const std::string& path) {
  static const std::regex numbers("[0-9.]+(/[0-9.]+)+"),
      rate(
          "[0-9.]*([KkMGTP]?i?(B|b|bit)|[KMGTP]?(flop|FLOP)s?|img|images|tokens|samples|steps|it|"
          "iterations|messages)/(s|sec|second|step|rank|node|GPU)"),
      none("[nN]/[aA]");
  return std::regex_match(path, numbers) || std::regex_match(path, rate) ||
         std::regex_match(path, none);
}

/// Whether a word of a user, at `at`, is a path or a home folder.
bool begins_any(std::string_view text, std::size_t at) {
  if (!begins_word(text, at) || ends_path(text[at])) return false;
  const std::string_view path = path_at(text, at);
  if (path.size() > 1 && path[0] == '~' && (is_letter(path[1]) || path[1] == '_')) return true;
  const std::size_t sign = path.find_first_of("=([{");  // in "data=a/b" the path starts later
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos || sign < slash) return false;
  if (!is_word(path[0]) && path[0] != '.' && static_cast<unsigned char>(path[0]) < 0x80)
    return false;
  return !is_fraction(std::string(path));
}

/// The user whose home folder a path is; empty if it is none.
std::string_view user_of(std::string_view path) {
  if (path.size() > 1 && path[0] == '~') {
    return path.find('/') == std::string_view::npos ? path.substr(1) : std::string_view();
  }
  for (const std::string_view folder : {"/home/", "/users/", "/Users/", "/u/"}) {
    const std::string_view rest = path.substr(std::min(folder.size(), path.size()));
    if (path.starts_with(folder) && rest.find('/') == std::string_view::npos) return rest;
  }
  return {};
}

std::string shortened(std::string_view path, const Hide& hide) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  if (const std::string_view user = user_of(path); !user.empty())
    return hide(FieldKind::user, std::string(user));
  const bool is_host = path.starts_with("//") && path.find('/', 2) == std::string_view::npos;
  if (is_host) return hide(FieldKind::host, std::string(path.substr(2)));  // of an address: http://
  return std::string(path.substr(path.rfind('/') + 1));
}

template <typename Begins>
std::string cut(std::string_view text, const Hide& hide, const Begins& begins) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (!begins(i)) {
      result += text[i++];
      continue;
    }
    const std::string_view path = path_at(text, i);
    result += shortened(path, hide);
    i += path.size();
  }
  return result;
}

/// Replaces what `length_at` finds at the start of a word: its length, 0 if nothing.
template <typename LengthAt>
std::string hide_words(std::string_view text, FieldKind kind, const Hide& hide,
                       const LengthAt& length_at) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = i == 0 || (!is_word(text[i - 1]) && text[i - 1] != '.');
    const std::size_t length = begins ? length_at(text.substr(i)) : 0;
    result +=
        length > 0 ? hide(kind, std::string(text.substr(i, length))) : std::string(1, text[i]);
    i += std::max<std::size_t>(length, 1);
  }
  return result;
}

/// Length of at least `fewest` groups of `digits` hexadecimal digits; 0 if there are fewer.
std::size_t groups_length(std::string_view text, std::size_t digits, char separator,
                          std::size_t fewest) {
  std::size_t length = 0, groups = 0;
  for (std::size_t at = 0; at + digits <= text.size(); at += digits + 1) {
    const std::string_view group = text.substr(at, digits);
    if (!std::ranges::all_of(group, is_hex)) break;
    length = at + digits, ++groups;
    if (length >= text.size() || text[length] != separator) break;
  }
  const bool ends = length == text.size() || !is_word(text[length]);
  return groups >= fewest && ends ? length : 0;
}

/// Length of a UUID (8-4-4-4-12 digits); 0 if there is none.
std::size_t uuid_length(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (text.size() < kForm.size()) return 0;
  const bool matches =
      std::equal(kForm.begin(), kForm.end(), text.begin(),
                 [](char want, char got) { return want == 'x' ? is_hex(got) : want == got; });
  const bool ends = text.size() == kForm.size() || !is_word(text[kForm.size()]);
  return matches && ends ? kForm.size() : 0;
}

std::size_t identifier_length(std::string_view text) {
  const std::array lengths = {uuid_length(text), groups_length(text, 2, ':', 6),
                              groups_length(text, 2, '-', 6), groups_length(text, 4, ':', 4)};
  return *std::ranges::max_element(lengths);
}

/// Length of an IPv4 address that names one machine or network; 0 if there is none.
std::size_t ipv4_length(std::string_view text) {
  std::size_t at = 0;
  int first = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (at >= text.size() || text[at++] != '.')) return 0;
    int number = 0;
    const char* const begin = text.data() + at;
    const char* const end = std::from_chars(begin, text.data() + text.size(), number).ptr;
    const std::ptrdiff_t digits = end - begin;
    if (digits == 0 || digits > 3 || number < 0 || number > 255) return 0;
    if (*begin == '0' && digits > 1) return 0;
    if (part == 0) first = number;
    at += static_cast<std::size_t>(digits);
  }
  const std::string_view rest = text.substr(at);
  if (!rest.empty() && is_word(rest[0])) return 0;
  if (rest.size() > 1 && rest[0] == '.' && is_digit(rest[1])) return 0;
  const bool is_everywhere = first == 0 || first == 127 || first == 255;
  return is_everywhere ? 0 : at;
}

/// Length of an IPv6 address whose first group has four digits; 0 if there is none.
std::size_t ipv6_length(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_hex(text[end]) || is_one_of(text[end], ":."))) ++end;
  while (end > 0 && is_one_of(text[end - 1], ".")) --end;
  if (end > 1 && text[end - 1] == ':' && text[end - 2] != ':') --end;
  if (text.substr(0, end).find(':') != 4 || (end < text.size() && is_word(text[end]))) return 0;
  in6_addr ignored{};
  return inet_pton(AF_INET6, std::string(text.substr(0, end)).c_str(), &ignored) == 1 ? end : 0;
}

bool is_mailbox(char c) {
  return is_word(c) || is_one_of(c, ".%+-") || static_cast<unsigned char>(c) >= 0x80;
}

bool is_domain(char c) {
  return is_word(c) || is_one_of(c, ".-") || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string cut_paths(std::string_view text, const Hide& hide) {
  return cut(text, hide, [&](std::size_t at) {
    return begins_absolute(text, at) || begins_relative(text, at);
  });
}

std::string cut_all_paths(std::string_view text, const Hide& hide) {
  return cut(text, hide, [&](std::size_t at) {
    return begins_absolute(text, at) || begins_relative(text, at) || begins_any(text, at);
  });
}

std::string hide_mail(std::string_view text, const Hide& hide) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t sign = i;
    while (sign < text.size() && is_mailbox(text[sign])) ++sign;
    std::size_t end = sign + 1;
    while (end < text.size() && is_domain(text[end])) ++end;
    while (end > sign + 1 && is_one_of(text[end - 1], ".-")) --end;
    const bool is_mail = sign > i && sign < text.size() && text[sign] == '@' && end > sign + 1 &&
                         (!is_digit(text[sign + 1]) || ipv4_length(text.substr(sign + 1)) > 0);
    if (!is_mail) end = std::max(sign, i + 1);
    const std::string word(text.substr(i, end - i));
    result += is_mail ? hide(FieldKind::mail, word) : word;
    i = end;
  }
  return result;
}

std::string hide_identifiers(std::string_view text, const Hide& hide) {
  return hide_words(text, FieldKind::device, hide, identifier_length);
}

std::string hide_addresses(std::string_view text, const Hide& hide) {
  return hide_words(text, FieldKind::address, hide, [](std::string_view rest) {
    return std::max(ipv4_length(rest), ipv6_length(rest));
  });
}

}  // namespace scalemark::store
