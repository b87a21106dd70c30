// SPDX-License-Identifier: Apache-2.0
// Hooks on the last parameter of each bucket.
#include "common/torch/parallel/bucket_times.hpp"

#include "common/stats/summary.hpp"

namespace scalemark::torch_support {

void BucketTimes::watch(const std::vector<c10d::GradBucket>& buckets) {
  release();
  for (const c10d::GradBucket& bucket : buckets) {
    const std::size_t index = buckets_.size();
    auto watched = std::make_unique<Bucket>(device_, bucket.getParameters().back(),
                                            static_cast<std::int64_t>(bucket.getBuffer().nbytes()));
    watched->hook = watched->last.register_hook([this, index](const at::Tensor&) {
      if (!is_open_) return;
      buckets_[index]->at.note();
      if (index + 1 == buckets_.size()) is_open_ = false, has_moments_ = true;
    });
    buckets_.push_back(std::move(watched));
  }
}

void BucketTimes::start() {
  collect();
  is_open_ = true;
  start_.note();
}

std::vector<BucketReady> BucketTimes::ready() {
  collect();
  std::vector<BucketReady> all;
  for (const auto& bucket : buckets_) {
    if (!bucket->seconds.empty())
      all.push_back({.bytes = bucket->bytes, .seconds = stats::median(bucket->seconds)});
  }
  return all;
}

void BucketTimes::collect() {
  if (!has_moments_) return;
  for (const auto& bucket : buckets_) bucket->seconds.push_back(bucket->at.since(start_));
  has_moments_ = false;
}

void BucketTimes::release() {
  for (const auto& bucket : buckets_) bucket->last.remove_hook(bucket->hook);
  buckets_.clear();
  is_open_ = has_moments_ = false;
}

}  // namespace scalemark::torch_support
