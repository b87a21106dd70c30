// SPDX-License-Identifier: Apache-2.0
// Writes what the fuzz targets begin with, made by our own writer, and what other programs printed:
// FOLDER/bytes, message, edits, import, parts, inputs.
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/store/untrusted/message.hpp"
#include "suites/imaging/data/png.hpp"
#include "tests/common/safetensors/file_of.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/hostile_files.hpp"
#include "tests/common/store/write_run.hpp"

namespace {

using scalemark::Run;

/// The small run, without the long text of the example.
Run small_run(std::size_t cases) {
  Run run = scalemark::test::example_run(cases);
  run.environment.raw = {{"tool", "text"}};
  for (std::size_t i = 0; i < cases; ++i) run.cases.push_back(scalemark::test::example_case(i));
  return run;
}

void write_message(const std::filesystem::path& path, const Run& run) {
  std::ofstream file(path, std::ios::binary);
  const auto send = [&](std::span<const char> bytes) {
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  scalemark::store::send_header(send, run);
  for (const auto& one : run.cases) scalemark::store::send_case(send, one);
  scalemark::store::send_end(send);
}

/// One of each format that tests/golden has no file of.
constexpr std::array kImports = {
    R"json({"run": "r1", "cases": {"x a=1": {"metric": "t", "unit": "s", "scale": 1e-9, "samples": [1, 2]}}})json",
    "# nccl-tests version 2.17.1 nccl-headers=22803 nccl-library=22803\n"
    "# Collective test starting: all_reduce_perf\n"
    "# nThread 1 nGpus 2 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 1 iters: 20 agg "
    "iters: "
    "1 validation: 1 graph: 0\n"
    "#  Rank  0 Group  0 Pid   4711 on   node001 device  0 [0000:0f:00] NVIDIA H100 80GB HBM3\n"
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
    "time   "
    "algbw   busbw  #wrong\n"
    "8 2 float sum -1 17.08 0.01 0.02 0 16.76 0.03 0.04 N/A\n"
    "# Out of bounds values : 0 OK\n",
    "# scalemark 0.1 nccl-tests 2.19.6 format\n"
    "# Collective test starting: reduce_scatter_perf\n"
    "# Parameters of Scalemark: backend=mpi memory=host op=max ranks=2\n"
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
    "time   "
    "algbw   busbw  #wrong\n"
    "64 8 float max -1 N/A N/A N/A N/A 16.76 0.03 0.04 0\n"
    "# Avg bus bandwidth : 0.04\n",
    "# OSU MPI-CUDA Non-blocking Allreduce Latency Test v7.4 [backend=mpi call=nonblocking "
    "memory=device ranks=2] (OSU 7.4 format, measured by Scalemark 0.1)\n"
    "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n# Datatype: MPI_FLOAT.\n"
    "# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)\n"
    "8                      25.00             20.00             10.00             50.00\n",
    "# OSU MPI_Put-CUDA Latency Test v7.4\n# Window creation: MPI_Win_allocate\n"
    "# Synchronization: MPI_Win_flush\n# Datatype: MPI_CHAR.\n"
    "# Rank 0 Memory on DEVICE (D) and Rank 1 Memory on DEVICE (D)\n"
    "# Size          Latency (us)  P50 Tail Lat(us)\n8 1.50 1.25\n",
    "# OSU MPI_Get Bandwidth Test v7.4\n# Window creation: MPI_Win_create\n"
    "# Synchronization: MPI_Win_lock/unlock\n# Datatype: MPI_CHAR.\n"
    "# Size      Bandwidth (MB/s)        Validation P50 Tail BW(MB/s)\n8 1.50 passed 1.25\n",
    "# Collective test starting: broadcast_perf\n"
    "#       size         count    type    root     time   algbw   busbw  error    i_min\n"
    "0 0 float 0 34.61 0.00 0.00 N/A 30.25\n0 0 float 0 34.43 inf nan 0e+00 30.50\n",
    "#       size         count      type   redop    root  cputime   algbw   busbw  #wrong   "
    "timestamp\n8 2 float sum -1 17.08 0.01 0.02 0 2026-01-02 03:04:05\n",
    "#    Intel(R) MPI Benchmarks 2021.11, NBC part\n# Benchmarking Iallreduce\n"
    "# #processes = 4; rank order (rowwise):\n"
    "#bytes #repetitions t_ovrl[usec] t_pure[usec] t_CPU[usec] overlap[%]\n"
    "8 1000 30.50 20.25 20.00 48.15\n4194304 out-of-mem.; needed X=   8.001 GB\n"
    "# All processes entering MPI_Finalize\n",
    "# Benchmarking Multi-PingPong\n# ( 2 groups of 2 processes each running simultaneous )\n"
    "#\n#    MODE: NON-AGGREGATE\n#\nGroup #bytes #repetitions t[usec] Mbytes/sec\n\n"
    "0 8 100 0.25 32.00\n1 8 time-out.; Time limit is over\n",
    "#    IMB 2021.11 format, measured by Scalemark 0.1\n# Benchmarking Barrier\n"
    "# Parameters of Scalemark: backend=mpi ranks=2\n"
    "#repetitions t_min[usec] t_max[usec] t_avg[usec]\n50 0.13 0.14 0.13\n",
    R"json({"nccl_version": 22803, "args": ["all_gather_perf"], "devices": [{"rank": 0}],
        "results": [{"size": 0, "count": 0, "type": "half", "redop": "none", "root": "    -1",
                     "out_of_place": {"cpu_time": "nan", "alg_bw": 0, "bus_bw": 0, "nwrong": null},
                     "in_place": {"time": 16.5, "alg_bw": 0, "bus_bw": 0, "nwrong": 1},
                     "in_place_per_iter": {"times_us": [16.5, 17.25], "p50_us": 16.5}}],
        "end_time": "2026-01-01 00:00:00"})json",
    R"json({"version": 1, "args": ["all_reduce_perf"], "nccl_version": 22803,
        "config": {"devices": [{"rank": 0, "hostname": "n1", "device_info": "H100"}]},
        "results": [{"size": 8, "count": 2, "type": "float", "redop": "sum", "root": "-1",
                     "out_of_place": {"time": 17.0, "alg_bw": 0.5, "bus_bw": 0.75, "nwrong": 0},
                     "in_place": null, "actual_iterations": 20}]})json",
    R"json({"nvbandwidth": {"version": "1", "testcases": [{"name": "host_to_device_memcpy_ce",
        "status": "Passed", "sum": 3.5, "bandwidth_description": "memcpy CE CPU(row) -> GPU(column)",
        "bandwidth_matrix": [["1.5", "N/A"]]}]}})json",
    R"json({"context": {"library_version": "v1.9"}, "benchmarks": [{"name": "BM_a/8", "run_type":
        "iteration", "repetitions": 1, "threads": 1, "iterations": 10, "real_time": 1.5,
        "cpu_time": 1.25, "time_unit": "ms", "items_per_second": 2e6}]})json"};

