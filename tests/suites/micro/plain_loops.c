/* SPDX-License-Identifier: Apache-2.0 */
/* Plain loops with POSIX threads, to be compared with what the benchmarks run. */
#define _GNU_SOURCE /* pthread_setaffinity_np */
#include "tests/suites/micro/plain_loops.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "common/base/clones.hpp" /* the same instruction sets for both sides */

enum { most_threads = 1024, looks = 20000 };

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

/* What was written counts as read, so that no repetition is left out. */
static void keep(void* data) { __asm__ volatile("" : : "r"(data) : "memory"); }

uint64_t plain_copies(void* to, const void* from, size_t bytes, size_t times) {
  const uint64_t start = now();
  for (size_t i = 0; i < times; ++i) {
    memcpy(to, from, bytes);
    keep(to);
  }
  return now() - start;
}

SCALEMARK_CLONES static void triad(double* restrict a, const double* restrict b,
                                   const double* restrict c, double s, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) a[i] = b[i] + s * c[i];
}

struct work {
  int threads;
  double* a;
  const double *b, *c;
  double s;
  size_t count, times;
  atomic_int arrived;
  atomic_uint round;
};

struct member {
  struct work* work;
  int number, cpu; /* below 0: anywhere */
};

static void pause_core(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static void meet(struct work* work) {
  const unsigned round = atomic_load_explicit(&work->round, memory_order_acquire);
  if (atomic_fetch_add_explicit(&work->arrived, 1, memory_order_acq_rel) == work->threads - 1) {
    atomic_store_explicit(&work->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&work->round, round + 1, memory_order_release);
    return;
  }
  for (int look = 0; atomic_load_explicit(&work->round, memory_order_acquire) == round; ++look) {
    if (look < looks)
      pause_core();
    else
      sched_yield();
  }
}

static size_t part(const struct work* work, int number) {
  const size_t page = 4096 / sizeof(double), pages = (work->count + page - 1) / page;
  const size_t begin = pages * (size_t)number / (size_t)work->threads * page;
  return begin < work->count ? begin : work->count;
}

static void run_part(struct work* work, int number) {
  const size_t begin = part(work, number), end = part(work, number + 1);
  for (size_t i = 0; i < work->times; ++i) {
    triad(work->a, work->b, work->c, work->s, begin, end);
    keep(work->a);
    if (work->threads > 1) meet(work);
  }
}

static void* serve(void* argument) {
  const struct member* member = argument;
  if (member->cpu >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)member->cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  }
  meet(member->work);
  run_part(member->work, member->number);
  return NULL;
}

uint64_t plain_triads(int threads, const int* cpus, double* a, const double* b, const double* c,
                      double s, size_t count, size_t times) {
  struct work work = {
      .threads = threads, .a = a, .b = b, .c = c, .s = s, .count = count, .times = times};
  pthread_t started[most_threads];
  struct member members[most_threads];
  if (threads < 1 || threads > most_threads) return 0;
  for (int i = 1; i < threads; ++i) {
    members[i] = (struct member){&work, i, cpus == NULL ? -1 : cpus[i]};
    if (pthread_create(&started[i], NULL, serve, &members[i]) != 0) return 0;
  }
  if (threads > 1) meet(&work);
  const uint64_t start = now();
  run_part(&work, 0);
  const uint64_t took = now() - start;
  for (int i = 1; i < threads; ++i) pthread_join(started[i], NULL);
  return took;
}
