// SPDX-License-Identifier: Apache-2.0
// Field by field comparison of runs, so that a test says which field was lost.
#pragma once

#include <gtest/gtest.h>

#include "common/result/model.hpp"

namespace scalemark::test {

inline void expect_equal(const Metric& got, const Metric& want) {
  SCOPED_TRACE(want.name);
  EXPECT_EQ(got.name, want.name);
  EXPECT_EQ(got.unit, want.unit);
  EXPECT_EQ(got.better, want.better);
  EXPECT_EQ(got.kind, want.kind);
  EXPECT_EQ(got.rank_reduce, want.rank_reduce);
  EXPECT_EQ(got.formula, want.formula);
  EXPECT_EQ(got.source, want.source);
  EXPECT_EQ(got.numerator, want.numerator);
  EXPECT_EQ(got.samples.ranks, want.samples.ranks);
  EXPECT_EQ(got.samples.iterations, want.samples.iterations);
  EXPECT_EQ(got.samples.values, want.samples.values);
  EXPECT_EQ(got.samples.scale, want.samples.scale);
  EXPECT_EQ(got.samples.inner, want.samples.inner);
  EXPECT_EQ(got.samples.warmup, want.samples.warmup);
  EXPECT_EQ(got.samples.flags, want.samples.flags);
  EXPECT_EQ(got.samples.t0, want.samples.t0);
}

inline void expect_equal(const Table& got, const Table& want) {
  ASSERT_EQ(got.columns.size(), want.columns.size());
  for (std::size_t i = 0; i < want.columns.size(); ++i) {
    EXPECT_EQ(got.columns[i].name, want.columns[i].name);
    EXPECT_EQ(got.columns[i].unit, want.columns[i].unit);
    EXPECT_EQ(got.columns[i].values, want.columns[i].values);
  }
}

inline void expect_equal(const CaseResult& got, const CaseResult& want) {
  SCOPED_TRACE(want.key);
  EXPECT_EQ(got.index, want.index);
  EXPECT_EQ(got.name, want.name);
  EXPECT_EQ(got.params, want.params);
  EXPECT_EQ(got.key, want.key);
  EXPECT_EQ(got.config_hash, want.config_hash);
  EXPECT_EQ(got.status, want.status);
  EXPECT_EQ(got.reason, want.reason);
  EXPECT_EQ(got.phase, want.phase);
  EXPECT_EQ(got.stop_reason, want.stop_reason);
  EXPECT_EQ(got.primary_metric, want.primary_metric);
  EXPECT_EQ(got.verification.done, want.verification.done);
  EXPECT_EQ(got.verification.checked, want.verification.checked);
  EXPECT_EQ(got.verification.wrong, want.verification.wrong);
  EXPECT_EQ(got.verification.rule, want.verification.rule);
  EXPECT_EQ(got.facts, want.facts);
  EXPECT_EQ(got.started, want.started);
  EXPECT_EQ(got.stopped, want.stopped);
  EXPECT_EQ(got.predicted_memory, want.predicted_memory);
  ASSERT_EQ(got.tables.size(), want.tables.size());
  for (const auto& [name, table] : want.tables) {
    ASSERT_TRUE(got.tables.contains(name)) << name;
    expect_equal(got.tables.at(name), table);
  }
  ASSERT_EQ(got.metrics.size(), want.metrics.size());
  for (std::size_t i = 0; i < want.metrics.size(); ++i)
    expect_equal(got.metrics[i], want.metrics[i]);
}

inline void expect_equal(const RankInfo& got, const RankInfo& want) {
  EXPECT_EQ(got.rank, want.rank);
  EXPECT_EQ(got.node, want.node);
  EXPECT_EQ(got.local_rank, want.local_rank);
  EXPECT_EQ(got.cpuset, want.cpuset);
  EXPECT_EQ(got.numa, want.numa);
  EXPECT_EQ(got.gpu_uuid, want.gpu_uuid);
  EXPECT_EQ(got.gpu_pci, want.gpu_pci);
  EXPECT_EQ(got.nic, want.nic);
}

inline void expect_equal(const Run& got, const Run& want) {
  EXPECT_EQ(got.format_version, want.format_version);
  EXPECT_EQ(got.has_digests, want.has_digests);
  EXPECT_EQ(got.producer, want.producer);
  EXPECT_EQ(got.uuid, want.uuid);
  EXPECT_EQ(got.campaign, want.campaign);
  EXPECT_EQ(got.created, want.created);
  EXPECT_EQ(got.stopped, want.stopped);
  EXPECT_EQ(got.complete, want.complete);
  EXPECT_EQ(got.exit_reason, want.exit_reason);
  EXPECT_EQ(got.command_line, want.command_line);
  EXPECT_EQ(got.config, want.config);
  EXPECT_EQ(got.seed, want.seed);
  EXPECT_EQ(got.repeat, want.repeat);
  EXPECT_EQ(got.tags, want.tags);
  EXPECT_EQ(got.scheduler, want.scheduler);
  EXPECT_EQ(got.planned, want.planned);
  EXPECT_EQ(got.environment.common, want.environment.common);
  EXPECT_EQ(got.environment.differs, want.environment.differs);
  EXPECT_EQ(got.environment.raw, want.environment.raw);
  EXPECT_EQ(got.machines, want.machines);
  ASSERT_EQ(got.ranks.size(), want.ranks.size());
  for (std::size_t i = 0; i < want.ranks.size(); ++i) expect_equal(got.ranks[i], want.ranks[i]);
  ASSERT_EQ(got.cases.size(), want.cases.size());
  for (std::size_t i = 0; i < want.cases.size(); ++i) expect_equal(got.cases[i], want.cases[i]);
}

}  // namespace scalemark::test
