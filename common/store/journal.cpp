// SPDX-License-Identifier: Apache-2.0
// Writing and reading the journal.
#include "common/store/journal.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"

namespace scalemark::store {

Journal::Journal(const std::filesystem::path& path)
    : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)), path_(path.string()) {
  if (file_ < 0) throw Error(fmt::format("{}: {}", path_, std::strerror(errno)));
}

Journal::~Journal() { close(file_); }

void Journal::started(const CaseResult& planned) {
  append(nlohmann::json({{"started", planned.index}, {"key", planned.key}, {"predicted_memory", planned.predicted_memory}}).dump());
}

void Journal::phase(const CaseResult& current) {
  append(nlohmann::json({{"phase", current.phase}, {"case", current.index}}).dump());
}

void Journal::append(const std::string& line) {
  const std::string record = line + "\n";
  if (write(file_, record.data(), record.size()) != static_cast<ssize_t>(record.size())) {
    throw Error(fmt::format("{} could not be written: {}", path_, std::strerror(errno)));
  }
}

std::map<std::size_t, Begun> read_journal(const std::filesystem::path& path) {
  std::map<std::size_t, Begun> begun;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object()) break;
    try {
      if (record.contains("started")) {
        Begun& one = begun[record.at("started").get<std::size_t>()];
        ++one.tries;
        one.key = record.at("key");
        one.predicted_memory = record.at("predicted_memory");
        one.phase = "start";
      } else {
        begun[record.at("case").get<std::size_t>()].phase = record.at("phase");
      }
    } catch (const nlohmann::json::exception&) {
      throw InputError(fmt::format("{}: a record is not of the journal's form", path.string()));
    }
  }
  return begun;
}

}  // namespace scalemark::store
