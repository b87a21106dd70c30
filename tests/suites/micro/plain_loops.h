/* SPDX-License-Identifier: Apache-2.0 */
/* A copy and STREAM's triad as a plain C program has them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Copies so many times; nanoseconds of all of them. */
uint64_t plain_copies(void* to, const void* from, size_t bytes, size_t times);

/** a[i] = b[i] + s * c[i], so many times, by `threads` threads (the caller is one of them), each
 * with its part of whole pages; all wait for one another after each time. Thread i runs on core
 * cpus[i]; the caller is there already; NULL: anywhere. Nanoseconds of all of them, without the
 * start of threads; 0 if they could not be started. */
uint64_t plain_triads(int threads, const int* cpus, double* a, const double* b, const double* c,
                      double s, size_t count, size_t times);

#ifdef __cplusplus
}
#endif
