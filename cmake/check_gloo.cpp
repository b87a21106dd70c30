// SPDX-License-Identifier: Apache-2.0
// Compiles and links where LibTorch has its gloo process group as common/torch/process_group/gloo
// declares it.
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

int main(int argc, char**) {
  if (argc < 2) return 0;
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1", false));
  const auto group = c10::make_intrusive<c10d::ProcessGroupGloo>(nullptr, 0, 1, options);
  return group->getNumThreads() == 0;
}
