#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs a build into one folder that runs anywhere: programs, Open MPI with its plug-ins, HDF5, hwloc
# and the other libraries, presets, golden files and the GPU tests. LibTorch and CUDA are not packed: the
# launcher uses those of the machine. For machines where nothing can be installed.
#
#   bundle.sh [OPTION...]
#
#   --build DIR      the build (default build/cuda-release, else build/cpu-release)
#   --output FILE    the archive (default build/scalemark-bundle.tar.gz); the folder of the same name
#                    beside it is replaced
#   -h, --help       this text
#
# There:  tar xf scalemark-bundle.tar.gz
#         scalemark-bundle/run.sh [--libtorch DIR] mpirun -n 2 scalemark run --preset quick
# The machine needs a glibc at least as new as this one's, and LibTorch 2.11 (a Python site-packages/torch will do).
# Exit: 0 done, 2 usage, 3 something is missing, 4 the archive is too large.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/lib.sh"
root=$(repository)
limit_mb=45
shopt -s extglob

build_folder='' output=$root/build/scalemark-bundle.tar.gz
while (($#)); do
  case $1 in
    --build | --output)
      need_value "$@"
      if [[ $1 == --build ]]; then build_folder=$2; else output=$2; fi
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
if [[ -z $build_folder ]]; then
  build_folder=$root/build/cpu-release
  if [[ -x $root/build/cuda-release/suites/scalemark ]]; then build_folder=$root/build/cuda-release; fi
fi
[[ -x $build_folder/suites/scalemark ]] ||
  die 3 "there is no $build_folder/suites/scalemark: build first (tests/run.sh or jobscripts/quickstart.sh), or --build DIR"
[[ $(basename "$output") == ?*.tar.gz ]] || die 2 "--output is '$output', which must end in NAME.tar.gz"
build_folder=$(cd "$build_folder" && pwd)
mkdir -p "$(dirname "$output")"
output=$(cd "$(dirname "$output")" && pwd)/$(basename "$output")
bundle=${output%.tar.gz}
[[ ! -e $bundle || -d $bundle/lib/fallback ]] || die 2 "--output is '$output', and $bundle is there, which is no bundle: give another name"
for tool in mpirun ompi_info ldd readelf strip python3; do
  command -v "$tool" >/dev/null || die 3 "$tool was not found"
done
rm -rf "$bundle" "$output"
mkdir -p "$bundle"/{bin,lib/fallback,lib/openmpi,lib/pmix,share/pmix,etc,tests,presets,rules,golden,jobscripts}

# --- what is packed ----------------------------------------------------------------------------

say "Programs of $build_folder"
programs=("$build_folder/suites/scalemark")
if [[ -x $build_folder/suites/micro/scalemark-kernels ]]; then programs+=("$build_folder/suites/micro/scalemark-kernels"); fi
cp "${programs[@]}" "$bundle/bin/"
cp "$root"/suites/presets/*.toml "$bundle/presets/"
cp "$root"/common/formats/rules/*.yaml "$bundle/rules/"
cp "$here/lib.sh" "$here/runs.sh" "$here/local.sh" "$bundle/jobscripts/"
cp "$root/LICENSE" "$bundle/"
install -m 755 "$root/tests/gpu/run.sh" "$bundle/tests/run.sh"
cp -R "$root"/tests/gpu/{parts,verdicts.py,torch_imaging.py} "$bundle/tests/"

# Every GPU test known to CTest as a line of tests/list: name, then command.
ctest --test-dir "$build_folder" --show-only=json-v1 | BUNDLE=$bundle python3 "$here/bundle_tests.py"

# Golden files of verify, by topic.
if [[ -d $root/tests/golden ]]; then
  (cd "$root/tests/golden" && grep -rlZ --include='*.json' '"topic"' . | xargs -0 -r cp --parents -t "$bundle/golden")
fi

say "Open MPI"
ompi() { ompi_info --path "$1" --parsable | sed 's/^path:[a-z]*://'; }
cp -L "$(command -v mpirun)" "$bundle/bin/mpirun"
cp -L "$(command -v orted)" "$bundle/bin/orted"
cp -L "$(ompi pkglibdir)"/*.so "$bundle/lib/openmpi/"
cp -RL "$(ompi pkgdatadir)" "$bundle/share/openmpi"
cp -RL "$(ompi sysconfdir)" "$bundle/etc/openmpi"

# --- libraries ---------------------------------------------------------------------------------

# Libraries that every Linux of the same age or newer has, and those that come with CUDA and LibTorch.
is_left_out() { # name, path
  case $1 in
    ld-linux* | libc.so.* | libm.so.* | libmvec.so.* | libpthread.so.* | libdl.so.* | librt.so.* | libresolv.so.* | libutil.so.* | libanl.so.* | libnsl.so.*) return 0 ;;
    libtorch* | libc10* | libgomp* | libnv[a-zA-Z]*.so.* | libnccl.so.*) return 0 ;;
    libcu@(da|dart|blas|blasLt|dnn*|fft|file|pti|rand|solver*|sparse*).so.*) return 0 ;;
  esac
  [[ $2 == "${torch_root:-/none}"/* || $2 == /usr/local/cuda* ]]
}

torch_root=$(sed -n 's/^LIBTORCH_DIR:[A-Z]*=//p' "$build_folder/CMakeCache.txt")
if [[ $torch_root == */torch ]]; then torch_root=${torch_root%/torch}; fi

