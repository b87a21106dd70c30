// SPDX-License-Identifier: Apache-2.0
// Number formats of training: what parameters are stored in, what is computed in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

namespace scalemark::torch_support {

/// fp64, fp32 (IEEE arithmetic), tf32 (fp32 in memory, matrix products and convolutions in TF32),
/// bf16 and fp16: mixed, with fp32 parameters and what autocast lists computed in 16 bits. fp16
/// needs its loss scaled (GradScaler).
struct Precision {
  std::string name;
  c10::ScalarType parameters = c10::ScalarType::Float;
  std::optional<c10::ScalarType> compute;  ///< of autocast; none: that of the parameters
  bool tf32 = false;
  bool scales_loss = false;
};

std::vector<std::string> precision_names();
/// `name` is one of precision_names(); else Error.
Precision precision(const std::string& name);
/// What single tensors of that format are stored in, without autocast.
c10::ScalarType storage_type(const std::string& name);

/// Why `device` cannot train in it ("tf32 is a format of NVIDIA GPUs"), found by trying a small
/// convolution and its backward pass; empty if it can.
std::string why_not(const Precision& precision, c10::Device device);

/// Lets cuBLAS and cuDNN use TF32, or not, for the whole process.
void allow_tf32(bool allowed);

/// While it lives, this thread's operations are autocast. A no-op where nothing is to be cast. The
/// casts of parameters are kept until it ends: one for each forward pass.
class Autocast {
 public:
  Autocast(const Precision& precision, c10::Device device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  std::optional<c10::DeviceType> device_;
  bool before_ = false;
  c10::ScalarType type_before_ = c10::ScalarType::Undefined;
};

}  // namespace scalemark::torch_support
