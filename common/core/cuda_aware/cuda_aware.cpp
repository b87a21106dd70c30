// SPDX-License-Identifier: Apache-2.0
// The decision between direct and staged, and its reason in words.
#include "common/core/cuda_aware/cuda_aware.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark {
namespace {

Finding combined(const Finding& a, const Finding& b) {
  using State = Finding::State;
  const auto weight = [](const Finding& one) {
    return one.state == State::disproven ? 2 : one.state == State::not_asked ? 1 : 0;
  };
  Finding worse = weight(b) > weight(a) ? b : a;
  if (a.state == b.state) worse.date = std::min(a.date, b.date);
  return worse;
}

}  // namespace

CudaAware cuda_aware_from(std::string_view text) {
  if (text == "auto") return CudaAware::automatic;
  if (text == "yes") return CudaAware::yes;
  if (text == "no") return CudaAware::no;
  throw UsageError(
      fmt::format("--cuda-aware is '{}'; allowed: auto, yes, no", text::printable(text, 80)));
}

Findings combine(const Findings& a, const Findings& b) {
  Findings result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = combined(a[i], b[i]);
  return result;
}

DevicePath decide(CudaAware option, mpi::CudaSupport library, const Finding& finding) {
  if (option == CudaAware::yes) return {true, "forced by --cuda-aware yes"};
  if (option == CudaAware::no) return {false, "staged: forced by --cuda-aware no"};
  if (library == mpi::CudaSupport::no)
    return {false, "staged: the MPI library reports no CUDA support"};
  if (library == mpi::CudaSupport::unknown)
    return {false,
            "staged: CUDA support of the MPI library is unknown (--cuda-aware yes forces it)"};
  switch (finding.state) {
    case Finding::State::proven:
      return {true, "proven " + finding.date.substr(0, 10)};
    case Finding::State::disproven:
      return {false,
              fmt::format("staged: disproven {}: {}", finding.date.substr(0, 10), finding.reason)};
    case Finding::State::not_asked:
      break;
  }
  return {false, fmt::format("staged: {} (run --probe)",
                             finding.reason.empty() ? "no proof" : finding.reason)};
}

}  // namespace scalemark
