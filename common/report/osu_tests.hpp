// SPDX-License-Identifier: Apache-2.0
// The tests of the OSU micro-benchmarks 7.4 that a benchmark of ours measures too.
#pragma once

#include <array>

namespace scalemark::report {

struct OsuTest {
  const char* name;      ///< of our benchmark
  const char* title;     ///< behind "OSU MPI-CUDA "
  const char* datatype;  ///< of our data where the key says nothing; OSU's default is MPI_CHAR
  bool two_ranks;        ///< OSU's text says nothing of ranks, but these take two
  bool is_rate;          ///< MB/s instead of microseconds
};

inline constexpr std::array kOsuTests = {
    OsuTest{"micro/pingpong", "Latency Test", "MPI_CHAR", true, false},
    OsuTest{"micro/bandwidth", "Bandwidth Test", "MPI_CHAR", true, true},
    OsuTest{"micro/bidirectional_bandwidth", "Bi-Directional Bandwidth Test", "MPI_CHAR", true,
            true},
    OsuTest{"micro/allreduce", "Allreduce Latency Test", "MPI_FLOAT", false, false},
    OsuTest{"micro/allgather", "Allgather Latency Test", "MPI_CHAR", false, false},
    OsuTest{"micro/allgatherv", "Allgatherv Latency Test", "MPI_CHAR", false, false},
    OsuTest{"micro/reduce_scatter", "Reduce_scatter Latency Test", "MPI_FLOAT", false, false},
    OsuTest{"micro/broadcast", "Broadcast Latency Test", "MPI_CHAR", false, false},
    OsuTest{"micro/reduce", "Reduce Latency Test", "MPI_FLOAT", false, false},
    OsuTest{"micro/gather", "Gather Latency Test", "MPI_CHAR", false, false},
    OsuTest{"micro/gatherv", "Gatherv Latency Test", "MPI_CHAR", false, false},
    OsuTest{"micro/scatter", "Scatter Latency Test", "MPI_CHAR", false, false},
    OsuTest{"micro/scatterv", "Scatterv Latency Test", "MPI_CHAR", false, false},
    OsuTest{"micro/alltoall", "All-to-All Personalized Exchange Latency Test", "MPI_CHAR", false,
            false},
    OsuTest{"micro/alltoallv", "All-to-Allv Personalized Exchange Latency Test", "MPI_CHAR", false,
            false},
    OsuTest{"micro/barrier", "Barrier Latency Test", "", false, false},
};

/// MPI's names of types as OSU prints them, and ours.
struct OsuType {
  const char* theirs;
  const char* ours;
};
inline constexpr std::array kOsuTypes = {OsuType{"MPI_CHAR", "int8"}, OsuType{"MPI_INT", "int32"},
                                         OsuType{"MPI_FLOAT", "fp32"},
                                         OsuType{"MPI_DOUBLE", "fp64"}};

}  // namespace scalemark::report
