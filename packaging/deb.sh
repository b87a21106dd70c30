#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a Debian package of Scalemark without LibTorch and CUDA: communication, memory and comparisons, for login
# nodes and CPU clusters. Trainings need LibTorch, which Debian does not have: install from source for these.
#
#   packaging/deb.sh [--output DIR]
#
#   --output DIR     where the package goes (default build/package)
#   -h, --help       this text
#
# Needs what jobscripts/setup.sh --no-libtorch installs, dpkg-dev and file. Prints the path of the package.
# Exit: 0 done, 2 usage, 3 something is missing, else that of the step that failed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/../jobscripts/lib.sh"
root=$(repository)
output=$root/build/package
while (($#)); do
  case $1 in
    --output)
      need_value "$@"
      output=$2
      shift
      ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    *) die 2 "unknown option '$1' (see --help)" ;;
  esac
  shift
done
for tool in cpack dpkg-shlibdeps file; do
  command -v "$tool" >/dev/null || die 3 "$tool was not found: apt-get install cmake dpkg-dev file"
done
mkdir -p "$output"
output=$(cd "$output" && pwd)

configure cpu-release -B "$root/build/package-build" -DSCALEMARK_UNITY=ON -DSCALEMARK_BUILD_TESTS=OFF \
  -DSCALEMARK_ENABLE_LIBTORCH=OFF -DSCALEMARK_ENABLE_DALI=OFF -DCMAKE_INSTALL_PREFIX=/usr
build package-build
cpack --config "$root/build/package-build/CPackConfig.cmake" -B "$output" >&2
find "$output" -maxdepth 1 -name 'scalemark_*.deb' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-
