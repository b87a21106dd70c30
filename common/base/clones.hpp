// SPDX-License-Identifier: Apache-2.0
// Compiles functions for several instruction sets; the best version is chosen at program start.
#pragma once

/// Written before a function: the compiler makes one version per x86-64 level. Functions that it
/// calls must be inlined (SCALEMARK_INLINE) to be compiled for these levels, too.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define SCALEMARK_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SCALEMARK_CLONES
#endif
/// Written before a function that such functions call. In CUDA sources, kernels can call it, too.
#ifdef __CUDACC__
#define SCALEMARK_INLINE __host__ __device__ __forceinline__
#else
#define SCALEMARK_INLINE [[gnu::always_inline]] inline
#endif