/// Behind a byte of 0, which lets the importer be chosen by the content.
void write_imports(const std::filesystem::path& folder) {
  std::size_t number = 0;
  const auto next = [&] {
    std::ofstream file(folder / fmt::format("{}", number++), std::ios::binary);
    file.put('\0');
    return file;
  };
  for (const char* text : kImports) next() << text;
  const std::filesystem::path golden = std::filesystem::path(SCALEMARK_SOURCE_DIR) / "tests/golden";
  for (const char* from : {"osu", "imb"}) {
    for (const auto& entry : std::filesystem::directory_iterator(golden / from))
      next() << std::ifstream(entry.path(), std::ios::binary).rdbuf();
  }
}

/// One of each format, behind the byte that chooses it.
void write_inputs(const std::filesystem::path& folder) {
  const std::filesystem::path source = SCALEMARK_SOURCE_DIR;
  const auto write = [&](int format, const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << static_cast<char>(format) << text;
  };
  const auto read = [&](const std::string& path) {
    std::ifstream file(source / path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  write(0, "idx",
        std::string("\0\0\x08\x02\0\0\0\x02\0\0\0\x01"
                    "ab",
                    14));
  const std::vector<std::uint8_t> png =
      scalemark::imaging::encode_png(std::vector<std::uint8_t>(192, 7), 8);
  write(1, "png", {png.begin(), png.end()});
  write(2, "vocabulary", read("suites/llm/data/tiktoken_small.model"));
  write(3, "text", "It's 3.14 \xC3\xA9\n  <|eot_id|>\xFF");
  write(4, "rows", R"([{"a": "b"}, {"c": "d\"]"}])");
  write(5, "csv", "a,b\n\"x, \"\"y\"\"\nz\",1\n");
  write(6, "tsv", "a\tb\n\"x\t1\n");
  write(
      7, "safetensors",
      scalemark::safetensors::test::file_of(
          R"({"__metadata__":{"format":"pt"},"a":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4]},)"
          R"("b":{"dtype":"BF16","shape":[1],"data_offsets":[4,6]}})",
          6));
  write(
      8, "safetensors-index",
      R"({"metadata":{"total_size":6},"weight_map":{"a":"one.safetensors","b":"one.safetensors"}})");
  write(9, "topology",
        "[[switch]]\nname = \"s\"\n[[switch]]\nname = \"l\"\nabove = \"s\"\nbandwidth = 1e9\n"
        "[[host]]\nname = \"n\"\nabove = \"l\"\nbandwidth = 125e6\nlatency = \"50us\"\ncount = 4\n"
        "ranks = 2\n");
  write(9, "slurm-topology",
        "# leaves\nSwitchName=s1 Level=0 Nodes=n[1-2,04-05],login\n"
        "SwitchName=top Switches=s[1-2] Nodes=n[1-9]\nblockname=b1 nodes=r[1-2]n[1-2]\n");
  write(10, "loggps", "L=2500,o=1500,g=1000,G=6,O=0,S=65535");
  for (const char* preset : {"quick", "paper-imaging-pin", "nccl-tests"})
    write(11, preset, read(std::string("suites/presets/") + preset + ".toml"));
  write(12, "campaign", read("jobscripts/campaign.toml"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FOLDER\n", argv[0]);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  for (const char* name : {"bytes", "message", "edits", "import", "parts", "inputs"})
    std::filesystem::create_directories(folder / name);
  write_imports(folder / "import");
  write_inputs(folder / "inputs");
  for (std::size_t cases = 0; cases < 3; ++cases) {
    const Run run = small_run(cases);
    scalemark::test::write_run(folder / "bytes" / fmt::format("{}.h5", cases), run);
    write_message(folder / "message" / fmt::format("{}", cases), run);
    std::ofstream(folder / "edits" / fmt::format("{}", cases))
        << std::string(64, static_cast<char>(cases));
    std::ofstream(folder / "parts" / fmt::format("{}", cases)) << static_cast<char>(cases);
  }
  return 0;
}