# All libraries that the packed files need, directly or indirectly; prints name and path.
needed_libraries() {
  find "$bundle/bin" "$bundle/lib" "$bundle/tests" -type f \( -perm -100 -o -name '*.so*' \) -print0 |
    xargs -0 -r ldd 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u
}

pack_libraries() {
  local name path added=1
  while ((added)); do
    added=0
    while read -r name path; do
      if is_left_out "$name" "$path"; then continue; fi
      case $name in
        libstdc++.so.* | libgcc_s.so.*) path_to=$bundle/lib/fallback/$name ;;
        *) path_to=$bundle/lib/$name ;;
      esac
      if [[ -e $path_to ]]; then continue; fi
      cp -L "$path" "$path_to"
      added=1
      case $name in
        libpmix.so.*) pack_pmix "$(realpath "$path")" ;;
        libucs.so.*) pack_ucx "$(realpath "$path")" ;;
      esac
    done < <(needed_libraries)
  done
}

pack_pmix() { # the library
  local prefix
  prefix=$(dirname "$(dirname "$1")")
  cp -L "$prefix"/lib/pmix/*.so "$bundle/lib/pmix/"
  cp -RL "$prefix/share/pmix/." "$bundle/share/pmix/"
}

# UCX searches for its modules in the folder ucx beside libucs.
pack_ucx() { # the library
  if [[ -d $(dirname "$1")/ucx ]]; then cp -RL "$(dirname "$1")/ucx" "$bundle/lib/ucx"; fi
}

say "Libraries"
pack_libraries
find "$bundle/bin" "$bundle/tests" "$bundle/lib" -type f \( -perm -100 -o -name '*.so*' \) -print0 |
  while IFS= read -r -d '' file; do
    if readelf -h "$file" >/dev/null 2>&1; then strip --strip-unneeded "$file"; fi
  done

# --- launcher ----------------------------------------------------------------------------------

# The newest symbol version that the programs need, which the machine must have.
newest() { # GLIBC or GLIBCXX
  readelf -V "${programs[@]}" | grep -o "$1_[0-9.]*" | sort -uV | tail -n 1
}
sed -e "s/@GLIBCXX@/$(newest GLIBCXX)/" -e "s/@GLIBC@/$(newest GLIBC)/" "$here/bundle_run.sh" >"$bundle/run.sh"
chmod 755 "$bundle/run.sh"
{
  "$build_folder/suites/scalemark" --version
  printf 'build %s, packed %s\n' "$(basename "$build_folder")" "$(date -u +%Y-%m-%dT%H:%MZ)"
} >"$bundle/VERSION"

say "Archive"
tar -C "$(dirname "$bundle")" --owner=0 --group=0 -cf - "$(basename "$bundle")" | gzip >"$output"
size=$(du -k "$output" | cut -f 1)
say "$output: $((size / 1024)) MiB; unpacked $(du -sm "$bundle" | cut -f 1) MiB"
((size <= limit_mb * 1024)) || die 4 "the archive has more than $limit_mb MiB"
echo "$output"
