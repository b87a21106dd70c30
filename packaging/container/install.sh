#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and installs Scalemark under /usr/local: what both container files run. On a machine of one's own
# jobscripts/quickstart.sh does more.
#
#   packaging/container/install.sh PRESET --cpu|--cuda|--no-libtorch
#
# Exit: 0 done, 2 usage, else that of the step that failed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/../../jobscripts/lib.sh"
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  print_help "$0"
  exit 0
fi
[[ $# == 2 && $1 =~ ^(cpu|cuda)-release$ && $2 =~ ^--(cpu|cuda|no-libtorch)$ ]] || die 2 "give a preset and --cpu, --cuda or --no-libtorch (see --help)"
settings=$("$here/../../jobscripts/setup.sh" "$2")
eval "$settings"
mapfile -t options < <(build_options)
configure "$1" "${options[@]}" -DSCALEMARK_UNITY=ON -DSCALEMARK_BUILD_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr/local
build "$1"
cmake --install "$(repository)/build/$1" --component programs >&2
rm -rf "$(repository)/build"
