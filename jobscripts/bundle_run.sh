#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command with the programs and libraries of this bundle; LibTorch comes from the machine.
#
#   run.sh [--libtorch DIR] COMMAND [ARGUMENT...]
#   run.sh mpirun -n 2 scalemark run --preset quick
#   run.sh scalemark show FILE.h5
#
#   --libtorch DIR   LibTorch 2.11: a Python site-packages or its torch folder (default: LIBTORCH_DIR, else
#                    the torch of the python3 on PATH)
#   -h, --help       this text
#
# Exit: that of the command; 2 usage, 3 something is missing on this machine.
set -euo pipefail

fail() {
  echo "run.sh: $2" >&2
  exit "$1"
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
torch=${LIBTORCH_DIR:-}
while [[ ${1:-} == -* ]]; do
  case $1 in
    --libtorch)
      [[ $# -ge 2 ]] || fail 2 "--libtorch needs a value"
      torch=$2
      shift 2
      ;;
    -h | --help)
      awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"
      exit 0
      ;;
    *) fail 2 "unknown option '$1' (see --help)" ;;
  esac
done
(($#)) || fail 2 "no command is given (see --help)"

# --- LibTorch: torch/lib and the libraries of the wheels beside it
if [[ -z $torch ]] && command -v python3 >/dev/null; then
  torch=$(python3 -c 'import importlib.util as u; s = u.find_spec("torch"); print(s.submodule_search_locations[0] if s else "")' 2>/dev/null) || torch=
fi
libraries=$here/lib
if [[ -n $torch ]]; then
  if [[ -e $torch/torch/lib/libtorch_cpu.so ]]; then torch=$torch/torch; fi
  [[ -e $torch/lib/libtorch_cpu.so ]] || fail 3 "LibTorch: '$torch' holds neither lib/libtorch_cpu.so nor torch/lib/libtorch_cpu.so"
  torch=$(cd "$torch" && pwd)
  libraries+=:$torch/lib
  for folder in "$(dirname "$torch")"/nvidia/{*/lib,dali}; do
    if [[ -d $folder ]]; then libraries+=:$folder; fi
  done
fi

# The C++ library of the machine, unless it is older than the one the programs were built with.
system=$(ldconfig -p 2>/dev/null | awk '/libstdc\+\+\.so\.6 .*x86-64/ && !found { print $NF; found = 1 }') || system=
if [[ -z $system ]] || ! grep -qaF '@GLIBCXX@' "$system"; then libraries+=:$here/lib/fallback; fi

export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PATH=$here/bin:$PATH SCALEMARK=$here/bin/scalemark
# Open MPI and PMIx find their plug-ins relative to these folders.
export OPAL_PREFIX=$here OPAL_BINDIR=$here/bin OPAL_LIBDIR=$here/lib OPAL_PKGLIBDIR=$here/lib/openmpi
export OPAL_DATADIR=$here/share OPAL_PKGDATADIR=$here/share/openmpi OPAL_SYSCONFDIR=$here/etc/openmpi
export PMIX_INSTALL_PREFIX=$here PMIX_LIBDIR=$here/lib PMIX_PKGLIBDIR=$here/lib/pmix
export PMIX_DATADIR=$here/share PMIX_PKGDATADIR=$here/share/pmix PMIX_SYSCONFDIR=$here/etc
if [[ $(id -u) == 0 ]]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi

if ! problem=$("$here/bin/scalemark" --version 2>&1 >/dev/null); then
  fail 3 "scalemark does not start here (it needs @GLIBC@ or newer, and LibTorch 2.11 by --libtorch):
$problem"
fi
exec "$@"
