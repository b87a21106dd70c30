// SPDX-License-Identifier: Apache-2.0
// Checking golden files of tests/golden, whole or changed.
#pragma once

#include <cstddef>
#include <fstream>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/golden/report.hpp"

namespace scalemark {

inline nlohmann::json golden_file(const std::string& name) {
  std::ifstream stream(std::string(SCALEMARK_SOURCE_DIR) + "/tests/golden/" + name);
  return nlohmann::json::parse(stream);
}

inline golden::Report golden_report(const std::string& topic, const nlohmann::json& file,
                                    const golden::Options& options = {}) {
  golden::Report report(topic + ".json");
  golden::topics().at(topic)(file, options, report);
  return report;
}

inline std::size_t count(const golden::Report& report, golden::Outcome outcome,
                         const std::string& item = {}) {
  std::size_t number = 0;
  for (const golden::Item& each : report.items()) {
    if (each.outcome == outcome && each.item.rfind(item, 0) == 0) ++number;
  }
  return number;
}

inline void expect_all_pass(const golden::Report& report, std::size_t at_least) {
  for (const golden::Item& item : report.items()) {
    EXPECT_EQ(item.outcome, golden::Outcome::pass)
        << item.item << ": " << item.reason << " (error " << item.error << ", tolerance "
        << item.tolerance << ")";
  }
  EXPECT_GE(count(report, golden::Outcome::pass), at_least);
}

/// A change of what is computed, or of one wanted value, must be noticed where it matters.
struct Planted {
  const char* name;
  std::function<void(nlohmann::json&)> change;
  const char* fails;   ///< an item that fails
  const char* passes;  ///< an item that still passes
};

inline void expect_noticed(const Planted& error, const golden::Report& report) {
  EXPECT_GE(count(report, golden::Outcome::fail, error.fails), 1U) << error.name;
  EXPECT_GE(count(report, golden::Outcome::pass, error.passes), 1U) << error.name;
  EXPECT_EQ(count(report, golden::Outcome::fail, error.passes), 0U) << error.name;
}

/// The check of a file that was changed throws an InputError that holds `text`.
inline void expect_refused(const std::string& topic, nlohmann::json file,
                           const std::function<void(nlohmann::json&)>& change,
                           const std::string& text) {
  change(file);
  EXPECT_THAT([&] { golden_report(topic, file); },
              ::testing::ThrowsMessage<InputError>(::testing::HasSubstr(text)))
      << text;
}

}  // namespace scalemark
