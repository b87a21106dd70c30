// SPDX-License-Identifier: Apache-2.0
// Opening, resuming and finishing a run's file.
#include "common/store/writer.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/text.hpp"
#include "common/store/parts.hpp"

namespace scalemark {
namespace {

constexpr std::uintmax_t kLeastSpace = 16 << 20;

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

/// State and start time of a process of this host, from /proc/PID/stat; empty if there is none. The start
/// time tells it from a later process that was given the same number.
std::string identity(const std::string& pid) {
  std::ifstream stat("/proc/" + pid + "/stat");
  std::string line;
  if (!std::getline(stat, line) || line.rfind(')') == std::string::npos) return "";
  // After the name in parentheses: state is field 3, the start time field 22.
  const std::vector<std::string> fields = text::split(line.substr(line.rfind(')') + 2), ' ');
  if (fields.size() < 20 || fields[0] == "Z" || fields[0] == "X") return "";
  return fields[19];
}

std::string own_identity() {
  const std::string pid = std::to_string(getpid());
  return fmt::format("{} {} {}", host_name(), pid, identity(pid));
}

/// Whether the process that wrote the lock is gone: only this host's processes can be asked.
bool is_stale(const std::string& owner) {
  const std::vector<std::string> words = text::split(owner, ' ');
  if (words.size() != 3 || words[0] != host_name() || !text::parse_integer(words[1])) return false;
  return identity(words[1]) != words[2];
}

}  // namespace

FileSink::FileSink(WriterOptions options)
    : options_(std::move(options)), parts_(options_.output.string() + ".parts") {}

FileSink::~FileSink() {
  std::error_code ignored;
  if (locked_) std::filesystem::remove(parts_ / "lock", ignored);
}

void FileSink::begin(const Run& run) {
  const std::string output = options_.output.string();
  if (std::filesystem::exists(options_.output) && !options_.force) {
    throw UsageError(options_.resume ? fmt::format("--resume: {} is finished already", output)
                                     : fmt::format("{} exists; --force replaces it", output));
  }
  const bool parts_exist = std::filesystem::exists(parts_);
  if (parts_exist && !options_.force && !options_.resume) {
    throw UsageError(fmt::format("{} exists: an earlier run did not end; --resume continues it, --force replaces it", parts_.string()));
  }
  if (options_.resume && !parts_exist) throw UsageError(fmt::format("--resume: there is no {} to continue", parts_.string()));
  if (parts_exist && options_.force) std::filesystem::remove_all(parts_);
  std::error_code error;
  std::filesystem::create_directory(parts_, error);
  if (error) throw UsageError(fmt::format("--output {}: {} cannot be made: {}", output, parts_.string(), error.message()));
  check_space();
  lock();
  if (options_.redact) redactor_ = std::make_unique<store::Redactor>(run);
  if (options_.resume && std::filesystem::exists(parts_ / store::kMetaName)) {
    take_over(run);
  } else {
    header_ = redactor_ ? redactor_->redact(run) : run;
    store::write_meta(parts_, header_);
  }
  journal_ = std::make_unique<store::Journal>(parts_ / store::kJournalName);
}

void FileSink::check_space() const {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(parts_, error);
  if (!error && space.available < kLeastSpace) {
    throw UsageError(fmt::format("--output {}: only {} KiB are free there; 16 MiB are the least", options_.output.string(), space.available / 1024));
  }
}

void FileSink::lock() {
  const std::filesystem::path path = parts_ / "lock";
  for (int attempt = 0; attempt < 2; ++attempt) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file >= 0) {
      const std::string owner = own_identity();
      const bool written = write(file, owner.data(), owner.size()) == static_cast<ssize_t>(owner.size());
      close(file);
      if (!written) throw UsageError(fmt::format("--output: {} cannot be written", path.string()));
      locked_ = true;
      return;
    }
    if (errno != EEXIST) throw UsageError(fmt::format("--output: {}: {}", path.string(), std::strerror(errno)));
    std::string owner;
    std::getline(std::ifstream(path), owner);
    if (!is_stale(owner)) {
      throw UsageError(fmt::format("{} is being written by another process ({}); if it is gone for good, remove {}",
                                   options_.output.string(), text::printable(owner, 120), path.string()));
    }
    std::filesystem::remove(path);
  }
  throw UsageError(fmt::format("--output: {} cannot be taken over", path.string()));
}

void FileSink::take_over(const Run& run) {
  header_ = store::read_meta(parts_);
  if (header_.planned != run.planned) {
    throw UsageError(fmt::format("--resume: {} was begun with another plan ({} cases, now {}); use the options of that run, or --force",
                                 parts_.string(), header_.planned.size(), run.planned.size()));
  }
  for (const auto& [index, result] : store::read_segments(parts_, false)) finished_[index] = result.status;
  for (const auto& [index, begun] : store::read_journal(parts_ / store::kJournalName)) {
    if (finished_.contains(index) || begun.tries < store::kTries) continue;
    const CaseResult given_up = store::interrupted_case(header_, index, begun.tries, begun.phase, begun.predicted_memory);
    log::warn(fmt::format("case '{}' is given up: {}", given_up.key, given_up.reason));
    store::write_segment(parts_, given_up);
    finished_[index] = given_up.status;
  }
}

void FileSink::started(const CaseResult& planned) { journal_->started(planned); }

void FileSink::phase(const CaseResult& current) { journal_->phase(current); }

void FileSink::add(const CaseResult& result) {
  store::write_segment(parts_, redactor_ ? redactor_->redact(result) : result);
}

void FileSink::end(const Run& run) {
  header_.complete = run.complete;
  header_.exit_reason = run.exit_reason;
  journal_.reset();
  if (!run.complete) {
    // Stopped on purpose: the parts stay, so that --resume can go on.
    store::write_meta(parts_, header_);
    return;
  }
  store::merge(parts_, options_.output, header_);
  locked_ = false;
}

}  // namespace scalemark
