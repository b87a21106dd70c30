#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up and compiles as a cluster's user without root would: as nobody, with the system's header libraries, GoogleTest and
# Google Benchmark hidden. setup.sh fetches the former over the network; the build does without the latter.
# 77: this machine cannot hide them (no root, no mount namespaces).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
hidden=(/usr/include/{CLI,fmt,spdlog,toml++,nlohmann,boost,gtest,gmock,benchmark} /usr/share/cmake/{CLI11,nlohmann_json}
  /usr/lib/*/cmake/{fmt,spdlog,tomlplusplus,benchmark,GTest,Boost,boost}*)

skip() {
  echo "no_root_test.sh: skipped: $*" >&2
  exit 77
}

# As root, in a mount namespace of its own: an empty folder over each of the hidden ones.
hide() { # home
  local folder
  mount --make-rprivate /
  mkdir "$1/empty" "$1/source"
  chown nobody: "$1"
  for folder in "${hidden[@]}"; do
    if [[ -d $folder ]]; then mount --bind "$1/empty" "$folder"; fi
  done
  mount --bind "$here/../.." "$1/source"
  exec setpriv --reuid=nobody --regid=nogroup --clear-groups env -u XDG_CACHE_HOME -u LIBTORCH_DIR -u DALI_DIR \
    PATH=/usr/local/bin:/usr/bin:/bin HOME="$1" "$1/source/tests/jobscripts/no_root_test.sh" build
}

# Sources that include CLI11, toml++, Boost, spdlog with fmt, and nlohmann-json.
objects=(common/cli/CMakeFiles/scalemark_cli.dir/app.cpp.o common/core/CMakeFiles/scalemark_core.dir/peaks/peaks.cpp.o
  common/stats/CMakeFiles/scalemark_stats.dir/distributions.cpp.o common/base/CMakeFiles/scalemark_base.dir/log.cpp.o
  common/golden/CMakeFiles/scalemark_golden.dir/field.cpp.o)

compile() {
  local settings options header used
  [[ $(id -u) != 0 ]] || { echo "still root" >&2 && exit 1; }
  cd "$here/../.."
  # shellcheck source=jobscripts/lib.sh
  source jobscripts/lib.sh
  settings=$(jobscripts/setup.sh --no-apt --no-libtorch --headers)
  eval "$settings"
  mapfile -t options < <(build_options)
  configure cpu-release -B "$HOME/build" "${options[@]}" -DCMAKE_C_COMPILER_LAUNCHER= -DCMAKE_CXX_COMPILER_LAUNCHER=
  ninja -C "$HOME/build" "${objects[@]}"
  used=$(ninja -C "$HOME/build" -t deps "${objects[@]}")
  for header in CLI/CLI.hpp toml++/toml.h boost/math/policies/policy.hpp spdlog/spdlog.h fmt/format.h nlohmann/json.hpp; do
    grep -qF "$SCALEMARK_HEADERS/include/$header" <<<"$used" || { echo "$header of the cache folder was not used" >&2 && exit 1; }
  done
  if ninja -C "$HOME/build" -t targets all | grep -q '^\(scalemark-kernels\|test_programs\):'; then
    echo "there are targets that need Google Benchmark or GoogleTest" >&2
    exit 1
  fi
}

case ${1:-} in
  hide) hide "$2" ;;
  build) compile ;;
  *)
    [[ $(id -u) == 0 ]] || skip "only root can hide packages and become nobody"
    unshare --mount true 2>/dev/null || skip "unshare --mount is not allowed"
    home=$(mktemp -d /tmp/scalemark-no-root-XXXXXX)
    trap 'rm -rf "$home"' EXIT
    unshare --mount "$0" hide "$home"
    ;;
esac
