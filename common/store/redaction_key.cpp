// SPDX-License-Identifier: Apache-2.0
// Reads the secret of redaction, or creates it from the system's random source.
#include "common/store/redaction_key.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/descriptor.hpp"
#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/sha256.hpp"
#include "common/base/temporary_file.hpp"
#include "common/base/text.hpp"

namespace scalemark::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "SCALEMARK_REDACTION_KEY_FILE";
constexpr std::size_t kRandomBytes = 32;
constexpr std::size_t kFewest = 32, kMost = 4096;  // bytes of a file

/// What happened to a file of the user's own, so that it cannot be kept.
class NoPlace : public Error {
 public:
  using Error::Error;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread changes it
  return value == nullptr ? "" : value;
}

std::string shown(const fs::path& path) { return text::printable(path.string(), 300); }

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw UsageError(fmt::format("--redact: the secret in {} {}", shown(path), reason));
}

/// Random bytes of the system, as 64 hexadecimal digits and a line end.
std::string new_secret() {
  std::array<unsigned char, kRandomBytes> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(fmt::format("--redact: no random numbers: {}", std::strerror(errno)));
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text + "\n";
}

void check_access(const struct stat& facts, const fs::path& path, bool is_named) {
  const mode_t mode = facts.st_mode & 07777;
  if (!S_ISREG(facts.st_mode)) refuse(path, "is no regular file");
  if (!is_named && facts.st_uid != geteuid()) refuse(path, "belongs to another user");
  const mode_t forbidden = is_named ? 027 : 077;
  if ((mode & forbidden) != 0) {
    refuse(path, fmt::format("may be read or written by others (mode {:04o}). Allow {:04o} at most "
                             "(chmod); if others have seen it, make another one",
                             mode, is_named ? 0640 : 0600));
  }
}

/// The whole file; nothing if it does not exist.
std::optional<std::string> read_secret(const fs::path& path, bool is_named) {
  // O_NONBLOCK: a FIFO is refused and not waited for.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (is_named ? 0 : O_NOFOLLOW);
  const Descriptor file(open(path.c_str(), flags));
  if (file.get() < 0 && errno == ENOENT) return std::nullopt;
  if (file.get() < 0 && errno == ELOOP) refuse(path, "is a link");
  if (file.get() < 0 && (errno == ENOTDIR || errno == EACCES) && !is_named)
    throw NoPlace(fmt::format("{}: {}", shown(path), std::strerror(errno)));
  if (file.get() < 0) refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  struct stat facts {};
  if (fstat(file.get(), &facts) != 0)
    refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  check_access(facts, path, is_named);
  std::string content(kMost + 1, '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t got = read(file.get(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size < kFewest || size > kMost)
    refuse(path, fmt::format("has {}{} bytes, allowed: {} to {}", size > kMost ? "over " : "",
                             size > kMost ? kMost : size, kFewest, kMost));
  content.resize(size);
  return content;
}

[[noreturn]] void give_up(const fs::path& path) {
  throw NoPlace(fmt::format("{}: {}", shown(path), std::strerror(errno)));
}

/// Creates the folders above the file, for the user only.
void make_folders(const fs::path& folder) {
  if (folder.has_parent_path() && folder.parent_path() != folder) {
    std::error_code error;
    if (!fs::exists(folder.parent_path(), error)) make_folders(folder.parent_path());
  }
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) give_up(folder);
}

/// A temporary name, then a link: another process never reads half a secret, and the first of
/// several that start at once wins.
void create_secret(const fs::path& path) {
  make_folders(folder_of(path));
  const fs::path temporary = temporary_name(folder_of(path), path.filename().string());
  const std::string secret = new_secret();
  const Descriptor file(
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) give_up(temporary);
  bool is_made =
      write(file.get(), secret.data(), secret.size()) == static_cast<ssize_t>(secret.size()) &&
      fsync(file.get()) == 0;
  if (is_made) is_made = link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST;
  const int problem = errno;
  unlink(temporary.c_str());
  errno = problem;
  if (!is_made) give_up(path);
}

RedactionKey of_this_process(const std::string& reason) {
  log::warn(fmt::format(
      "--redact: names are replaced by a secret for this run only ({}). Other runs replace them "
      "otherwise, and --resume is refused. {} names a file to keep the secret in",
      reason, kVariable));
  return {new_secret(), false};
}

}  // namespace

std::string RedactionKey::label() const { return hmac_sha256(secret, "label").substr(0, 10); }

fs::path redaction_key_path() {
  // The XDG base directory specification: relative paths are ignored.
  fs::path state = variable("XDG_STATE_HOME");
  if (!state.is_absolute()) {
    fs::path home = variable("HOME");
    const passwd* user = home.empty() ? getpwuid(geteuid()) : nullptr;
    if (user != nullptr && user->pw_dir != nullptr) home = user->pw_dir;
    std::error_code error;
    if (!home.is_absolute() || !fs::is_directory(home, error)) return {};
    state = home / ".local" / "state";
  }
  return state / "scalemark" / "redaction-key";
}

RedactionKey redaction_key() {
  if (const std::string named = variable(kVariable); !named.empty()) {
    const std::optional<std::string> secret = read_secret(named, true);
    if (!secret) {
      throw UsageError(fmt::format(
          "{} is '{}', which does not exist. Make it: (umask 077; openssl rand -hex 32 >FILE)",
          kVariable, text::printable(named, 300)));
    }
    return {*secret};
  }
  const fs::path path = redaction_key_path();
  if (path.empty()) return of_this_process("this user has no home folder");
  try {
    std::optional<std::string> secret = read_secret(path, false);
    if (secret) return {*secret};
    create_secret(path);
    secret = read_secret(path, false);
    if (!secret) return of_this_process(shown(path) + " disappeared");
    log::info(fmt::format("--redact: the secret that replaces names is new: {}", shown(path)));
    return {*secret};
  } catch (const NoPlace& problem) {
    return of_this_process(problem.what());
  }
}

}  // namespace scalemark::store
