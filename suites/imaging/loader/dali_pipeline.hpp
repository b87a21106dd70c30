// SPDX-License-Identifier: Apache-2.0
// A pipeline of DALI: batches of pictures in one size become fp32 in another, in three channels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace scalemark::imaging {

/// Why DALI cannot be used here; empty if it can. Loads its libraries, and asks it for `gpu` (CUDA
/// device) if one is given.
std::string why_no_dali(std::optional<int> gpu);

struct DaliOptions {
  std::int64_t batch = 1;
  std::int64_t channels = 1, rows = 28, columns = 28;  ///< of a picture; 1 or 3 channels
  std::int64_t image = 28;                             ///< rows and columns of the result
  bool bytes = true;         ///< pixels are bytes to be normalised, else fp32 to be left as it is
  double mean = 0, std = 1;  ///< of pixels in [0, 1]
  bool channels_last =
      false;            ///< of the result: [batch, image, image, 3] or [batch, 3, image, image]
  bool pinned = false;  ///< pixels lie in pinned memory
  int threads = 1;
  int prefetch = 2;        ///< batches that may be under way
  std::optional<int> gpu;  ///< CUDA device that resizes and normalises; without one the threads do
};

/// Batches come out in the order in which they went in. After an exception there is nothing more to
/// take: every call throws it again.
class DaliPipeline {
 public:
  /// Throws Unavailable where DALI's libraries cannot be loaded.
  explicit DaliPipeline(const DaliOptions& options);
  /// Waits for batches that are under way.
  ~DaliPipeline();
  DaliPipeline(const DaliPipeline&) = delete;
  DaliPipeline& operator=(const DaliPipeline&) = delete;

  /// Begins a batch. `pixels` [batch, channels, rows, columns] on the host must stay as they are
  /// until it was taken; on a GPU until `stream` has come that far.
  void feed(const void* pixels);
  /// Waits for the oldest batch that was fed. On a GPU it waits for the host's part; `stream`
  /// (cudaStream_t) waits for the rest, and must be done with the result before that is given up.
  /// The result may outlive the pipeline.
  std::shared_ptr<float> take(void* stream);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scalemark::imaging
