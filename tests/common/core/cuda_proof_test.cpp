// SPDX-License-Identifier: Apache-2.0
// Proof files: what is written comes back, what anybody else may have written is refused, and a
// proof counts only for what it is of.
#include "common/core/cuda_aware/cuda_proof.hpp"

#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace scalemark {
namespace {

using State = Finding::State;
using nlohmann::json;

Proof example() {
  Proof proof;
  proof.date = "2026-01-31T12:00:00.000Z";
  proof.subject = {.library = "Open MPI v4.1.4, ident: 4.1.4",
                   .transport = {{"pml", "ucx"}, {"env.UCX_TLS", "rc,cuda"}},
                   .node = "node1",
                   .gpus = {"NVIDIA H200"},
                   .driver = "580.65",
                   .cuda = "runtime 13.0"};
  proof.reach = {.nodes = {"node1", "node2"}, .within_node = true};
  proof.findings[0] = {State::proven, proof.date, ""};
  proof.findings[1] = {State::disproven, proof.date, "8 of 16 B were wrong"};
  proof.findings[2] = {State::not_asked, proof.date, "the probe ended before"};
  proof.findings[3] = {State::proven, proof.date, ""};
  return proof;
}

std::string refusal(const std::string& text) {
  std::string why;
  EXPECT_FALSE(proof_from_json(text, why).has_value());
  return why;
}

/// Why the example is refused after a change.
std::string refusal(const std::function<void(json&)>& change) {
  json object = json::parse(to_json(example()));
  change(object);
  return refusal(object.dump());
}

TEST(CudaProof, ComesBackAsItWasWritten) {
  std::string why;
  const std::optional<Proof> back = proof_from_json(to_json(example()), why);
  ASSERT_TRUE(back) << why;
  EXPECT_EQ(back->date, example().date);
  EXPECT_EQ(back->subject, example().subject);
  EXPECT_EQ(back->reach, example().reach);
  EXPECT_EQ(back->findings, example().findings);
}

TEST(CudaProof, TextsThatAreNoProofAreRefusedInOneLine) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"), std::string("7"),
        std::string("{\"format\": 1}"), std::string(500'000, '['), std::string(64, '\0'),
        std::string("\xff\xfe{}"), std::string((1U << 20U) + 1, ' ')}) {
    const std::string why = refusal(text);
    EXPECT_NE(why, "") << text.substr(0, 20);
    EXPECT_EQ(why.find('\n'), std::string::npos);
  }
}

