// SPDX-License-Identifier: Apache-2.0
// Writes and reads the journal.
#include "common/store/journal.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/small_files.hpp"
#include "common/base/text.hpp"

namespace scalemark::store {
namespace {

using nlohmann::json;

constexpr std::uintmax_t kMaxBytes = std::uintmax_t{256} << 20;
constexpr std::size_t kMaxReason = 400;
constexpr int kMaxSweeps = 1'000'000;

/// The number after `word` at the start of a line, as in /proc/meminfo and /proc/vmstat.
std::int64_t number_in(const char* path, const std::string& word) {
  std::ifstream file(path);
  std::string first;
  std::int64_t value = 0;
  while (file >> first) {
    if (first == word && file >> value) return value;
    file.ignore(4096, '\n');
  }
  return 0;
}

json to_json(const Point& point) {
  json object = json::object();
  for (const auto& [name, value] : point) {
    std::visit([&object, &name = name](const auto& typed) { object[name] = typed; }, value);
  }
  return object;
}

Point params_from(const json& object) {
  Point point;
  for (const auto& [name, value] : object.items()) {
    if (!text::is_identifier(name)) continue;
    if (value.is_boolean()) {
      point[name] = value.get<bool>();
    } else if (value.is_number_integer()) {
      point[name] = value.get<std::int64_t>();
    } else if (value.is_number()) {
      point[name] = value.get<double>();
    } else {
      point[name] = text::printable(value.get<std::string>());
    }
  }
  return point;
}

/// Throws json::exception if the record is malformed.
void take_started(const json& record, Begun& begun) {
  CaseResult planned;
  planned.index = record.at("started").get<std::size_t>();
  planned.name = text::printable(record.at("name").get<std::string>());
  planned.key = text::printable(record.at("key").get<std::string>());
  planned.config_hash = text::printable(record.at("config_hash").get<std::string>());
  planned.params = params_from(record.at("params"));
  planned.predicted_memory = record.at("predicted_memory").get<std::uint64_t>();
  planned.started = text::printable(record.at("at").get<std::string>());
  planned.phase = "start";
  begun.memory = {record.at("boot").get<std::string>(), record.at("oom_kills").get<std::int64_t>(),
                  record.at("available").get<std::uint64_t>()};
  begun.planned = std::move(planned);
  ++begun.tries;
}

void take_record(const json& record, std::map<std::size_t, Begun>& begun) {
  if (record.contains("started")) {
    Begun next;
    const auto index = record.at("started").get<std::size_t>();
    if (const auto earlier = begun.find(index); earlier != begun.end()) next = earlier->second;
    take_started(record, next);
    begun[index] = std::move(next);
  } else if (record.contains("lost")) {
    const auto one = begun.find(record.at("lost").get<std::size_t>());
    if (one != begun.end()) {
      one->second.planned.status = record.at("status") == "oom" ? Status::oom : Status::failed;
      one->second.planned.reason =
          text::printable(record.at("reason").get<std::string>(), kMaxReason);
    }
  } else if (record.contains("saved")) {
    const auto one = begun.find(record.at("saved").get<std::size_t>());
    if (one != begun.end()) one->second.tries = 0;
  } else if (record.contains("kept")) {
    const auto one = begun.find(record.at("kept").get<std::size_t>());
    const int sweeps = record.at("sweeps").get<int>();
    if (one == begun.end() || sweeps < 0 || sweeps > kMaxSweeps) return;
    one->second.tries = 0;
    one->second.kept = sweeps;
  } else if (const auto one = begun.find(record.at("case").get<std::size_t>());
             one != begun.end()) {
    one->second.planned.phase = text::printable(record.at("phase").get<std::string>(), 80);
  }
}

}  // namespace

MemoryState memory_state() {
  MemoryState state;
  state.boot = boot_id();
  state.oom_kills = number_in("/proc/vmstat", "oom_kill");
  state.available = static_cast<std::uint64_t>(number_in("/proc/meminfo", "MemAvailable:")) * 1024;
  return state;
}

Journal::Journal(const std::filesystem::path& path)
    : file_(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644)),
      path_(path.string()) {
  if (file_ < 0) throw Error(fmt::format("{}: {}", path_, std::strerror(errno)));
  // If the last record was cut off, the next one must start on a new line.
  const off_t size = lseek(file_, 0, SEEK_END);
  char last = '\n';
  if (size > 0 && pread(file_, &last, 1, size - 1) == 1 && last != '\n') append("");
}

Journal::~Journal() { close(file_); }

void Journal::started(const CaseResult& planned) {
  const MemoryState memory = memory_state();
  const json record = {{"started", planned.index},
                       {"name", planned.name},
                       {"key", planned.key},
                       {"config_hash", planned.config_hash},
                       {"params", to_json(planned.params)},
                       {"predicted_memory", planned.predicted_memory},
                       {"at", planned.started},
                       {"boot", memory.boot},
                       {"oom_kills", memory.oom_kills},
                       {"available", memory.available}};
  append(record.dump(-1, ' ', false, json::error_handler_t::replace));
}

void Journal::phase(const CaseResult& current) {
  const json record = {{"phase", current.phase}, {"case", current.index}};
  append(record.dump(-1, ' ', false, json::error_handler_t::replace));
}

void Journal::lost(const CaseResult& current) {
  const json record = {{"lost", current.index},
                       {"status", to_string(current.status)},
                       {"reason", text::printable(current.reason, kMaxReason)}};
  append(record.dump(-1, ' ', false, json::error_handler_t::replace));
}

void Journal::saved(const CaseResult& current) {
  const json record = {{"saved", current.index}};
  append(record.dump(-1, ' ', false, json::error_handler_t::replace));
}

void Journal::kept(const CaseResult& current, int sweeps) {
  const json record = {{"kept", current.index}, {"sweeps", sweeps}};
  append(record.dump(-1, ' ', false, json::error_handler_t::replace));
}

void Journal::append(const std::string& line) {
  const std::string record = line + "\n";
  const ssize_t written = write(file_, record.data(), record.size());
  if (written != static_cast<ssize_t>(record.size())) {
    throw Error(fmt::format("{} could not be written: {}", path_,
                            written < 0 ? std::strerror(errno) : "no space left"));
  }
}

std::map<std::size_t, Begun> read_journal(const std::filesystem::path& path) {
  std::map<std::size_t, Begun> begun;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  // The process was killed after it created the folder and before it opened the journal.
  if (error) return begun;
  if (size > kMaxBytes) throw InputError(fmt::format("{}: larger than 256 MiB", path.string()));
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const json record = json::parse(line, nullptr, false);
    if (!record.is_object()) continue;
    try {
      take_record(record, begun);
    } catch (const json::exception&) {
      continue;
    }
  }
  return begun;
}

}  // namespace scalemark::store
