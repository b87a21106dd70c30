#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Scalemark's programs and tests, without LibTorch, against another MPI than the system's.
#
#   tests/mpi/build.sh openmpi|mpich
#
#   openmpi   Open MPI 5 (MPI-4: sessions, persistent collectives of its own)
#   mpich     MPICH 5 (MPI-4; Intel MPI and Cray MPICH have its binary interface)
#
# The MPI is a wheel (7 and 13 MB), which pip installs into the build folder, build/cpu-NAME.
# Exit: 0 built, 1 the build failed, 2 usage, 3 or 4 the MPI could not be installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/../../jobscripts/lib.sh"

case ${1:-} in
  openmpi | mpich) name=$1 ;;
  -h | --help)
    print_help "$0"
    exit 0
    ;;
  *) die 2 "the MPI is '${1:-}', allowed: openmpi, mpich" ;;
esac
folder=$(repository)/build/cpu-$name
mpi=$folder/mpi

if [[ ! -e $mpi/complete ]]; then
  rm -rf "$mpi"
  mkdir -p "$folder"
  python3 -m venv "$mpi" || die 3 "python3-venv is missing: apt-get install python3-venv"
  "$mpi/bin/python3" -m pip --disable-pip-version-check -q install --require-hashes --no-deps -r "$here/$name.txt" ||
    die 4 "$name could not be downloaded"
  touch "$mpi/complete"
fi
mpirun=$mpi/bin/mpirun
if [[ $name == mpich ]]; then
  cp "$here/mpiexec_as_mpirun.sh" "$mpi/bin/"
  mpirun=$mpi/bin/mpiexec_as_mpirun.sh
fi
configure cpu-release -B "$folder" -DSCALEMARK_WERROR=ON -DSCALEMARK_UNITY=ON -DSCALEMARK_FAST_TESTS=ON \
  -DSCALEMARK_ENABLE_LIBTORCH=OFF -DMPI_C_COMPILER="$mpi/bin/mpicc" -DMPIEXEC_EXECUTABLE="$mpi/bin/mpiexec" \
  -DSCALEMARK_MPIRUN_PROGRAM="$mpirun"
build "cpu-$name" programs test_programs scalemark-micro scalemark-files scalemark-faulty
