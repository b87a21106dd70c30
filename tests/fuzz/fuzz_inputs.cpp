// SPDX-License-Identifier: Apache-2.0
// The files that a run takes from its user: the first byte chooses the format, the others are the
// file.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"
#include "common/cli/commands/campaign_file.hpp"
#include "common/cli/commands/topology_file.hpp"
#include "common/core/preset.hpp"
#include "common/fleet/host_names.hpp"
#include "common/predict/flows.hpp"
#include "common/predict/loggops.hpp"
#include "common/predict/schedule.hpp"
#include "common/safetensors/header.hpp"
#include "suites/imaging/data/idx.hpp"
#include "suites/imaging/data/png.hpp"
#include "suites/llm/text/row_reader.hpp"
#include "suites/llm/text/table_reader.hpp"
#include "suites/llm/text/tokenizer.hpp"
#include "suites/llm/text/vocabulary.hpp"
#include "tests/fuzz/read_and_print.hpp"

namespace {

using namespace scalemark;

constexpr std::size_t kMaxRow = 4096;
const std::string kOrigin = "fuzz";

void require(bool holds) {
  if (!holds) std::abort();
}

void read_idx(std::string_view file) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(file.data());
  const imaging::Idx read = imaging::parse_idx({bytes, file.size()}, kOrigin);
  std::size_t size = 1;
  for (const std::uint32_t extent : read.shape) size *= extent;
  require(size == read.values.size());
}

void read_png(std::string_view file) {
  constexpr std::uint32_t kSize = 8;
  std::vector<std::uint8_t> pixels(std::size_t{3} * kSize * kSize);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(file.data());
  imaging::decode_png({bytes, file.size()}, pixels, kSize, kOrigin);
  const std::vector<std::uint8_t> again = imaging::encode_png(pixels, kSize);
  std::vector<std::uint8_t> same(pixels.size());
  imaging::decode_png(again, same, kSize, kOrigin);
  require(same == pixels);
}

void read_vocabulary(std::string_view file) {
  const auto tokenizer = llm::make_bpe_tokenizer(llm::Vocabulary::parse(file, kOrigin));
  require(tokenizer->decode(tokenizer->encode("Grammar: 3.14")) == "Grammar: 3.14");
}

/// Any text comes back as it was, but for what is not UTF-8.
void encode(std::string_view text) {
  static const auto tokenizer = llm::make_bpe_tokenizer(llm::Vocabulary::read(
      std::string(SCALEMARK_SOURCE_DIR) + "/suites/llm/data/tiktoken_small.model"));
  static const auto by_byte = llm::make_byte_tokenizer();
  const std::string clean = by_byte->decode(by_byte->encode(text));
  require(tokenizer->decode(tokenizer->encode(text)) == clean);
  for (const llm::Token id : tokenizer->encode_with_special(text))
    require(id >= 0 && id < tokenizer->size());
}

void read_rows(std::string_view file) {
  std::istringstream stream{std::string(file)};
  llm::RowReader reader(stream, kOrigin, kMaxRow);
  std::string row;
  std::size_t line = 0;
  while (reader.next(row, line)) require(row.size() <= kMaxRow && line > 0);
}

void read_table(std::string_view file, llm::TableForm form) {
  std::istringstream stream{std::string(file)};
  llm::TableReader reader(stream, kOrigin, form, kMaxRow);
  std::vector<std::string> cells;
  std::size_t line = 0;
  while (reader.next(cells, line)) require(!cells.empty() && line > 0);
}

/// The tensors fill the file behind its header, one after the other.
void read_safetensors(std::string_view file) {
  const char* next = nullptr;
  for (const safetensors::Entry& entry : safetensors::parse(file, kOrigin)) {
    std::size_t size = entry.element_size;
    for (const std::int64_t extent : entry.shape) size *= static_cast<std::size_t>(extent);
    require(size == entry.bytes.size() && (next == nullptr || next == entry.bytes.data()));
    next = entry.bytes.data() + size;
  }
  require(next == nullptr || next == file.data() + file.size());
}

void read_safetensors_index(std::string_view file) {
  for (const auto& [shard, names] : safetensors::parse_index(file, kOrigin))
    require(shard.find('/') == std::string::npos && !names.empty());
}

/// Over what is taken, messages arrive.
void read_topology(std::string_view file) {
  constexpr int kFew = 16;
  if (fleet::is_slurm_topology(file)) {
    for (const auto& [host, leaf] : fleet::parse_slurm_topology(file, kOrigin))
      require(fleet::is_host_name(host) && !leaf.empty());
    return;
  }
  const predict::Network network = cli::parse_topology(file, kOrigin);
  const predict::Schedule ring =
      predict::make_schedule("allreduce_ring", std::min(network.ranks(), kFew), 1000);
  for (const double ns : predict::simulate(ring, {}, network))
    require(ns >= 0 && std::isfinite(ns));
}

/// Words go to a shell script, each behind the other with NULs and line feeds between.
void read_campaign(std::string_view file) {
  for (const auto& one : cli::submissions_of(cli::parse_campaign(file, kOrigin, "/folder"))) {
    require(one.ranks > 0 && one.node_hours > 0 && std::isfinite(one.node_hours));
    for (const std::string& word : one.words)
      require(std::ranges::none_of(
          word, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }));
  }
}

void read(std::uint8_t format, std::string_view file) {
  switch (format % 13) {
    case 0:
      return read_idx(file);
    case 1:
      return read_png(file);
    case 2:
      return read_vocabulary(file);
    case 3:
      return encode(file);
    case 4:
      return read_rows(file);
    case 5:
      return read_table(file, llm::TableForm::csv);
    case 6:
      return read_table(file, llm::TableForm::tsv);
    case 7:
      return read_safetensors(file);
    case 8:
      return read_safetensors_index(file);
    case 9:
      return read_topology(file);
    case 10:
      predict::parse_loggops(std::string(file));
      return;
    case 11:
      parse_preset(std::string(file), kOrigin);
      return;
    default:
      read_campaign(file);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    read(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const InputError& error) {
    fuzz::require_one_line(error.what());
  } catch (const UsageError& error) {
    fuzz::require_one_line(error.what());
  }
  return 0;
}
