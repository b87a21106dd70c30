// SPDX-License-Identifier: Apache-2.0
// The split expression in PCRE2.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "suites/llm/text/splitter.hpp"

#include <array>
#include <string>

#include <fmt/format.h>
#include <pcre2.h>

#include "common/base/error.hpp"

namespace scalemark::llm {
namespace {

// What \s, \p{L} and \p{N} mean where Llama 3's expression comes from. PCRE2's own \s takes U+180E
// too, and its letters and numbers are those of the Unicode that it was made with: the ones that
// came with Unicode 15 and 16 stand here. Repeats that nothing after them could shorten are
// possessive: no way back has to be remembered, so long runs need no stack.
#define SCALEMARK_BLANKS \
  R"(\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})"
#define SCALEMARK_LETTERS                                                           \
  R"(\p{L})"                                                                        \
  R"(\x{1c89}-\x{1c8a}\x{a7cb}-\x{a7cd}\x{a7da}-\x{a7dc}\x{105c0}-\x{105f3})"       \
  R"(\x{10d4a}-\x{10d65}\x{10d6f}-\x{10d85}\x{10ec2}-\x{10ec4}\x{1123f}-\x{11240})" \
  R"(\x{11380}-\x{11389}\x{1138b}\x{1138e}\x{11390}-\x{113b5}\x{113b7}\x{113d1})"   \
  R"(\x{113d3}\x{11bc0}-\x{11be0}\x{11f02}\x{11f04}-\x{11f10}\x{11f12}-\x{11f33})"  \
  R"(\x{1342f}\x{13441}-\x{13446}\x{13460}-\x{143fa}\x{16100}-\x{1611d})"           \
  R"(\x{16d40}-\x{16d6c}\x{18cff}\x{1b132}\x{1b155}\x{1df25}-\x{1df2a})"            \
  R"(\x{1e030}-\x{1e06d}\x{1e4d0}-\x{1e4eb}\x{1e5d0}-\x{1e5ed}\x{1e5f0}\x{2b739})"  \
  R"(\x{2ebf0}-\x{2ee5d}\x{31350}-\x{323af})"
#define SCALEMARK_NUMBERS                                                           \
  R"(\p{N})"                                                                        \
  R"(\x{10d40}-\x{10d49}\x{116d0}-\x{116e3}\x{11bf0}-\x{11bf9}\x{11f50}-\x{11f59})" \
  R"(\x{16130}-\x{16139}\x{16d70}-\x{16d79}\x{1ccf0}-\x{1ccf9}\x{1d2c0}-\x{1d2d3})" \
  R"(\x{1e4f0}-\x{1e4f9}\x{1e5f1}-\x{1e5fa})"
constexpr std::string_view kExpression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
    R"(|[^\r\n)" SCALEMARK_LETTERS SCALEMARK_NUMBERS R"(]?[)" SCALEMARK_LETTERS R"(]++)"
    R"(|[)" SCALEMARK_NUMBERS R"(]{1,3}+)"
    R"(| ?[^)" SCALEMARK_BLANKS SCALEMARK_LETTERS SCALEMARK_NUMBERS R"(]++[\r\n]*+)"
    R"(|[)" SCALEMARK_BLANKS R"(]*[\r\n]++)"
    R"(|[)" SCALEMARK_BLANKS R"(]+(?![^)" SCALEMARK_BLANKS R"(]))"
    R"(|[)" SCALEMARK_BLANKS R"(]++)";
#undef SCALEMARK_NUMBERS
#undef SCALEMARK_LETTERS
#undef SCALEMARK_BLANKS

constexpr std::size_t kJitStackStart = std::size_t{32} << 10, kJitStackMax = std::size_t{4} << 20;

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// End of the most common pieces, found without the expression: ASCII letters, perhaps behind one
/// space, up to ASCII that is no letter. `from` if it is another piece.
std::size_t end_of_plain_word(std::string_view text, std::size_t from) {
  std::size_t at = from + (text[from] == ' ' ? 1 : 0);
  const std::size_t first = at;
  while (at < text.size() && is_ascii_letter(text[at])) ++at;
  if (at == first || (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80))
    return from;
  return at;
}

std::string message_of(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

struct Expression {
  pcre2_code* code = nullptr;
  bool compiled = false;  ///< to machine code

  Expression() {
    int error = 0;
    PCRE2_SIZE at = 0;
    code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(kExpression.data()), kExpression.size(),
                         PCRE2_UTF | PCRE2_ANCHORED, &error, &at, nullptr);
    if (code == nullptr) {
      throw Error(
          fmt::format("PCRE2 refuses the split expression at {}: {}", at, message_of(error)));
    }
    compiled = pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0;
  }
  ~Expression() { pcre2_code_free(code); }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
};

const Expression& expression() {
  static const Expression shared;
  return shared;
}

}  // namespace

struct Splitter::State {
  State() {
    if (match == nullptr || context == nullptr || stack == nullptr)
      throw OutOfMemory("PCRE2 got no memory");
    pcre2_jit_stack_assign(context, nullptr, stack);
  }
  ~State() {
    pcre2_match_data_free(match);
    pcre2_match_context_free(context);
    pcre2_jit_stack_free(stack);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const Expression& shared = expression();
  pcre2_match_data* match = pcre2_match_data_create(1, nullptr);
  pcre2_match_context* context = pcre2_match_context_create(nullptr);
  pcre2_jit_stack* stack = pcre2_jit_stack_create(kJitStackStart, kJitStackMax, nullptr);
};

Splitter::Splitter() : state_(std::make_unique<State>()) {}
Splitter::~Splitter() = default;

std::size_t Splitter::end_of_piece(std::string_view text, std::size_t from) {
  if (const std::size_t end = end_of_plain_word(text, from); end > from) return end;
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  const int found = state_->shared.compiled
                        ? pcre2_jit_match(state_->shared.code, subject, text.size(), from,
                                          PCRE2_NO_UTF_CHECK, state_->match, state_->context)
                        : pcre2_match(state_->shared.code, subject, text.size(), from,
                                      PCRE2_NO_UTF_CHECK, state_->match, state_->context);
  if (found < 0) {
    throw Error(fmt::format("PCRE2 could not split a text of {} bytes at byte {}: {}", text.size(),
                            from, message_of(found)));
  }
  return pcre2_get_ovector_pointer(state_->match)[1];
}

}  // namespace scalemark::llm
