// SPDX-License-Identifier: Apache-2.0
// Data sets and templates by name, and what the templates say.
#include "suites/llm/text/conversation.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::llm {
namespace {

std::size_t index_of(const std::string& name, const std::vector<std::string>& names,
                     const char* what) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw UsageError(fmt::format("{} '{}' is unknown; allowed: {}", what, text::printable(name, 40),
                                 text::join(names, ", ")));
  }
  return static_cast<std::size_t>(found - names.begin());
}

/// Alpaca's prompt: one piece, with or without the part that holds the context.
std::string instruct_prompt(const Turn& turn) {
  const bool plain = turn.context.empty();
  return fmt::format(
      "Below is an instruction that describes a task{}. Write a response that appropriately "
      "completes the request.\n\n### Instruction:\n{}\n\n{}### Response:\n",
      plain ? "" : ", paired with an input that provides further context", turn.text,
      plain ? "" : fmt::format("### Input:\n{}\n\n", turn.context));
}

std::vector<std::string> user_pieces(Template form, const Turn& turn) {
  if (form == Template::instruct) return {instruct_prompt(turn)};
  const std::string text = turn.context.empty() ? turn.text : turn.text + "\n\n" + turn.context;
  if (form == Template::grammar)
    return {"Correct this to standard English: ", text, "\n---\nCorrected: "};
  if (form == Template::summarize) return {"Summarize this dialogue:\n", text, "\n---\nSummary:\n"};
  return {text};
}

}  // namespace

const std::vector<std::string>& corpus_names() {
  static const std::vector<std::string> names{"alpaca", "grammar", "samsum", "slimorca",
                                              "preference"};
  return names;
}

const std::vector<std::string>& template_names() {
  static const std::vector<std::string> names{"instruct", "grammar", "summarize", "chat"};
  return names;
}

Corpus parse_corpus(const std::string& name) {
  return static_cast<Corpus>(index_of(name, corpus_names(), "dataset"));
}

Template parse_template(const std::string& name) {
  return static_cast<Template>(index_of(name, template_names(), "template"));
}

std::string_view to_string(Role role) {
  switch (role) {
    case Role::system:
      return "system";
    case Role::user:
      return "user";
    case Role::assistant:
      return "assistant";
  }
  return "user";
}

Template natural_template(Corpus corpus) {
  switch (corpus) {
    case Corpus::alpaca:
      return Template::instruct;
    case Corpus::grammar:
      return Template::grammar;
    case Corpus::samsum:
      return Template::summarize;
    case Corpus::slimorca:
    case Corpus::preference:
      return Template::chat;
  }
  return Template::chat;
}

bool trains_on_input(Corpus corpus) { return corpus == Corpus::alpaca; }

Record chosen_record(const PreferenceRecord& row) {
  Record record = row.prompt;
  record.push_back({Role::assistant, row.chosen, {}});
  return record;
}

Record rejected_record(const PreferenceRecord& row) {
  Record record = row.prompt;
  record.push_back({Role::assistant, row.rejected, {}});
  return record;
}

std::vector<PreferenceRecord> pair_with_other_answers(const std::vector<Record>& records) {
  std::vector<PreferenceRecord> pairs;
  for (const Record& record : records) {
    if (record.empty() || record.back().role != Role::assistant) continue;
    pairs.push_back({{record.begin(), record.end() - 1}, record.back().text, {}});
  }
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return pairs[i].chosen.size(); });
  for (std::size_t k = 0; k < order.size(); ++k) {
    PreferenceRecord& pair = pairs[order[k]];
    pair.rejected = pair.chosen;  // where all answers are alike, nothing else is there
    for (std::size_t step = 1; step < order.size() && pair.rejected == pair.chosen; ++step)
      pair.rejected = pairs[order[(k + step) % order.size()]].chosen;
  }
  return pairs;
}

std::vector<Message> apply_template(Template form, const Record& record, bool train_on_input) {
  std::vector<Message> messages;
  messages.reserve(record.size());
  for (const Turn& turn : record) {
    messages.push_back({.role = turn.role,
                        .pieces = turn.role == Role::user ? user_pieces(form, turn)
                                                          : std::vector<std::string>{turn.text},
                        .masked = turn.role != Role::assistant && !train_on_input});
  }
  return messages;
}

}  // namespace scalemark::llm
