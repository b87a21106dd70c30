// SPDX-License-Identifier: Apache-2.0
// Golden topic "tokens": token ids, templates, masks, batches and packs against torchtune's.
#include "suites/llm/text/golden_tokens.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/sha256.hpp"
#include "common/base/text.hpp"
#include "suites/llm/text/builtin.hpp"
#include "suites/llm/text/files.hpp"

namespace scalemark::llm {
namespace {

using golden::Field;

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{64} << 20;
constexpr std::int64_t kMaxId = 1 << 24, kMaxRun = 5'000'000;

std::map<std::string, Token> special_ids(const Field& table) {
  std::map<std::string, Token> ids;
  for (const std::string& name : table.keys())
    ids.emplace(name, static_cast<Token>(bounded(table[name], 0, kMaxId)));
  return ids;
}

/// The file's facts on a vocabulary against `content`; whether it is that very file.
bool is_that_file(const Field& facts, const std::string& content, Token merges,
                  const TokenContext& context) {
  if (facts.has("merges")) context.integer(facts["merges"], merges);
  if (facts.has("bytes"))
    context.integer(facts["bytes"], static_cast<std::int64_t>(content.size()));
  const std::string want = facts["sha256"].text(), got = sha256(content);
  context.report.exact(
      facts["sha256"].path(), got == want,
      fmt::format("this one has {}, the file was made with {}", got, text::printable(want, 64)));
  return got == want;
}

void note_facts(const Field& facts) {
  for (const char* name : {"merges", "bytes", "sha256"}) {
    if (facts.has(name)) facts[name].note();
  }
}

/// The vocabulary in `content` with the file's special tokens. What is wrong with it is one item.
GoldenTokenizer load(const Field& file, const Field& facts, const std::string& content,
                     const std::string& origin, const TokenContext& context) {
  GoldenTokenizer result;
  try {
    Vocabulary vocabulary = Vocabulary::parse(content, origin);
    const Token merges = vocabulary.size();
    if (is_that_file(facts, content, merges, context)) {
      result.tokenizer = make_bpe_tokenizer(
          std::move(vocabulary), special_tokens(special_ids(file["special_tokens"]), merges));
    } else {
      result.missing = fmt::format("{} is not the tokenizer that the file was made with", origin);
    }
  } catch (const InputError& error) {
    note_facts(facts);
    context.report.exact(facts.path(), false, text::printable(error.what(), 300));
    result.missing = fmt::format("{} cannot be used", origin);
  }
  return result;
}

GoldenTokenizer load_real(const Field& file, const TokenContext& context) {
  const Field facts = file["tokenizer_file"];
  const std::string& path = context.options.tokenizer;
  if (path.empty()) {
    note_facts(facts);
    return {nullptr, "needs --tokenizer FILE (jobscripts/setup.sh --tokenizer fetches Llama 3's)"};
  }
  std::string content;
  try {
    content = read_file(path, kMaxFileBytes);
  } catch (const InputError& error) {
    note_facts(facts);
    context.report.exact(facts.path(), false, error.what());
    return {nullptr, fmt::format("{} cannot be read", text::printable(path))};
  }
  return load(file, facts, content, path, context);
}

/// The built-in one, or tiktoken_small.model beside the golden file where that is another one.
GoldenTokenizer load_small(const Field& file, const TokenContext& context) {
  if (!file.has("small_tokenizer_file")) return {nullptr, "the file names no small tokenizer"};
  const Field facts = file["small_tokenizer_file"];
  const std::string built_in(small_vocabulary_file());
  const auto beside = std::filesystem::path(context.options.folder) / "tiktoken_small.model";
  std::error_code error;
  if (facts["sha256"].text() == sha256(built_in) || !std::filesystem::exists(beside, error))
    return load(file, facts, built_in, "the built-in vocabulary", context);
  return load(file, facts, read_file(beside, kMaxFileBytes), beside.string(), context);
}

/// Names that both know have the ids that follow the vocabulary.
void check_special_tokens(const Field& file, const TokenContext& context) {
  const Field table = file["special_tokens"];
  const Token first =
      file["tokenizer_file"].has("merges")
          ? static_cast<Token>(bounded(file["tokenizer_file"]["merges"], 256, kMaxId / 2))
          : 128'000;
  const std::map<std::string, Token> ours = llama3_special_tokens(first).ids;
  for (const std::string& name : table.keys()) {
    const std::int64_t want = bounded(table[name], 0, kMaxId);
    const auto known = ours.find(name);
    if (known == ours.end()) continue;  // reserved ones that got a name later
    context.report.exact(table[name].path(), known->second == want,
                         fmt::format("file {}, this build {}", want, known->second));
  }
}

void check_strings(const Field& list, const TokenContext& context) {
  const bool real = context.has(context.real, list.path() + ".ids"),
             small = context.has(context.small, list.path() + ".ids_small");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Field entry = list[i];
    const std::string text = entry["text"].text();
    if (entry.has("utf8_bytes"))
      context.integer(entry["utf8_bytes"], static_cast<std::int64_t>(text.size()));
    const auto compare = [&](const char* name, bool there, const auto& encode) {
      if (!entry.has(name)) return;
      if (there) {
        context.ids(entry[name], encode());
      } else {
        entry[name].note();
      }
    };
    compare("ids", real, [&] { return context.real.tokenizer->encode(text); });
    compare("ids_with_special_tokens", real,
            [&] { return context.real.tokenizer->encode_with_special(text); });
    compare("ids_small", small, [&] { return context.small.tokenizer->encode(text); });
  }
}

void check_long_runs(const Field& list, const TokenContext& context) {
  const bool real = context.has(context.real, list.path());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Field entry = list[i];
    if (entry.has("text")) entry["text"].note();
    const std::string character = entry["character"].text();
    const std::int64_t count = bounded(entry["count"], 0, kMaxRun);
    if (!real) {
      entry["ids"].note();
      continue;
    }
    if (character.size() > 16)
      throw InputError(fmt::format("field '{}.character' is long", entry.path()));
    std::string text;
    for (std::int64_t k = 0; k < count; ++k) text += character;
    context.ids(entry["ids"], context.real.tokenizer->encode(text));
  }
}

