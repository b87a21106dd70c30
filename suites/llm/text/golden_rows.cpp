// SPDX-License-Identifier: Apache-2.0
// Golden topic "tokens": rows, batches and packs.
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "suites/llm/text/data_rows.hpp"
#include "suites/llm/text/golden_tokens.hpp"
#include "suites/llm/text/packing.hpp"

namespace scalemark::llm {
namespace {

using golden::Field;

constexpr std::int64_t kMaxTokens = 1 << 20;

/// Sections of rows are named after their template; what follows the name says what is special.
constexpr std::array<std::pair<const char*, Template>, 4> kSections{
    {{"alpaca", Template::instruct},
     {"grammar", Template::grammar},
     {"summarize", Template::summarize},
     {"chat", Template::chat}}};

Record conversation_of(const Field& turns) {
  Record record;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const std::string from = turns[i][0].text();
    const Role role = from == "system"  ? Role::system
                      : from == "human" ? Role::user
                                        : Role::assistant;
    if (role == Role::assistant && from != "gpt")
      throw InputError(
          fmt::format("field '{}' is neither system, human nor gpt", turns[i][0].path()));
    record.push_back({role, turns[i][1].text(), {}});
  }
  return record;
}

Record record_of(Template form, const Field& row) {
  const auto pair = [](std::string user, std::string context, std::string assistant) {
    return Record{{Role::user, std::move(user), std::move(context)},
                  {Role::assistant, std::move(assistant), {}}};
  };
  switch (form) {
    case Template::instruct:
      return pair(row["instruction"].text(), row["input"].text(), row["output"].text());
    case Template::grammar:
      return pair(row["input"].text(), {}, row["output"].text());
    case Template::summarize:
      return pair(row["dialogue"].text(), {}, row["summary"].text());
    case Template::chat:
      break;
  }
  return conversation_of(row["conversations"]);
}

/// [1 masked or 0 trained, length] pairs in a row.
std::vector<std::int64_t> masked_runs(const TokenRow& row) {
  std::vector<std::int64_t> runs;
  for (const Token label : row.labels) {
    const std::int64_t masked = label == kIgnoredLabel ? 1 : 0;
    if (runs.empty() || runs[runs.size() - 2] != masked) {
      runs.push_back(masked);
      runs.push_back(0);
    }
    ++runs.back();
  }
  return runs;
}

/// Whether each label is its token's id, or masked.
bool labels_fit(const TokenRow& row) {
  if (row.ids.size() != row.labels.size()) return false;
  for (std::size_t i = 0; i < row.ids.size(); ++i) {
    if (row.labels[i] != kIgnoredLabel && row.labels[i] != row.ids[i]) return false;
  }
  return true;
}

/// Fields `prefix`ids, tokens, labels, masked_runs: compared, or only marked without a row.
void check_row(const Field& want, const std::string& prefix, const TokenRow* row,
               const TokenContext& context) {
  if (row == nullptr) {
    for (const char* name : {"ids", "tokens", "labels", "masked_runs"}) {
      if (want.has(prefix + name)) want[prefix + name].note();
    }
    return;
  }
  context.ids(want[prefix + "ids"], row->ids);
  context.integers(want[prefix + "masked_runs"], masked_runs(*row));
  if (want.has(prefix + "tokens"))
    context.integer(want[prefix + "tokens"], static_cast<std::int64_t>(row->ids.size()));
  if (want.has(prefix + "labels"))
    context.integer(want[prefix + "labels"], count_labels(row->labels));
  if (!labels_fit(*row)) context.report.exact(want.path(), false, "a label is not its token");
}

void check_section(const Field& section, Template form, const GoldenTokenizer& wanted,
                   const TokenContext& context) {
  const bool train_on_input = section["train_on_input"].boolean();
  const bool there = context.has(wanted, section.path());
  const Field rows = section["rows"];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Field want = rows[i];
    const Record record = record_of(form, want);
    const std::int64_t most =
        want.has("max_seq_len") ? bounded(want["max_seq_len"], 1, kMaxTokens) : 0;
    if (!there) {
      check_row(want, "", nullptr, context);
      continue;
    }
    const TokenRow row = lay_out(apply_template(form, record, train_on_input), *wanted.tokenizer,
                                 *wanted.tokenizer->encoder(), static_cast<std::size_t>(most));
    check_row(want, "", &row, context);
  }
}

std::vector<TokenRow> alpaca_rows(const Field& file, const Tokenizer& tokenizer) {
  const Field section = file["alpaca"], list = section["rows"];
  const auto encoder = tokenizer.encoder();
  std::vector<TokenRow> rows;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto messages = apply_template(Template::instruct, record_of(Template::instruct, list[i]),
                                         section["train_on_input"].boolean());
    rows.push_back(lay_out(messages, tokenizer, *encoder));
  }
  return rows;
}

