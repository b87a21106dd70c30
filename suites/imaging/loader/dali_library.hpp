// SPDX-License-Identifier: Apache-2.0
// DALI's C API, loaded at run time.
#pragma once

#include <string>
#include <vector>

#include <dali/dali.h>

namespace scalemark::imaging {

/// The DALI functions in use, from the version of the build. DALI's libraries keep threads and
/// registries, so they stay loaded.
struct DaliLibrary {
  /// Loads the first of `places` that can be loaded. Does not throw if there is none: `problem`
  /// states the reason.
  explicit DaliLibrary(const std::vector<std::string>& places = default_places());
  ~DaliLibrary();
  DaliLibrary(const DaliLibrary&) = delete;
  DaliLibrary& operator=(const DaliLibrary&) = delete;

  /// The path found by the build, then the plain library name, which the dynamic linker resolves if
  /// the program was copied to another machine.
  static std::vector<std::string> default_places();

  /// DALI's message for the last failed call of this thread, in one line.
  std::string message() const;
  /// Throws OutOfMemory or Error with DALI's message if `code` is an error.
  void check(daliResult_t code) const;

  std::string problem;  ///< empty if all functions were loaded
  decltype(&daliInit) init = nullptr;
  decltype(&daliGetLastErrorMessage) error_message = nullptr;
  decltype(&daliPipelineCreate) create = nullptr;
  decltype(&daliPipelineDestroy) destroy = nullptr;
  decltype(&daliPipelineAddExternalInput) add_input = nullptr;
  decltype(&daliPipelineAddOperator) add_operator = nullptr;
  decltype(&daliPipelineSetOutputs) set_outputs = nullptr;
  decltype(&daliPipelineBuild) build = nullptr;
  decltype(&daliPipelineRun) run = nullptr;
  decltype(&daliPipelineFeedInput) feed = nullptr;
  decltype(&daliPipelinePopOutputs) pop = nullptr;
  decltype(&daliPipelinePopOutputsAsync) pop_async = nullptr;
  decltype(&daliPipelineOutputsDestroy) destroy_outputs = nullptr;
  decltype(&daliPipelineOutputsGet) output = nullptr;
  decltype(&daliTensorListCreate) create_list = nullptr;
  decltype(&daliTensorListAttachBuffer) attach = nullptr;
  decltype(&daliTensorListDecRef) release_list = nullptr;
  decltype(&daliTensorListViewAsTensor) as_tensor = nullptr;
  decltype(&daliTensorGetDesc) describe = nullptr;
  decltype(&daliTensorDecRef) release_tensor = nullptr;

 private:
  template <class Function>
  void load(Function& function, const char* symbol);

  void* handle_ = nullptr;
};

/// Reason why DALI cannot decode images here; empty if it can. Loads nvImageCodec, in which its
/// decoders are since DALI 2.0, from where the build found it; DALI then finds it by its name.
std::string why_no_dali_decoder();

}  // namespace scalemark::imaging
