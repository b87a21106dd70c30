// SPDX-License-Identifier: Apache-2.0
// Rows of text before tokenizing: data sets, conversations and templates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scalemark::llm {

enum class Corpus { alpaca, grammar, samsum, slimorca, preference };
enum class Template { instruct, grammar, summarize, chat };
enum class Role { system, user, assistant };

const std::vector<std::string>& corpus_names();
const std::vector<std::string>& template_names();
/// Throw UsageError that lists the names.
Corpus parse_corpus(const std::string& name);
Template parse_template(const std::string& name);
std::string_view to_string(Role role);

/// The template that belongs to a data set: instruct for alpaca, chat for slimorca and preference.
Template natural_template(Corpus corpus);
/// Whether the prompt is in the loss, as torchtune has it: alpaca only.
bool trains_on_input(Corpus corpus);

/// One turn of a row as the file has it. `context` is Alpaca's input, of user turns only.
struct Turn {
  Role role = Role::user;
  std::string text, context;
};
using Record = std::vector<Turn>;

/// An answer that was preferred to another one; the prompt is all turns before it.
struct PreferenceRecord {
  Record prompt;
  std::string chosen, rejected;
};
Record chosen_record(const PreferenceRecord& row);
Record rejected_record(const PreferenceRecord& row);
/// Builds pairs from rows with one answer each. The rejected answer is the one next in length
/// (bytes) from another row with different text. Keeps the order; drops rows without an answer.
std::vector<PreferenceRecord> pair_with_other_answers(const std::vector<Record>& records);

/// One turn with its template: pieces that are stripped and encoded separately.
struct Message {
  Role role = Role::user;
  std::vector<std::string> pieces;
  bool masked = false;  ///< not in the loss
};

/// The template goes around each user turn; the assistant's turns are in the loss, the others only
/// if `train_on_input`.
std::vector<Message> apply_template(Template form, const Record& record, bool train_on_input);

}  // namespace scalemark::llm
