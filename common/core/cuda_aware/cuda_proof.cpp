// SPDX-License-Identifier: Apache-2.0
// A proof as JSON, read as something that anybody may have written.
#include "common/core/cuda_aware/cuda_proof.hpp"

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/result/value.hpp"

namespace scalemark {
namespace {

using nlohmann::json;

constexpr auto kReplace = json::error_handler_t::replace;  // of what is no UTF-8
constexpr const char* kProofFormat = "scalemark-cuda-proof";
constexpr std::size_t kMaxProofBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxProofText = 4096, kMaxProofEntries = 20'000;

// In the order of the enumeration.
constexpr std::array<std::string_view, 3> kStateNames = {"not_asked", "proven", "disproven"};

json subject_json(const ProofSubject& subject) {
  return {{"library", subject.library}, {"transport", subject.transport}, {"node", subject.node},
          {"gpus", subject.gpus},       {"driver", subject.driver},       {"cuda", subject.cuda}};
}

/// Fields of one object. Throws InputError for one that is missing or not what it should be.
class ProofFields {
 public:
  explicit ProofFields(const json& object) : object_(object) {
    if (!object.is_object()) throw InputError("an object is expected");
  }
  const json& at(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) throw InputError(fmt::format("there is no {}", name));
    return *found;
  }
  std::string text(const char* name) const { return text_in(at(name), name); }
  bool flag(const char* name) const {
    if (!at(name).is_boolean()) throw InputError(fmt::format("{} is neither true nor false", name));
    return at(name).get<bool>();
  }
  std::vector<std::string> texts(const char* name) const {
    const json& list = at(name);
    if (!list.is_array() || list.size() > kMaxProofEntries)
      throw InputError(fmt::format("{} is not a list of at most {}", name, kMaxProofEntries));
    std::vector<std::string> result;
    for (const json& one : list) result.push_back(text_in(one, name));
    return result;
  }
  std::map<std::string, std::string> map(const char* name) const {
    const json& object = at(name);
    if (!object.is_object() || object.size() > kMaxProofEntries)
      throw InputError(fmt::format("{} is not an object of at most {}", name, kMaxProofEntries));
    std::map<std::string, std::string> result;
    for (const auto& [key, value] : object.items()) result[key] = text_in(value, name);
    return result;
  }

 private:
  static std::string text_in(const json& value, const char* name) {
    if (!value.is_string()) throw InputError(fmt::format("{} is not a text", name));
    auto result = value.get<std::string>();
    if (result.size() > kMaxProofText || text::printable(result) != result)
      throw InputError(fmt::format("{} is too long, or not printable", name));
    return result;
  }

  const json& object_;
};

Finding finding_from(const json& object, const std::string& date) {
  const ProofFields fields(object);
  const auto state = std::ranges::find(kStateNames, fields.text("state"));
  if (state == kStateNames.end()) throw InputError("state is not known");
  return {static_cast<Finding::State>(state - kStateNames.begin()), date, fields.text("reason")};
}

Proof proof_from(const json& object) {
  const ProofFields fields(object);
  if (fields.text("format") != kProofFormat || fields.at("version") != 1)
    throw InputError(fmt::format("this is not a {} of version 1", kProofFormat));
  Proof proof;
  proof.date = fields.text("date");
  if (!utc_seconds(proof.date)) throw InputError("date is not a time");
  const ProofFields subject(fields.at("subject"));
  proof.subject = {.library = subject.text("library"),
                   .transport = subject.map("transport"),
                   .node = subject.text("node"),
                   .gpus = subject.texts("gpus"),
                   .driver = subject.text("driver"),
                   .cuda = subject.text("cuda")};
  proof.reach = {.nodes = fields.texts("nodes"), .within_node = fields.flag("within_node")};
  std::ranges::sort(proof.reach.nodes);
  const ProofFields findings(fields.at("findings"));
  for (const collective::DeviceUse use : collective::kDeviceUses)
    proof.findings[static_cast<std::size_t>(use)] =
        finding_from(findings.at(std::string(to_string(use)).c_str()), proof.date);
  return proof;
}

Findings nothing_asked(const std::string& reason) {
  Findings result;
  for (Finding& one : result) one.reason = reason;
  return result;
}

}  // namespace

std::string proof_name(const ProofSubject& subject) {
  return fmt::format("cuda-aware-{}.json",
                     hash_text(subject_json(subject).dump(-1, ' ', false, kReplace)));
}

std::string to_json(const Proof& proof) {
  json findings = json::object();
  for (const collective::DeviceUse use : collective::kDeviceUses) {
    const Finding& one = proof.findings[static_cast<std::size_t>(use)];
    findings[std::string(to_string(use))] = {
        {"state", kStateNames.at(static_cast<std::size_t>(one.state))}, {"reason", one.reason}};
  }
  const json object = {{"format", kProofFormat},     {"version", 1},
                       {"date", proof.date},         {"subject", subject_json(proof.subject)},
                       {"nodes", proof.reach.nodes}, {"within_node", proof.reach.within_node},
                       {"findings", findings}};
  return object.dump(2, ' ', false, kReplace) + "\n";
}

std::optional<Proof> proof_from_json(std::string_view text, std::string& why) {
  if (text.size() > kMaxProofBytes) {
    why = fmt::format("it is larger than {} B", kMaxProofBytes);
    return std::nullopt;
  }
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    if (object.is_discarded()) throw InputError("it is not JSON");
    return proof_from(object);
  } catch (const InputError& error) {
    why = error.what();
    return std::nullopt;
  }
}

std::optional<Proof> read_proof(const std::filesystem::path& file, std::string& why) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  struct stat facts = {};
  std::string text;
  const bool plain = fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
                     facts.st_size <= static_cast<off_t>(kMaxProofBytes);
  // One byte more shows a file that grows.
  text.resize(plain ? kMaxProofBytes + 1 : 0);
  std::size_t length = 0;
  for (ssize_t got = 1; got > 0 && length < text.size(); length += static_cast<std::size_t>(got))
    got = std::max<ssize_t>(read(descriptor, text.data() + length, text.size() - length), 0);
  close(descriptor);
  text.resize(length);
  if (!plain) {
    why = fmt::format("it is not a file of at most {} B", kMaxProofBytes);
    return std::nullopt;
  }
  return proof_from_json(text, why);
}

Findings findings_for(const Proof& proof, const ProofSubject& subject, const ProofReach& reach) {
  if (proof.subject != subject)
    return nothing_asked("the proof is from another MPI library, transport, host, GPU or driver");
  if (!std::ranges::includes(proof.reach.nodes, reach.nodes))
    return nothing_asked("the proof does not cover all nodes of this job");
  if (reach.within_node && !proof.reach.within_node)
    return nothing_asked("the proof does not cover two ranks on one node");
  return proof.findings;
}

}  // namespace scalemark
