// SPDX-License-Identifier: Apache-2.0
// Tests of the OSU micro-benchmarks 7.4 that Scalemark measures too.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "common/result/model.hpp"

namespace scalemark::formats {

/// Layout of a test's table.
enum class OsuTable {
  latency,              ///< between two ranks
  bandwidth,            ///< MB/s
  message_rate,         ///< MB/s and messages per second over several pairs
  collective,           ///< latency of operations with a size
  barrier,              ///< latency without a size
  one_sided,            ///< latency
  one_sided_bandwidth,  ///< MB/s
  start_up,             ///< no table: a sentence
};

/// Number of ranks of a test; OSU's text shows it only for tests of pairs.
enum class OsuRanks { any, two, more_than_two };

/// Lines above a title that give a count of the sender and one of the receiver.
struct OsuSides {
  const char* axis;
  const char *sender, *receiver;  ///< in front of the counts
};
inline constexpr OsuSides kOsuChildren = {"forked", "# Number of forked processes in sender: ",
                                          "# Number of forked processes in receiver: "};
inline constexpr OsuSides kOsuThreads = {
    "threads", "# Number of Sender threads: ", "# Number of Receiver threads: "};

struct OsuTest {
  const char* name;      ///< of Scalemark's benchmark
  const char* title;     ///< follows "OSU MPI-CUDA "
  const char* datatype;  ///< of Scalemark's data if the key has none; OSU's default is MPI_CHAR
  OsuTable table;
  OsuRanks ranks = OsuRanks::any;
  const char* library = "MPI";   ///< first word after "OSU "; MPI_Put etc. if one-sided
  const char* nonblocking = "";  ///< title, if it is not "Non-blocking " and the title
  bool has_validation = true;    ///< the test can check its data
  bool names_type = false;       ///< keys have axis dtype, also at OSU's default
  const OsuSides* sides = nullptr;
};

inline constexpr std::array kOsuTests = {
    OsuTest{"micro/pingpong", "Latency Test", "MPI_CHAR", OsuTable::latency, OsuRanks::two},
    OsuTest{"micro/pingpong", "Multi Latency Test", "MPI_CHAR", OsuTable::latency,
            OsuRanks::more_than_two},
    OsuTest{.name = "micro/pingpong",
            .title = "Multi-process Latency Test",
            .datatype = "MPI_CHAR",
            .table = OsuTable::latency,
            .ranks = OsuRanks::two,
            .sides = &kOsuChildren},
    OsuTest{.name = "micro/thread_pingpong",
            .title = "Multi-threaded Latency Test",
            .datatype = "MPI_CHAR",
            .table = OsuTable::latency,
            .ranks = OsuRanks::two,
            .sides = &kOsuThreads},
    OsuTest{"micro/bandwidth", "Bandwidth Test", "MPI_CHAR", OsuTable::bandwidth, OsuRanks::two},
    OsuTest{"micro/bidirectional_bandwidth", "Bi-Directional Bandwidth Test", "MPI_CHAR",
            OsuTable::bandwidth, OsuRanks::two},
    OsuTest{"micro/multi_pair", "Multiple Bandwidth / Message Rate Test", "MPI_CHAR",
            OsuTable::message_rate},
    OsuTest{"micro/allreduce", "Allreduce Latency Test", "MPI_FLOAT", OsuTable::collective},
    OsuTest{"micro/allgather", "Allgather Latency Test", "MPI_CHAR", OsuTable::collective},
    OsuTest{"micro/allgatherv", "Allgatherv Latency Test", "MPI_CHAR", OsuTable::collective},
    OsuTest{"micro/reduce_scatter", "Reduce_scatter Latency Test", "MPI_FLOAT",
            OsuTable::collective},
    OsuTest{.name = "micro/broadcast",
            .title = "Broadcast Latency Test",
            .datatype = "MPI_CHAR",
            .table = OsuTable::collective,
            .nonblocking = "Non-Blocking Broadcast Latency Test"},
    OsuTest{"micro/reduce", "Reduce Latency Test", "MPI_FLOAT", OsuTable::collective},
    OsuTest{"micro/gather", "Gather Latency Test", "MPI_CHAR", OsuTable::collective},
    OsuTest{"micro/gatherv", "Gatherv Latency Test", "MPI_CHAR", OsuTable::collective},
    OsuTest{"micro/scatter", "Scatter Latency Test", "MPI_CHAR", OsuTable::collective},
    OsuTest{"micro/scatterv", "Scatterv Latency Test", "MPI_CHAR", OsuTable::collective},
    OsuTest{.name = "micro/alltoall",
            .title = "All-to-All Personalized Exchange Latency Test",
            .datatype = "MPI_CHAR",
            .table = OsuTable::collective,
            .nonblocking = "Non-blocking All-to-All Latency Test"},
    OsuTest{"micro/alltoallv", "All-to-Allv Personalized Exchange Latency Test", "MPI_CHAR",
            OsuTable::collective},
    OsuTest{"micro/alltoallw", "All-to-Allw Personalized Exchange Latency Test", "MPI_CHAR",
            OsuTable::collective},
    OsuTest{"micro/reduce_scatter_block", "Reduce_scatter_block Latency Test", "MPI_FLOAT",
            OsuTable::collective},
    OsuTest{"micro/neighbor_allgather", "Neighborhood Allgather Latency Test", "MPI_CHAR",
            OsuTable::collective},
    OsuTest{"micro/neighbor_allgatherv", "Neighborhood Allgatherv Latency Test", "MPI_CHAR",
            OsuTable::collective},
    OsuTest{"micro/neighbor_alltoall", "Neighborhood Alltoall Latency Test", "MPI_CHAR",
            OsuTable::collective},
    OsuTest{.name = "micro/neighbor_alltoallv",
            .title = "Neighborhood All-to-Allv Latency Test",
            .datatype = "MPI_CHAR",
            .table = OsuTable::collective,
            .nonblocking = "Non-blocking Neighborhood Alltoallv Latency Test"},
    // OSU calls the blocking one by alltoallw's title.
    OsuTest{"micro/neighbor_alltoallw", "Neighborhood Alltoallw Latency Test", "MPI_CHAR",
            OsuTable::collective},
    OsuTest{.name = "micro/barrier",
            .title = "Barrier Latency Test",
            .datatype = "",
            .table = OsuTable::barrier,
            .has_validation = false},
    OsuTest{.name = "micro/put",
            .title = "Latency Test",
            .datatype = "MPI_CHAR",
            .table = OsuTable::one_sided,
            .ranks = OsuRanks::two,
            .library = "MPI_Put",
            .has_validation = false},
    OsuTest{.name = "micro/get",
            .title = "latency Test",
            .datatype = "MPI_CHAR",
            .table = OsuTable::one_sided,
            .ranks = OsuRanks::two,
            .library = "MPI_Get",
            .has_validation = false},
    OsuTest{.name = "micro/put_bandwidth",
            .title = "Bandwidth Test",
            .datatype = "MPI_CHAR",
            .table = OsuTable::one_sided_bandwidth,
            .ranks = OsuRanks::two,
            .library = "MPI_Put",
            .has_validation = false},
    OsuTest{.name = "micro/put_bidirectional_bandwidth",
            .title = "Bi-directional Bandwidth Test",
            .datatype = "MPI_CHAR",
            .table = OsuTable::one_sided_bandwidth,
            .ranks = OsuRanks::two,
            .library = "MPI_Put",
            .has_validation = false},
    OsuTest{.name = "micro/get_bandwidth",
            .title = "Bandwidth Test",
            .datatype = "MPI_CHAR",
            .table = OsuTable::one_sided_bandwidth,
            .ranks = OsuRanks::two,
            .library = "MPI_Get",
            .has_validation = false},
    OsuTest{.name = "micro/accumulate",
            .title = "latency Test",
            .datatype = "MPI_FLOAT",
            .table = OsuTable::one_sided,
            .ranks = OsuRanks::two,
            .library = "MPI_Accumulate",
            .names_type = true},
    OsuTest{.name = "micro/get_accumulate",
            .title = "latency Test",
            .datatype = "MPI_FLOAT",
            .table = OsuTable::one_sided,
            .ranks = OsuRanks::two,
            .library = "MPI_Get_accumulate",
            .names_type = true},
    OsuTest{.name = "micro/fetch_and_op",
            .title = "latency Test",
            .datatype = "int64",
            .table = OsuTable::one_sided,
            .ranks = OsuRanks::two,
            .library = "MPI_Fetch_and_op"},
    OsuTest{.name = "micro/compare_and_swap",
            .title = "latency Test",
            .datatype = "int64",
            .table = OsuTable::one_sided,
            .ranks = OsuRanks::two,
            .library = "MPI_Compare_and_swap"},
    OsuTest{.name = "micro/init",
            .title = "Init Test",
            .datatype = "",
            .table = OsuTable::start_up,
            .has_validation = false},
};

/// Whether all ranks take part in one operation.
bool is_collective(const OsuTest& test);
/// Whether a rank accesses another's memory: the table then names window and synchronization.
bool is_one_sided(const OsuTest& test);
/// Whether the table has bandwidths of one pair of ranks.
bool is_bandwidth(const OsuTest& test);

/// Whether keys leave out host memory, where Scalemark's buffers of the test are.
bool leaves_out_host(const OsuTest& test);

/// Axis of tables of blocks with gaps (OSU's option -D), and its value. OSU names neither.
inline constexpr const char *kOsuPacking = "packing", *kOsuDatatype = "datatype";
/// Column and fact of such tables: bytes of the blocks, and of these with the gaps.
inline constexpr const char *kOsuTransmitted = "Transmit Size", *kOsuExtent = "extent_bytes";
/// Scalemark's benchmark of a test of blocks with gaps; empty if it has none.
std::string spaced_name(const OsuTest& test);
/// Whether blocks with gaps are sent. The table then has the bytes of the blocks beside the size.
bool is_spaced(const CaseResult& result);

/// The OSU test that matches the case; null if there is none.
const OsuTest* osu_test_of(const CaseResult& result);

/// The title of a test by axis `call` (blocking, nonblocking, persistent; empty = OSU's variant
/// without a word for it). Empty if OSU has no such test.
std::string osu_title(const OsuTest& test, std::string_view call);

/// Whether OSU measures the case together with computation.
bool is_overlapped(const OsuTest& test, const CaseResult& result);

/// Names of data types: MPI's as printed by OSU, and Scalemark's.
struct OsuType {
  const char* osu_name;
  const char* dtype;
};
inline constexpr std::array kOsuTypes = {OsuType{"MPI_CHAR", "int8"}, OsuType{"MPI_INT", "int32"},
                                         OsuType{"MPI_FLOAT", "fp32"},
                                         OsuType{"MPI_DOUBLE", "fp64"}};

/// A word of one-sided tables: OSU's name, and the value of the axis.
struct OsuWord {
  const char* osu_name;
  const char* axis_value;
};
/// Axis `sync`.
inline constexpr std::array kOsuSyncs = {OsuWord{"MPI_Win_flush", "flush"},
                                         OsuWord{"MPI_Win_fence", "fence"},
                                         OsuWord{"MPI_Win_lock/unlock", "lock"},
                                         OsuWord{"MPI_Win_lock_all/unlock_all", "lock_all"},
                                         OsuWord{"MPI_Win_flush_local", "flush_local"},
                                         OsuWord{"MPI_Win_post/start/complete/wait", "pscw"}};

/// Axis `window_creation`.
inline constexpr std::array kOsuWindows = {OsuWord{"MPI_Win_allocate", "allocate"},
                                           OsuWord{"MPI_Win_create", "create"},
                                           OsuWord{"MPI_Win_create_dynamic", "dynamic"}};

/// The axis' value for OSU's name; `otherwise` for a name that is not among the words.
std::string axis_value(std::span<const OsuWord> words, std::string_view name,
                       std::string otherwise);
/// OSU's name for the axis' value, which is the first word's if empty; the value itself if it is
/// not among the words.
std::string osu_name(std::span<const OsuWord> words, const std::string& value);

}  // namespace scalemark::formats
