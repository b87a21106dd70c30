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

// Unicode's White_Space, which is what \s means where Llama 3's expression comes from; PCRE2's own
// takes U+180E too. Repeats that nothing after them could shorten are possessive: no way back has
// to be remembered, so long runs need no stack.
#define SCALEMARK_BLANKS \
  R"(\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})"
constexpr std::string_view kExpression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
    R"(|[^\r\n\p{L}\p{N}]?\p{L}++)"
    R"(|\p{N}{1,3}+)"
    R"(| ?[^)" SCALEMARK_BLANKS R"(\p{L}\p{N}]++[\r\n]*+)"
    R"(|[)" SCALEMARK_BLANKS R"(]*[\r\n]++)"
    R"(|[)" SCALEMARK_BLANKS R"(]+(?![^)" SCALEMARK_BLANKS R"(]))"
    R"(|[)" SCALEMARK_BLANKS R"(]++)";
#undef SCALEMARK_BLANKS

constexpr std::size_t kJitStackStart = std::size_t{32} << 10, kJitStackMost = std::size_t{4} << 20;

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
  pcre2_jit_stack* stack = pcre2_jit_stack_create(kJitStackStart, kJitStackMost, nullptr);
};

Splitter::Splitter() : state_(std::make_unique<State>()) {}
Splitter::~Splitter() = default;

std::size_t Splitter::end_of_piece(std::string_view text, std::size_t from) {
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