TEST(CudaProof, EachFieldIsChecked) {
  const std::pair<const char*, std::function<void(json&)>> changes[] = {
      {"version 1", [](json& o) { o["version"] = 2; }},
      {"version 1", [](json& o) { o["format"] = "another"; }},
      {"version", [](json& o) { o.erase("version"); }},
      {"date", [](json& o) { o["date"] = "yesterday"; }},
      {"date", [](json& o) { o["date"] = 5; }},
      {"object", [](json& o) { o["subject"] = "node1"; }},
      {"library", [](json& o) { o["subject"].erase("library"); }},
      {"library", [](json& o) { o["subject"]["library"] = std::string(5000, 'x'); }},
      {"library", [](json& o) { o["subject"]["library"] = "\x1b[31mred"; }},
      {"transport", [](json& o) { o["subject"]["transport"] = json::array(); }},
      {"transport", [](json& o) { o["subject"]["transport"]["pml"] = 3; }},
      {"gpus", [](json& o) { o["subject"]["gpus"] = "H200"; }},
      {"gpus",
       [](json& o) {
         o["subject"]["gpus"] = {1, 2};
       }},
      {"nodes", [](json& o) { o["nodes"] = json::object(); }},
      {"nodes", [](json& o) { o["nodes"] = std::vector<std::string>(30'000, "n"); }},
      {"within_node", [](json& o) { o["within_node"] = "yes"; }},
      {"messages", [](json& o) { o["findings"].erase("messages"); }},
      {"state", [](json& o) { o["findings"]["messages"]["state"] = "surely"; }},
      {"state", [](json& o) { o["findings"]["messages"]["state"] = 1; }},
      {"reason",
       [](json& o) {
         o["findings"]["messages"]["reason"] = {{"a", 1}};
       }},
      {"object", [](json& o) { o["findings"]["one_sided"] = nullptr; }}};
  for (const auto& [what, change] : changes)
    EXPECT_NE(refusal(change).find(what), std::string::npos) << what << ": " << refusal(change);
  // What a later version adds does not matter.
  json more = json::parse(to_json(example()));
  more["later"] = 1;
  more["findings"]["later_use"] = {{"state", "unheard of"}};
  std::string why;
  EXPECT_TRUE(proof_from_json(more.dump(), why)) << why;
}

TEST(CudaProof, OfAnotherSubjectIsNotBelieved) {
  const Proof proof = example();
  EXPECT_EQ(findings_for(proof, proof.subject, proof.reach), proof.findings);
  const std::function<void(ProofSubject&)> changes[] = {
      [](ProofSubject& s) { s.library += " rebuilt"; },
      [](ProofSubject& s) { s.transport["pml"] = "ob1"; },
      [](ProofSubject& s) { s.transport.erase("env.UCX_TLS"); },
      [](ProofSubject& s) { s.node = "node3"; },
      [](ProofSubject& s) { s.gpus = {"NVIDIA A100"}; },
      [](ProofSubject& s) { s.driver = "590.00"; },
      [](ProofSubject& s) { s.cuda = "runtime 13.1"; }};
  for (const auto& change : changes) {
    ProofSubject other = proof.subject;
    change(other);
    for (const Finding& one : findings_for(proof, other, proof.reach)) {
      EXPECT_EQ(one.state, State::not_asked);
      EXPECT_NE(one.reason.find("another"), std::string::npos);
    }
    EXPECT_NE(proof_name(other), proof_name(proof.subject));
  }
}

TEST(CudaProof, CountsOnlyAsFarAsItReached) {
  Proof proof = example();
  const auto proves = [&](const ProofReach& reach) {
    return findings_for(proof, proof.subject, reach)[0].state == State::proven;
  };
  EXPECT_TRUE(proves({.nodes = {"node1", "node2"}, .within_node = true}));
  EXPECT_TRUE(proves({.nodes = {"node1"}, .within_node = true}));
  EXPECT_TRUE(proves({.nodes = {"node1", "node2"}, .within_node = false}));
  EXPECT_FALSE(proves({.nodes = {"node1", "node3"}, .within_node = true}));
  proof.reach.within_node = false;
  EXPECT_FALSE(proves({.nodes = {"node1"}, .within_node = true}));
  EXPECT_TRUE(proves({.nodes = {"node1", "node2"}, .within_node = false}));
}

TEST(CudaProof, NodesMayStandInAnyOrder) {
  json object = json::parse(to_json(example()));
  object["nodes"] = {"node2", "node1"};
  std::string why;
  const std::optional<Proof> proof = proof_from_json(object.dump(), why);
  ASSERT_TRUE(proof) << why;
  EXPECT_EQ(findings_for(*proof, proof->subject, {.nodes = {"node1", "node2"}})[0].state,
            State::proven);
}

class ProofFile : public testing::Test {
 protected:
  ProofFile() {
    std::string form = std::filesystem::temp_directory_path() / "scalemark-test-XXXXXX";
    folder_ = mkdtemp(form.data());
  }
  ~ProofFile() override { std::filesystem::remove_all(folder_); }
  std::optional<Proof> read(const std::string& name) {
    why_.clear();
    return read_proof(folder_ / name, why_);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::filesystem::path folder_;
  std::string why_;
};

TEST_F(ProofFile, ThereOrNot) {
  EXPECT_FALSE(read("none.json"));
  EXPECT_EQ(why_, "") << "no file is no mistake";
  write("good.json", to_json(example()));
  ASSERT_TRUE(read("good.json")) << why_;
  EXPECT_EQ(read("good.json")->subject, example().subject);
}

TEST_F(ProofFile, WhatIsNoPlainSmallFileIsNotRead) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(folder_ / "folder");
  write("large", std::string((1U << 20U) + 1, ' '));
  write("broken", to_json(example()).substr(0, 100));
  for (const char* name : {"pipe", "folder", "large", "broken"}) {
    EXPECT_FALSE(read(name)) << name;
    EXPECT_NE(why_, "") << name;
  }
}

}  // namespace
}  // namespace scalemark
