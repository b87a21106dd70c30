// SPDX-License-Identifier: Apache-2.0
// Tests of the Intel MPI Benchmarks that Scalemark measures too.
#pragma once

#include <array>

namespace scalemark::formats {

struct ImbTest {
  const char* imb_name;
  const char* benchmark;  ///< of Scalemark
  bool reduces;           ///< uses IMB's data type for reductions; in Scalemark fp32
  bool has_rate;          ///< has a column Mbytes/sec
  bool ranks_alike;       ///< t_min, t_max and t_avg over ranks; else one t
};
inline constexpr std::array kImbTests = {
    ImbTest{"PingPong", "micro/pingpong", false, true, false},
    ImbTest{"Sendrecv", "micro/sendrecv", false, true, true},
    ImbTest{"Allreduce", "micro/allreduce", true, false, true},
    ImbTest{"Allgather", "micro/allgather", false, false, true},
    ImbTest{"Allgatherv", "micro/allgatherv", false, false, true},
    ImbTest{"Reduce_scatter", "micro/reduce_scatter", true, false, true},
    ImbTest{"Bcast", "micro/broadcast", false, false, true},
    ImbTest{"Reduce", "micro/reduce", true, false, true},
    ImbTest{"Gather", "micro/gather", false, false, true},
    ImbTest{"Gatherv", "micro/gatherv", false, false, true},
    ImbTest{"Scatter", "micro/scatter", false, false, true},
    ImbTest{"Scatterv", "micro/scatterv", false, false, true},
    ImbTest{"Alltoall", "micro/alltoall", false, false, true},
    ImbTest{"Alltoallv", "micro/alltoallv", false, false, true},
    ImbTest{"Barrier", "micro/barrier", false, false, true},
};

/// Follows "# ": the parameters of a table printed by Scalemark, as in its case keys.
inline constexpr const char* kImbParameters = "Parameters of Scalemark:";

}  // namespace scalemark::formats
