// SPDX-License-Identifier: Apache-2.0
// For LD_PRELOAD: the host is called $OTHER_HOST and the user $OTHER_USER, so that a test knows
// what must not be found in a redacted file.
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <pwd.h>
#include <unistd.h>

extern "C" {

int gethostname(char* name, size_t size) {
  static const auto real =
      reinterpret_cast<int (*)(char*, size_t)>(dlsym(RTLD_NEXT, "gethostname"));
  const char* other = std::getenv("OTHER_HOST");
  if (other == nullptr || size == 0) return real(name, size);
  std::strncpy(name, other, size);
  name[size - 1] = '\0';
  return 0;
}

passwd* getpwuid(uid_t user) {
  static const auto real = reinterpret_cast<passwd* (*)(uid_t)>(dlsym(RTLD_NEXT, "getpwuid"));
  static std::string name;
  static passwd entry;
  const passwd* found = real(user);
  const char* other = std::getenv("OTHER_USER");
  if (found == nullptr || other == nullptr) return real(user);
  entry = *found;
  name = other;
  entry.pw_name = name.data();
  return &entry;
}

}  // extern "C"
