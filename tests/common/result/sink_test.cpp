// SPDX-License-Identifier: Apache-2.0
// The fan-out reaches every sink, in order.
#include "common/result/sink.hpp"

#include <gtest/gtest.h>

namespace scalemark {
namespace {

class Recorder final : public ResultSink {
 public:
  Recorder(std::string name, std::vector<std::string>& calls)
      : name_(std::move(name)), calls_(calls) {}
  void begin(const Run& run) override { calls_.push_back(name_ + " begin " + run.uuid); }
  void started(const CaseResult& planned) override {
    calls_.push_back(name_ + " started " + planned.key);
  }
  void phase(const CaseResult& current) override {
    calls_.push_back(name_ + " phase " + current.phase);
  }
  void add(const CaseResult& result) override { calls_.push_back(name_ + " add " + result.key); }
  void end(const Run& run) override { calls_.push_back(name_ + " end " + run.uuid); }
  CaseResult keep(const CaseResult& part) override {
    calls_.push_back(name_ + " keep " + part.reason);
    CaseResult all = part;
    all.reason += name_;
    return all;
  }
  void expect(const std::vector<std::size_t>& indices) override {
    calls_.push_back(name_ + " expect " + std::to_string(indices.size()));
  }

 private:
  std::string name_;
  std::vector<std::string>& calls_;
};

TEST(FanoutSink, HandsEveryCallToAllInOrder) {
  std::vector<std::string> calls;
  FanoutSink fanout;
  fanout.attach(std::make_shared<Recorder>("1", calls));
  fanout.attach(std::make_shared<Recorder>("2", calls));
  scalemark::Run run;  // testing::Test has a Run of its own
  run.uuid = std::string("u");
  CaseResult result;
  result.key = std::string("k");
  result.phase = std::string("p");
  fanout.begin(run);
  fanout.started(result);
  fanout.phase(result);
  fanout.add(result);
  fanout.end(run);
  const std::vector<std::string> expected = {"1 begin u", "2 begin u", "1 started k", "2 started k",
                                             "1 phase p", "2 phase p", "1 add k",     "2 add k",
                                             "1 end u",   "2 end u"};
  EXPECT_EQ(calls, expected);
}

TEST(FanoutSink, PassesOnWhatEachKeptAndAddsItToAll) {
  std::vector<std::string> calls;
  FanoutSink fanout;
  fanout.attach(std::make_shared<Recorder>("1", calls));
  fanout.attach(std::make_shared<Recorder>("2", calls));
  CaseResult part;
  part.key = std::string("k");
  part.reason = std::string("x");
  fanout.expect({0, 1, 0});
  EXPECT_EQ(fanout.keep(part).reason, "x12");
  EXPECT_FALSE(fanout.kept(0, true)) << "neither keeps anything";
  fanout.add_kept(part);
  EXPECT_EQ(calls, (std::vector<std::string>{"1 expect 3", "2 expect 3", "1 keep x", "2 keep x1",
                                             "1 add k", "2 add k"}));
}

}  // namespace
}  // namespace scalemark
