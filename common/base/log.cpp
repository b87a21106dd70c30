// SPDX-License-Identifier: Apache-2.0
// The log: one spdlog logger that writes to stderr.
#include "common/base/log.hpp"

#include <string>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "common/base/progress_line.hpp"
#include "common/base/text.hpp"

namespace scalemark::log {
namespace {

struct State {
  spdlog::logger logger{"scalemark", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
  std::string prefix;
  int rank = 0;
  State() {
    logger.set_pattern("%v");
    logger.set_level(spdlog::level::trace);
    logger.flush_on(spdlog::level::trace);
  }
};

State& state() {
  static State instance;
  return instance;
}

void write(spdlog::level::level_enum level, std::string_view word, const std::string& text) {
  State& current = state();
  if (!current.logger.should_log(level)) return;
  // Each line of a message gets the prefix, so that lines of several ranks can be told apart.
  for (const std::string& line : text::split(text, '\n')) {
    const std::string shown =
        fmt::format("{}{}: {}", current.prefix, word, text::printable(line, 65536));
    current.logger.log(level, spdlog::string_view_t(shown.data(), shown.size()));
  }
}

}  // namespace

void configure(int rank, int size, std::string_view host, int verbosity) {
  State& current = state();
  current.rank = rank;
  current.prefix = fmt::format("[{}/{} {}] ", rank, size, text::printable(host, 256));
  current.logger.set_level(verbosity < 0    ? spdlog::level::warn
                           : verbosity == 0 ? spdlog::level::info
                                            : spdlog::level::debug);
}

void set_over_progress(bool over) {
  state().logger.set_pattern(over ? std::string(kEraseLine) + "%v" : "%v");
}

void debug(const std::string& text) { write(spdlog::level::debug, "debug", text); }

void info(const std::string& text) {
  if (state().rank == 0) write(spdlog::level::info, "info", text);
}

void warn(const std::string& text) { write(spdlog::level::warn, "warn", text); }

void error(const std::string& text) { write(spdlog::level::err, "error", text); }

}  // namespace scalemark::log
