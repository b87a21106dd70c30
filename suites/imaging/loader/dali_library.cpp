// SPDX-License-Identifier: Apache-2.0
// DALI's C API, loaded at run time: its libraries take 0.3 GB, and most runs do not need them.
#include "suites/imaging/loader/dali_library.hpp"

#include <algorithm>

#include <dlfcn.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::imaging {
namespace {

// Set by cmake/FindDALI.cmake.
constexpr const char* kLibrary = SCALEMARK_DALI_LIBRARY;
constexpr const char* kVersion = SCALEMARK_DALI_VERSION;
constexpr const char* kDecoder = SCALEMARK_DALI_DECODER;
constexpr std::size_t kMaxMessage = 500;

std::string last_error() {
  const char* text = dlerror();  // NOLINT(concurrency-mt-unsafe): the text is the thread's own
  return text ? text::printable(text, kMaxMessage) : "unknown error";
}

}  // namespace

DaliLibrary::DaliLibrary(const std::vector<std::string>& places) {
  for (const std::string& place : places) {
    handle_ = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle_) {
      problem.clear();
      break;
    }
    const std::string reason = last_error();
    if (problem.empty()) problem = fmt::format("DALI {} cannot be loaded: {}", kVersion, reason);
  }
  load(init, "daliInit");
  load(error_message, "daliGetLastErrorMessage");
  load(create, "daliPipelineCreate");
  load(destroy, "daliPipelineDestroy");
  load(add_input, "daliPipelineAddExternalInput");
  load(add_operator, "daliPipelineAddOperator");
  load(set_outputs, "daliPipelineSetOutputs");
  load(build, "daliPipelineBuild");
  load(run, "daliPipelineRun");
  load(feed, "daliPipelineFeedInput");
  load(pop, "daliPipelinePopOutputs");
  load(pop_async, "daliPipelinePopOutputsAsync");
  load(destroy_outputs, "daliPipelineOutputsDestroy");
  load(output, "daliPipelineOutputsGet");
  load(create_list, "daliTensorListCreate");
  load(attach, "daliTensorListAttachBuffer");
  load(release_list, "daliTensorListDecRef");
  load(as_tensor, "daliTensorListViewAsTensor");
  load(describe, "daliTensorGetDesc");
  load(release_tensor, "daliTensorDecRef");
  if (problem.empty() && init() < 0) problem = "DALI does not start: " + message();
}

std::vector<std::string> DaliLibrary::default_places() {
  return {kLibrary, "libdali_operators.so"};
}

std::string why_no_dali_decoder() {
  for (const char* place : {kDecoder, "libnvimgcodec.so.0"}) {
    // Never closed: it keeps threads.
    if (*place != 0 && dlopen(place, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE)) return "";
  }
  return fmt::format(
      "DALI decodes images with nvImageCodec, which cannot be loaded (jobscripts/setup.sh --dali): "
      "{}",
      last_error());
}

DaliLibrary::~DaliLibrary() {
  if (handle_) dlclose(handle_);
}

std::string DaliLibrary::message() const {
  std::string text = error_message();
  text.resize(std::min(text.size(), text.find("Stacktrace")));
  std::ranges::replace(text, '\n', ' ');
  return text::printable(text, kMaxMessage);
}

void DaliLibrary::check(daliResult_t code) const {
  if (code >= 0) return;
  const std::string text = "DALI: " + message();
  // Operators report lack of memory only in the message.
  const bool memory = code == DALI_ERROR_OUT_OF_MEMORY ||
                      text.find("bad_alloc") != std::string::npos ||
                      text.find("out of memory") != std::string::npos;
  if (memory) throw OutOfMemory(text);
  throw Error(text);
}

/// Loads a symbol of exactly the version of the header: structures differ between versions.
template <class Function>
void DaliLibrary::load(Function& function, const char* symbol) {
  if (!problem.empty()) return;
  const std::string version = fmt::format("DALI_{}", kVersion);
  function = reinterpret_cast<Function>(dlvsym(handle_, symbol, version.c_str()));
  if (!function) problem = fmt::format("needs DALI {}: {}", kVersion, last_error());
}

}  // namespace scalemark::imaging