void check_tokens(const nlohmann::json& json, const golden::Options& options,
                  golden::Report& report) {
  const Field file(json);
  for (const char* name : {"topic", "versions", "seed"}) {
    if (file.has(name)) file[name].note();
  }
  TokenContext context{options, report, {}, {}};
  context.real = load_real(file, context);
  context.small = load_small(file, context);
  check_special_tokens(file, context);
  if (file.has("strings")) check_strings(file["strings"], context);
  if (file.has("long_runs")) check_long_runs(file["long_runs"], context);
  check_rows(file, context);
  if (file.has("preference")) check_preference(file["preference"], context);
  check_batches(file, context);
  file.report_unknown(report);
}

[[maybe_unused]] const bool kRegistered = golden::register_topic("tokens", check_tokens);

/// Where two lists differ first, for people.
template <typename Number>
std::string first_difference(std::span<const Number> got, const std::vector<std::int64_t>& want) {
  const auto [a, b] = std::ranges::mismatch(got, want);
  if (a == got.end() && b == want.end()) return {};
  const auto shown = [](auto at, auto end) {
    return at == end ? std::string("the end") : fmt::format("{}", *at);
  };
  return fmt::format("{} values, want {}; at {}: {}, want {}", got.size(), want.size(),
                     a - got.begin(), shown(a, got.end()), shown(b, want.end()));
}

}  // namespace

bool TokenContext::has(const GoldenTokenizer& wanted, const std::string& item) const {
  if (wanted.tokenizer) return true;
  report.skip(item, wanted.missing);
  return false;
}

void TokenContext::ids(const Field& want, std::span<const Token> got) const {
  if (want.has("n")) {
    report.digest(want.path(), std::vector<double>(got.begin(), got.end()), want.digest(),
                  kDigestRounding, 0);
    return;
  }
  const std::string difference = first_difference(got, want.integers());
  report.exact(want.path(), difference.empty(), difference);
}

void TokenContext::integers(const Field& want, std::span<const std::int64_t> got) const {
  const std::string difference = first_difference(got, want.integers());
  report.exact(want.path(), difference.empty(), difference);
}

void TokenContext::integer(const Field& want, std::int64_t got) const {
  const std::int64_t value = want.integer();
  report.exact(want.path(), got == value, fmt::format("file {}, this build {}", value, got));
}

std::int64_t bounded(const Field& field, std::int64_t low, std::int64_t high) {
  const std::int64_t value = field.integer();
  if (value < low || value > high)
    throw InputError(
        fmt::format("field '{}' is {}; wanted: {} to {}", field.path(), value, low, high));
  return value;
}

}  // namespace scalemark::llm
