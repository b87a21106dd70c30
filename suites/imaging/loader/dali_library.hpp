// SPDX-License-Identifier: Apache-2.0
// DALI's C API, loaded at run time.
#pragma once

#include <string>
#include <vector>

#include <dali/dali.h>

namespace scalemark::imaging {

/// The functions of DALI that are used, of the version that was built with. Its libraries hold
/// threads and registries of their own, and so stay in the process once they were loaded.
struct DaliLibrary {
  /// The first of `places` that can be loaded. Never throws where there is none: `problem` says
  /// why.
  explicit DaliLibrary(const std::vector<std::string>& places = default_places());
  ~DaliLibrary();
  DaliLibrary(const DaliLibrary&) = delete;
  DaliLibrary& operator=(const DaliLibrary&) = delete;

  /// Where the build found it, then by its name: a program that was brought from another machine
  /// gets the one that the linker finds.
  static std::vector<std::string> default_places();

  /// What DALI says of the last call of this thread that failed, in one line.
  std::string message() const;
  /// Throws it as OutOfMemory or Error if `code` is one.
  void check(daliResult_t code) const;

  std::string problem;  ///< empty if all functions are there
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

}  // namespace scalemark::imaging