void check_padded(const Field& part, const std::vector<TokenRow>& rows,
                  const TokenContext& context) {
  std::vector<const TokenRow*> chosen;
  for (std::size_t i = 0; i < part["rows"].size(); ++i) {
    const std::int64_t row =
        bounded(part["rows"][i], 0, static_cast<std::int64_t>(rows.size()) - 1);
    chosen.push_back(&rows[static_cast<std::size_t>(row)]);
  }
  const Token padding = context.real.tokenizer->special().padding;
  const TokenBatch batch = pad_batch(chosen, padding);
  context.integer(part["width"], static_cast<std::int64_t>(batch.width));
  context.integer(part["padding_id"], padding);
  context.integer(part["label_padding"], kIgnoredLabel);
  context.integer(part["padding_tokens"], batch.padding);
  context.integer(part["labels"], batch.label_count);
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < batch.rows * batch.width; ++i) {
    const std::vector<Token>& ids = chosen[i / batch.width]->ids;
    const std::size_t at = i % batch.width;
    wrong += batch.ids[i] != (at < ids.size() ? ids[at] : padding) ? 1 : 0;
  }
  context.report.exact(part.path() + ".content", wrong == 0, fmt::format("{} wrong ids", wrong));
}

void check_packs(const Field& want, const std::vector<TokenRow>& rows,
                 const TokenContext& context) {
  const auto length = static_cast<std::size_t>(bounded(want["max_seq_len"], 1, kMaxTokens));
  const std::vector<Pack> packs = pack_rows(rows, length, context.real.tokenizer->special().padding,
                                            want["split_across_pack"].boolean());
  const Field lists = want["packs"];
  context.report.exact(lists.path() + ".count", lists.size() == packs.size(),
                       fmt::format("file {}, this build {}", lists.size(), packs.size()));
  std::vector<std::int64_t> used;
  for (std::size_t i = 0; i < packs.size(); ++i) {
    used.push_back(static_cast<std::int64_t>(packs[i].used));
    const std::vector<std::int64_t> documents(packs[i].documents.begin(), packs[i].documents.end());
    if (i < lists.size()) context.integers(lists[i], documents);
  }
  context.integers(want["used_tokens"], used);
  if (want.has("first_pack_positions_digest") && !packs.empty()) {
    const Field digest = want["first_pack_positions_digest"];
    const std::vector<double> positions(packs[0].positions.begin(), packs[0].positions.end());
    context.report.digest(digest.path(), positions, digest.digest(), kDigestRounding, 0);
  }
}

}  // namespace

void check_rows(const Field& file, const TokenContext& context) {
  for (const std::string& name : file.keys()) {
    for (const auto& [start, form] : kSections) {
      if (name != start && !name.starts_with(std::string(start) + "_")) continue;
      check_section(file[name], form,
                    name.ends_with("_small_tokenizer") ? context.small : context.real, context);
    }
  }
}

void check_preference(const Field& part, const TokenContext& context) {
  const std::string name = part["file"].text();
  const bool train_on_input = part["train_on_input"].boolean();
  if (name.empty() || name.find_first_of("/\\") != std::string::npos || name.starts_with('.'))
    throw InputError(fmt::format("field '{}' is no plain file name", part["file"].path()));
  const std::filesystem::path folder(context.options.folder);
  std::filesystem::path data = folder / name;
  std::error_code error;
  if (!std::filesystem::exists(data, error)) data = folder / ".." / "data" / "llm" / name;
  const Field rows = part["rows"];
  bool there = context.has(context.real, part.path());
  if (there && !std::filesystem::exists(data, error)) {
    context.report.skip(part.path(),
                        text::printable(name, 80) + " is not in the folder of the golden file");
    there = false;
  }
  const std::vector<PreferenceRecord> records =
      there ? read_preferences(data) : std::vector<PreferenceRecord>{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Field want = rows[i];
    const std::int64_t last = there ? static_cast<std::int64_t>(records.size()) - 1 : kMaxTokens;
    const auto at = static_cast<std::size_t>(bounded(want["row"], 0, last));
    for (const bool chosen : {true, false}) {
      const std::string prefix = chosen ? "chosen_" : "rejected_";
      if (!there) {
        check_row(want, prefix, nullptr, context);
        continue;
      }
      const Tokenizer& tokenizer = *context.real.tokenizer;
      const Record record = chosen ? chosen_record(records[at]) : rejected_record(records[at]);
      const TokenRow row = lay_out(apply_template(Template::chat, record, train_on_input),
                                   tokenizer, *tokenizer.encoder());
      check_row(want, prefix, &row, context);
    }
  }
}

void check_batches(const Field& file, const TokenContext& context) {
  const bool padded = file.has("padded_batch"), packed = file.has("packing");
  if (!padded && !packed) return;
  if (!context.has(context.real, padded ? "padded_batch" : "packing")) {
    if (padded) file["padded_batch"].note();
    if (packed) file["packing"].note();
    if (padded && packed) context.report.skip("packing", context.real.missing);
    return;
  }
  const std::vector<TokenRow> rows = alpaca_rows(file, *context.real.tokenizer);
  if (padded) check_padded(file["padded_batch"], rows, context);
  if (!packed) return;
  for (std::size_t i = 0; i < file["packing"].size(); ++i)
    check_packs(file["packing"][i], rows, context);
}

}  // namespace scalemark::llm
