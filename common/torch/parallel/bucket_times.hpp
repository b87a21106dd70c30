// SPDX-License-Identifier: Apache-2.0
// When the gradients of each of DDP's buckets are ready: how much of their reduction a backward
// pass can hide.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include "common/torch/parallel/moment.hpp"

namespace scalemark::torch_support {

/// A bucket of gradients, reduced as one message.
struct BucketReady {
  std::int64_t bytes = 0;
  double seconds = 0;  ///< from the start of the backward pass to its last gradient: the median
};

/// Notes the moment of the last gradient of each bucket, by a hook on that parameter.
class BucketTimes {
 public:
  explicit BucketTimes(c10::Device device) : device_(device), start_(device) {}
  ~BucketTimes() { release(); }
  BucketTimes(const BucketTimes&) = delete;
  BucketTimes& operator=(const BucketTimes&) = delete;

  /// From now on these buckets. Their parameters are in the order in which gradients become ready,
  /// as c10d::Reducer leaves them when it has rebuilt its buckets.
  void watch(const std::vector<c10d::GradBucket>& buckets);
  /// Right before a backward pass whose gradients are reduced. The GPU has finished the last one.
  void start();
  /// Of all passes since watch(), in the order of the reductions. Empty without such a pass.
  std::vector<BucketReady> ready();

 private:
  struct Bucket {
    Bucket(c10::Device device, at::Tensor last_parameter, std::int64_t bytes_of_all)
        : last(std::move(last_parameter)), bytes(bytes_of_all), at(device) {}
    at::Tensor last;
    unsigned hook = 0;
    std::int64_t bytes;
    Moment at;
    std::vector<double> seconds;  ///< one per pass
  };

  void release();
  /// Takes the times of the pass that was started last.
  void collect();

  c10::Device device_;
  Moment start_;
  std::vector<std::unique_ptr<Bucket>> buckets_;
  bool is_open_ = false;      ///< between start() and the last bucket
  bool has_moments_ = false;  ///< that are not collected yet
};

}  // namespace scalemark::torch_support
