// SPDX-License-Identifier: Apache-2.0
// Number formats of training: storage type of parameters and type of computation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

namespace scalemark::torch_support {

/// fp64, fp32 (IEEE arithmetic), tf32 (fp32 storage; matrix products and convolutions in TF32),
/// bf16 and fp16. The last two are mixed: fp32 parameters, with autocast computing its listed
/// operations in 16 bits. fp16 needs loss scaling (GradScaler).
struct Precision {
  std::string name;
  c10::ScalarType parameters = c10::ScalarType::Float;
  std::optional<c10::ScalarType> compute;  ///< of autocast; empty: that of the parameters
  bool tf32 = false;
  bool scales_loss = false;
};

/// The names that precision() takes.
std::vector<std::string> precision_names();
/// `name` is one of precision_names(); throws Error otherwise.
Precision precision(const std::string& name);
/// Type of single tensors in that format, without autocast.
c10::ScalarType storage_type(const std::string& name);

/// Why `device` cannot train in this format ("tf32 is a format of NVIDIA GPUs"); empty if it can.
/// Tries a small convolution and its backward pass.
std::string why_not(const Precision& precision, c10::Device device);

/// Lets cuBLAS and cuDNN use TF32, or not, for the whole process.
void allow_tf32(bool allowed);

/// While it lives, this thread's operations are autocast; a no-op for formats without autocast.
/// Cast parameters are cached until it ends: use one per forward pass.
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
