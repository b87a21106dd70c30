#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs a build and runs the bundle on two ranks while the machine's own Open MPI, HDF5, hwloc and the
# like are hidden (in a mount namespace of its own), as on a machine that has none of these.
#
#   bundle_test.sh BUILD LIBTORCH
#
# Exit: 0 passed, 1 failed, 77 skipped: no mount namespace can be made here.
set -euo pipefail

fail() {
  echo "bundle_test.sh: $*" >&2
  exit 1
}

# --- second half, inside the namespace: bundle_test.sh --hidden FOLDER LIBTORCH
hide_libraries() {
  local file folder
  for folder in /usr/lib/*-linux-gnu /usr/local/lib; do
    while IFS= read -r -d '' file; do mount --bind /dev/null "$file"; done < <(find "$folder" -maxdepth 1 -type f \
      \( -name 'libmpi*' -o -name 'libopen-*' -o -name 'libmca_*' -o -name 'libpmix*' -o -name 'libhdf5*' -o -name 'libhwloc*' \
      -o -name 'libevent*' -o -name 'libfmt*' -o -name 'libspdlog*' -o -name 'libbenchmark*' -o -name 'libuc[mpst]*' \
      -o -name 'libfabric*' -o -name 'libpsm*' -o -name 'libaec*' -o -name 'libsz*' \) -print0 2>/dev/null)
  done
  for folder in /usr/lib/*-linux-gnu/{openmpi,pmix2,ucx,hdf5} /usr/share/openmpi /etc/openmpi; do
    if [[ -d $folder ]]; then mount -t tmpfs none "$folder"; fi
  done
  for file in /usr/bin/{orterun,orted,ompi_info}; do
    if [[ -f $file ]]; then mount --bind /dev/null "$file"; fi
  done
}

run_hidden() { # folder, libtorch
  local bundle=$1/there/scalemark-bundle torch=()
  hide_libraries
  if mpirun -n 1 true 2>/dev/null; then fail "the machine's own mpirun still works, so this shows nothing"; fi
  if [[ -n $2 ]]; then torch=(--libtorch "$2"); fi
  "$bundle/run.sh" "${torch[@]}" scalemark list >/dev/null || fail "list"
  "$bundle/run.sh" "${torch[@]}" mpirun -n 2 --oversubscribe --bind-to none scalemark run --preset smoke --output "$1/smoke.h5" ||
    fail "run under the bundle's mpirun"
  "$bundle/run.sh" "${torch[@]}" scalemark show "$1/smoke.h5" --format jsonl >"$1/rows"
  grep -q '"micro/allreduce.*ranks=2' "$1/rows" || fail "there is no row of two ranks"
  # The launcher of the bundle, and help texts: an option that mpirun does not know.
  "$bundle/run.sh" "${torch[@]}" "$bundle/jobscripts/local.sh" --output "$1/local" -- micro/memcpy --quick || fail "local.sh in the bundle"
  [[ -f $1/local/run-1.h5 ]] || fail "local.sh wrote no file"
  "$bundle/run.sh" "${torch[@]}" mpirun -n 1 /nonexistent/program 2>"$1/help" && fail "mpirun started a program that is not there"
  if grep -q 'help file' "$1/help"; then fail "mpirun does not find its help texts: $(cat "$1/help")"; fi
  # What is loaded comes from the bundle, LibTorch and the C library's family, from nowhere else.
  "$bundle/run.sh" "${torch[@]}" ldd "$bundle"/bin/* "$bundle"/lib/openmpi/*.so >"$1/ldd" 2>&1 || true
  grep -q 'libhdf5.* => ' "$1/ldd" || fail "ldd named no library: $(head -n 5 "$1/ldd")"
  if grep 'not found' "$1/ldd" | grep -v 'libcuda\.so\|libnv' | sort -u | grep .; then fail "libraries are missing"; fi
  echo "The bundle ran on two ranks without the machine's Open MPI and HDF5."
}

if [[ ${1:-} == --hidden ]]; then
  run_hidden "$2" "$3"
  exit 0
fi

# --- first half
(($# == 2)) || fail "usage: bundle_test.sh BUILD LIBTORCH"
namespace=(unshare --mount)
if [[ $(id -u) != 0 ]]; then namespace=(unshare --mount --map-root-user); fi
"${namespace[@]}" true 2>/dev/null || {
  echo "skipped: no mount namespace can be made here"
  exit 77
}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$here/../../jobscripts/bundle.sh" --build "$1" --output "$folder/scalemark-bundle.tar.gz"
# Somewhere else than where it was packed, which must not matter.
mkdir "$folder/there"
tar -xzf "$folder/scalemark-bundle.tar.gz" -C "$folder/there"
rm -rf "$folder/scalemark-bundle"
env -i PATH=/usr/bin:/bin HOME="$folder" OMP_NUM_THREADS=1 "${namespace[@]}" "$here/bundle_test.sh" --hidden "$folder" "$2"
