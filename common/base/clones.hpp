// SPDX-License-Identifier: Apache-2.0
// Loops compiled for several instruction sets: the loader picks one when the program starts.
#pragma once

/// Before a function: the compiler makes a version of it for each generation of x86-64 machines.
/// What it calls must be inlined (SCALEMARK_INLINE) to be compiled for them too.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define SCALEMARK_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SCALEMARK_CLONES
#endif
/// Before a function of such loops. In sources of CUDA it is one of kernels too.
#ifdef __CUDACC__
#define SCALEMARK_INLINE __host__ __device__ __forceinline__
#else
#define SCALEMARK_INLINE [[gnu::always_inline]] inline
#endif
