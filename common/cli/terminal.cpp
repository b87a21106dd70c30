// SPDX-License-Identifier: Apache-2.0
// Reads terminal properties from environment variables and ioctl, in order of precedence.
#include "common/cli/terminal.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/text.hpp"
#include "common/cli/launcher.hpp"
#include "common/mpi/environment.hpp"

namespace scalemark::cli {
namespace {

constexpr std::size_t kTerminalColumns = 80, kFileColumns = 100;
/// Columns of the launcher's terminal (0 = no terminal), for a launcher that runs on another
/// machine.
constexpr const char* kLauncherTerminal = "SCALEMARK_TERMINAL";
constexpr std::int64_t kMinColumns = 20, kMaxColumns = 10'000;

/// The variable's value; empty where it is not set.
std::string value_of(const Variables& variables, const char* name) {
  return variables(name).value_or("");
}

/// The stream of a process that a launcher started.
Stream launched_stream(int descriptor) {
  // Only rank 0 prints.
  if (mpi::promised_rank() != 0) return {};
  const std::string said = variable(kLauncherTerminal).value_or("");
  if (const auto columns = text::parse_integer(said)) {
    if (*columns >= kMinColumns && *columns <= kMaxColumns)
      return {true, static_cast<std::size_t>(*columns)};
    return {};
  }
  const std::optional<Launcher> launcher = find_launcher();
  return launcher ? stream_of(*launcher, descriptor) : Stream{};
}

}  // namespace

Stream stream_of(int descriptor) {
  if (mpi::promised_ranks() > 0) return launched_stream(descriptor);
  Stream stream;
  stream.terminal = isatty(descriptor) != 0;
  winsize size{};
  if (stream.terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0) stream.columns = size.ws_col;
  return stream;
}

std::optional<std::string> variable(const char* name) {
  const char* value =
      std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread changes it
  return value ? std::optional<std::string>(value) : std::nullopt;
}

bool use_color(const std::string& option, const Stream& stream, const Variables& variables) {
  if (option != "auto") return option == "always";
  if (!value_of(variables, "NO_COLOR").empty()) return false;
  for (const char* name : {"FORCE_COLOR", "CLICOLOR_FORCE"}) {
    const std::string value = value_of(variables, name);
    if (!value.empty() && value != "0") return true;
  }
  const std::string kind = value_of(variables, "TERM");
  return stream.terminal && !kind.empty() && kind != "dumb";
}

std::size_t output_width(const Stream& stream, const Variables& variables) {
  const auto wanted = text::parse_integer(value_of(variables, "COLUMNS"));
  if (wanted && *wanted >= kMinColumns && *wanted <= kMaxColumns)
    return static_cast<std::size_t>(*wanted);
  if (stream.columns > 0) return stream.columns;
  return stream.terminal ? kTerminalColumns : kFileColumns;
}

std::size_t table_width() {
  const Stream stream = stream_of(STDOUT_FILENO);
  return stream.terminal || variable("COLUMNS") ? output_width(stream) : 0;
}

bool knows_unicode(const Variables& variables) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = value_of(variables, name);
    if (value.empty()) continue;
    std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::tolower(c); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

void add_color_option(CLI::App& command, std::string& color) {
  command.add_option("--color", color, "Colour")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
}

}  // namespace scalemark::cli
