// SPDX-License-Identifier: Apache-2.0
// Tests of the Intel MPI Benchmarks (IMB-MPI1, -NBC, -RMA, -MT and -IO) that Scalemark measures
// too.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::formats {

/// The columns of a table behind those of the size and the repetitions.
enum class ImbColumns {
  time_rate,       ///< t, Mbytes/sec: of two ranks
  spread,          ///< t_min, t_max, t_avg over ranks
  spread_rate,     ///< the same and Mbytes/sec
  messages,        ///< t_avg of a message of a window, Mbytes/sec, Msg/sec
  passive_target,  ///< t_pure and t_ovrl of accesses to a rank that waits, and to one that computes
  overlap,         ///< t_ovrl, t_pure, t_CPU, overlap: beside computation
};

/// The program of IMB. IMB-NBC has the nonblocking variants of IMB-MPI1's collectives.
enum class ImbProgram { mpi1, rma, mt, io };

/// A value that an axis must have. `is_usual`: keys leave it out.
struct ImbAxis {
  const char *name = nullptr, *value = nullptr;
  bool is_usual = false;
};

struct ImbTest {
  std::string imb_name;
  const char* benchmark;  ///< of Scalemark
  ImbProgram program = ImbProgram::mpi1;
  ImbColumns columns = ImbColumns::spread;
  double rate = 1;          ///< Mbytes/sec is this times the size / time
  bool has_size = true;     ///< a column #bytes
  bool has_time = false;    ///< cases have a metric `time`, not `latency`
  bool reduces = false;     ///< uses IMB's data type for reductions; in Scalemark fp32
  bool names_type = false;  ///< keys have axis dtype, also at fp32
  const char* mode = "";    ///< follows "MODE: " where IMB says one
  std::array<ImbAxis, 5> axes = {};

  /// Whether IMB-NBC has it, too.
  bool is_collective() const {
    return program == ImbProgram::mpi1 && columns == ImbColumns::spread;
  }
};

/// All of them.
const std::vector<ImbTest>& imb_tests();

/// The test whose table has the case, also as the nonblocking variant; null if there is none.
const ImbTest* imb_test_of(const CaseResult& result);

/// The test of that name and mode (empty: none), and whether it is the nonblocking variant of
/// IMB-NBC ("Iallreduce"). Null if Scalemark has no such test.
struct NamedImbTest {
  const ImbTest* test = nullptr;
  bool is_nonblocking = false;
};
NamedImbTest imb_test_named(std::string_view name, std::string_view mode);

/// How many times our `bytes` IMB's #bytes are: those of all threads of a rank in IMB-MT, of all
/// ranks in IMB-IO.
std::int64_t imb_size_factor(const ImbTest& test, const Point& params);

/// Follows "# ": the parameters of a table printed by Scalemark, as in its case keys.
inline constexpr const char* kImbParameters = "Parameters of Scalemark:";

}  // namespace scalemark::formats
