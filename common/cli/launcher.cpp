// SPDX-License-Identifier: Apache-2.0
// Finds the launcher in /proc and builds the command line that resumes a run.
#include "common/cli/launcher.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/process.hpp"
#include "common/base/shell.hpp"
#include "common/base/text.hpp"

namespace scalemark::cli {
namespace {

/// How far to search: shells and proxies may stand between a launcher and its rank.
constexpr int kMaxAncestors = 16;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int parent_of(int pid) {
  const std::optional<ProcessStat> stat = process_stat(pid);
  return stat ? stat->parent : 0;
}

bool is_launcher(int pid) {
  std::string name = content_of(fmt::format("/proc/{}/comm", pid));
  std::erase(name, '\n');
  return name.starts_with("mpirun") || name.starts_with("mpiexec") || name == "orterun" ||
         name == "prterun";
}

std::vector<std::string> command_of(int pid) {
  std::string line = content_of(fmt::format("/proc/{}/cmdline", pid));
  if (!line.empty() && line.back() == '\0') line.pop_back();
  return text::split(line, '\0');
}

/// Whether mpirun has an option that prefixes each line or also writes the output to files.
bool marks_lines(const std::vector<std::string>& command) {
  constexpr std::array kMarks = {"tag-output", "timestamp-output", "output-filename",
                                 "xml",        "prepend-rank",     "prefix-output"};
  return std::ranges::any_of(command, [&](const std::string& word) {
    const std::size_t name = word.find_first_not_of('-');
    return name != std::string::npos && name > 0 &&
           std::ranges::find(kMarks, word.substr(name)) != kMarks.end();
  });
}

}  // namespace

std::optional<Launcher> find_launcher() {
  int pid = getppid();
  for (int i = 0; i < kMaxAncestors && pid > 1; ++i, pid = parent_of(pid)) {
    if (is_launcher(pid)) return Launcher{pid, command_of(pid)};
  }
  return std::nullopt;
}

Stream stream_of(const Launcher& launcher, int descriptor) {
  Stream stream;
  const std::string path = fmt::format("/proc/{}/fd/{}", launcher.pid, descriptor);
  struct stat kind {};
  // Opens only terminals: opening a pipe would add a second reader.
  if (marks_lines(launcher.command) || stat(path.c_str(), &kind) != 0 || !S_ISCHR(kind.st_mode))
    return stream;
  const int terminal = open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (terminal < 0) return stream;
  winsize size{};
  stream.terminal = isatty(terminal) != 0;
  if (stream.terminal && ioctl(terminal, TIOCGWINSZ, &size) == 0) stream.columns = size.ws_col;
  close(terminal);
  return stream;
}

std::optional<std::vector<std::string>> words_before(std::span<const std::string> command,
                                                     std::span<const std::string> program) {
  if (program.empty() || command.size() <= program.size()) return std::nullopt;
  const auto before = command.first(command.size() - program.size());
  // Compares file names: the launcher may have found the program through PATH.
  const auto name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  if (name(command[before.size()]) != name(program[0]) ||
      !std::ranges::equal(command.subspan(before.size() + 1), program.subspan(1)))
    return std::nullopt;
  return std::vector<std::string>(before.begin(), before.end());
}

std::vector<std::string> resuming(std::vector<std::string> program, const std::string& output) {
  const auto is_output = [](const std::string& word) {
    return word == "--output" || word.starts_with("--output=") || word.starts_with("-o");
  };
  const bool named = std::ranges::any_of(program, is_output);
  const bool resumes = std::ranges::find(program, "--resume") != program.end();
  std::erase(program, "--force");
  // Insert right after `run`: words behind a "--" would be filters.
  const auto run = std::ranges::find(program, "run");
  auto place = run == program.end() ? program.end() : run + 1;
  if (!resumes) place = program.insert(place, "--resume") + 1;
  if (!named) program.insert(place, {"--output", output});
  return program;
}

std::string resume_hint(const std::vector<std::string>& program, const std::string& output,
                        int ranks) {
  std::vector<std::string> command = resuming(program, output);
  const std::string finished = "Finished cases are kept. ";
  const std::optional<Launcher> launcher = find_launcher();
  const auto before = launcher ? words_before(launcher->command, program)
                               : std::optional<std::vector<std::string>>();
  if (before) command.insert(command.begin(), before->begin(), before->end());
  const std::string line = shell::line(command);
  if (before || ranks == 1) return fmt::format("{}To resume:\n  {}\n", finished, line);
  return fmt::format("{}To resume, with the same launcher on {} ranks:\n  {}\n", finished, ranks,
                     line);
}

}  // namespace scalemark::cli
