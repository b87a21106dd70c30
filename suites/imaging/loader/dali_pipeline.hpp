// SPDX-License-Identifier: Apache-2.0
// A DALI pipeline: reads and decodes pictures if they are in files, resizes batches of them and
// converts them to fp32 with three channels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace scalemark::imaging {

/// Reason why DALI cannot be used here, or (`files`) cannot decode files; empty if it can. Loads
/// its libraries and creates a pipeline on CUDA device `gpu`, if given.
std::string why_no_dali(std::optional<int> gpu, bool files = false);

struct DaliOptions {
  bool files = false;  ///< of colour PNG pictures, which DALI reads and decodes: feed_files()
  std::int64_t batch = 1;
  std::int64_t channels = 1, rows = 28, columns = 28;  ///< of a picture; 1 or 3 channels
  std::int64_t image = 28;                             ///< rows and columns of the result
  bool bytes = true;         ///< pixels are bytes to be normalised; else fp32, left unchanged
  double mean = 0, std = 1;  ///< of pixels in [0, 1]
  bool channels_last =
      false;            ///< of the result: [batch, image, image, 3] or [batch, 3, image, image]
  bool pinned = false;  ///< pixels are in pinned memory
  int threads = 1;
  int prefetch = 2;        ///< maximum number of batches in flight
  std::optional<int> gpu;  ///< CUDA device that resizes and normalises; none: CPU threads
};

/// Batches are returned in the order in which they were fed. After an exception every call throws
/// it again.
class DaliPipeline {
 public:
  /// Throws Unavailable if DALI's libraries cannot be loaded.
  explicit DaliPipeline(const DaliOptions& options);
  /// Waits for batches in flight.
  ~DaliPipeline();
  DaliPipeline(const DaliPipeline&) = delete;
  DaliPipeline& operator=(const DaliPipeline&) = delete;

  /// Starts a batch. `pixels` [batch, channels, rows, columns] in host memory must not change until
  /// take() returned the batch, on a GPU until `stream` has passed that point.
  void feed(const void* pixels);
  /// The same for pictures in files: `batch` paths.
  void feed_files(const std::vector<std::string>& files);
  /// Waits for the oldest batch in flight. On a GPU it waits only for the host's part; `stream`
  /// (cudaStream_t) waits for the rest. Release the result only after `stream` has finished using
  /// it. The result may outlive the pipeline.
  std::shared_ptr<float> take(void* stream);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scalemark::imaging
