#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Scalemark is built from: packages by apt, and LibTorch 2.11.0 and DALI 2.4.0 from their
# wheels into a cache folder (XDG_CACHE_HOME or ~/.cache, below it scalemark/). Existing installations are kept.
#
#   setup.sh [OPTION...]
#
#   --cpu            LibTorch for CPUs (0.6 GB to download, 1.1 GB unpacked): the default without a GPU
#   --cuda           LibTorch with its CUDA libraries (2.6 GB, 3.8 GB unpacked): the default where an
#                    NVIDIA GPU is found; its driver must run CUDA 13
#   --libtorch DIR   use this LibTorch: the folder that holds lib/libtorch_cpu.so or torch/lib/..., also a Python
#                    site-packages (default: the environment's LIBTORCH_DIR, if set). Tried were 2.11 to
#                    2.15: a newer one is used with a warning, an older one is refused
#   --libtorch newest  fetch 2.15.0 for CPUs in place of 2.11.0 (0.6 GB, 1.1 GB unpacked)
#   --no-libtorch    without LibTorch: training and model benchmarks are skipped
#   --dali           also DALI, for the imaging suite's DALI loader (0.23 GB, 0.6 GB unpacked), or the
#                    one in the environment's DALI_DIR, a folder that holds nvidia/dali
#   --no-dali        do not use an earlier --dali any more
#   --tokenizer      also Llama 3's tokenizer.model (7 MB to download; under Meta's licence, kept in the
#                    cache folder). If the download fails, the set-up warns and continues
#   --mlperf         also mlcommons' log checker, for a test (0.4 MB to download; Apache-2.0, kept in the cache
#                    folder). If the download fails, the set-up warns and continues
#   --headers        fetch CLI11, fmt, spdlog, nlohmann-json, toml++ and Boost's headers into the cache folder (0.03 GB,
#                    0.16 GB unpacked). Users who cannot install packages get the missing ones automatically
#   --no-apt         install no packages: tools, MPI, HDF5 and hwloc come from the environment
#   --offline        use no network; report what is missing
#   --dev            also what the tests and checks need
#   --full           also what tests/run.sh --full needs (Slurm, debootstrap, Charliecloud, Doxygen)
#   --keep-wheels    keep the downloaded wheels after unpacking
#   -h, --help       this text
#
# stdout: the settings for a build, as lines for eval; progress goes to stderr.
# Exit: 0 ready, 2 usage, 3 something is missing that cannot be installed, 4 an installation failed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/lib.sh"
# shellcheck source=jobscripts/wheels.sh
source "$here/wheels.sh"

# The LibTorch version in a list. The pinned version is the oldest allowed, the newest is the last one tested.
torch_version() { sed -n 's/^torch==\([0-9.]*\) .*/\1/p' "$here/$1"; } # list
version=$(torch_version libtorch-cpu.txt) newest=$(torch_version libtorch-newest.txt)
dali_version=2.4.0 mlperf_version=4.1.68
packages=(build-essential cmake ninja-build ccache mold git pkg-config ca-certificates
  libopenmpi-dev openmpi-bin libhdf5-dev libhwloc-dev zlib1g-dev libpng-dev libpcre2-dev libssl-dev python3 util-linux)
header_packages=(libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libtomlplusplus-dev libboost-dev)
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev)
dev_packages=(hdf5-tools python3-h5py python3-yaml python3-xarray python3-h5netcdf python3-prometheus-client clang-format clang
  libclang-rt-dev shellcheck chromium zsh fish groff-base environment-modules)
full_packages=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge iproute2
  charliecloud debootstrap doxygen dpkg-dev file jube python3-venv)
tools=(c++ cmake ninja pkg-config mpicc mpirun python3)

kind='' given='' use_libtorch=1 use_dali=0 use_tokenizer=0 use_mlperf=0 use_headers=0 use_apt=1 dev=0 offline=0 keep=0
while (($#)); do
  case $1 in
    --cpu | --cuda) kind=${1#--} ;;
    --libtorch)
      need_value "$@"
      given=$2
      shift
      ;;
    --no-libtorch) use_libtorch=0 ;;
    --dali) use_dali=1 ;;
    --no-dali) use_dali=0 ;;
    --tokenizer) use_tokenizer=1 ;;
    --mlperf) use_mlperf=1 ;;
    --headers) use_headers=1 ;;
    --no-apt) use_apt=0 ;;
    --offline) offline=1 ;;
    --dev) dev=1 packages+=("${dev_packages[@]}") ;;
    --full) dev=1 packages+=("${dev_packages[@]}" "${full_packages[@]}") ;;
    --keep-wheels) keep=1 ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    *) die 2 "unknown option '$1' (see --help)" ;;
  esac
  shift
done
chosen=1
if [[ -z $kind ]]; then
  chosen=0
  given=${given:-${LIBTORCH_DIR:-}}
  if (($(gpu_count) > 0)); then kind=cuda; else kind=cpu; fi
elif [[ -n $given ]]; then
  die 2 "--libtorch and --$kind exclude each other"
fi
cache=$(cache_folder)

# --- packages --------------------------------------------------------------------------------

missing_packages() { # package...
  dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    awk -v wanted="$*" '
      $1 == "installed" { have[$2] = 1 }
      END { n = split(wanted, list, " "); for (i = 1; i <= n; i++) if (!(list[i] in have)) print list[i] }'
}

can_install() {
  [[ $(id -u) == 0 ]] || { command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; }
}

# Without root, header libraries are downloaded; tests and scalemark-kernels are not built if their packages are
# missing.
leave_out_packages() {
  local missing
  mapfile -t missing < <(missing_packages "${header_packages[@]}")
  if ((${#missing[@]})); then use_headers=1; fi
  mapfile -t missing < <(missing_packages ccache mold "${test_packages[@]}")
  if ((dev || ${#missing[@]} == 0)); then return; fi
  say "This user cannot install packages: going on without ${missing[*]}"
  say "(the tests need GoogleTest and Google Benchmark, scalemark-kernels Google Benchmark)"
  mapfile -t packages < <(printf '%s\n' "${packages[@]}" | grep -vxE 'ccache|mold')
  test_packages=()
}

install_packages() { # package...
  local missing as_root=() line
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  line="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  if ((offline)); then
    die 3 "--offline, and these packages are missing; install them with network:"$'\n'"  $line"
  fi
  if [[ $(id -u) != 0 ]]; then as_root=(sudo); fi
  can_install ||
    die 3 "packages are missing, and this user cannot install them. As root:"$'\n'"  $line"$'\n'"or load them as modules and use --no-apt --headers"
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300
    install -y --no-install-recommends "${missing[@]}")
  # The package lists are updated only if they are missing or too old for these packages.
  if ! "${install[@]}" --download-only >/dev/null 2>&1; then
    say "Updating the package lists"
    "${as_root[@]}" apt-get update -q >&2 || die 4 "apt-get update failed; see above"
  fi
  "${install[@]}" -q >&2 || die 4 "apt-get failed; see above. By hand:"$'\n'"  $line"
}

check_tools() {
  local tool absent=()
  for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null || absent+=("$tool")
  done
  ((${#absent[@]} == 0)) ||
    die 3 "not found on PATH: ${absent[*]}. On Debian and Ubuntu: apt-get install ${packages[*]}; on a cluster load the modules (CMake and Ninja are also on PyPI: pip install --user cmake ninja)"
}

# --- what is given ---------------------------------------------------------------------------

python_version() { # file; nothing if it names none
  sed -n "s/^__version__ *= *'\([0-9.]*\).*/\1/p" "$1" 2>/dev/null || true
}

is_older() { [[ $1 != "$2" && $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]; } # version, version

check_given() {
  local root found
  for root in "$given" "$given/torch"; do
    if [[ -e $root/lib/libtorch_cpu.so ]]; then break; fi
  done
  [[ -e $root/lib/libtorch_cpu.so ]] ||
    die 3 "--libtorch is '$given', which holds neither lib/libtorch_cpu.so nor torch/lib/libtorch_cpu.so"
  found=$(python_version "$root/version.py")
  if [[ -z $found ]] || is_older "${found%.*}" "${version%.*}"; then
    die 3 "--libtorch is '$given', LibTorch ${found:-of unknown version}; allowed: ${version%.*} and newer (${version%.*} to ${newest%.*} were tried)"
  fi
  if is_older "${newest%.*}" "${found%.*}"; then
    say "Warning: LibTorch $found is newer than ${newest%.*}, the newest that was tried. If the build or a run fails, use ${version%.*} to ${newest%.*}."
  fi
  (cd "$given" && pwd)
}

check_given_dali() {
  [[ -e $DALI_DIR/nvidia/dali/libdali_operators.so ]] ||
    die 3 "DALI_DIR is '$DALI_DIR', which does not hold nvidia/dali/libdali_operators.so"
  local found
  found=$(python_version "$DALI_DIR/nvidia/dali/__init__.py")
  [[ $found == "${dali_version%.*}".* ]] ||
    die 3 "DALI_DIR is '$DALI_DIR', DALI ${found:-of unknown version}; allowed: ${dali_version%.*}"
  (cd "$DALI_DIR" && pwd)
}

# --- the driver ------------------------------------------------------------------------------

# The CUDA release that LibTorch's CUDA libraries belong to: "13.0".
needed_cuda() { sed -n 's/^nvidia-cuda-runtime==\([0-9]*\.[0-9]*\)\..*/\1/p' "$here/libtorch-cuda.txt"; }

# The newest CUDA release that the driver runs, as nvidia-smi's head line names it; nothing if it names none. It looks for
# libcuda.so as the program will, so an installed compatibility package counts.
driver_cuda() {
  { nvidia-smi 2>/dev/null || true; } | sed -n 's/.*CUDA[A-Z ]* Version: *\([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1
}

# Asked before 2.6 GB are fetched. With --cuda the choice is the user's: another machine may run the build.
check_driver() { # whether --cuda was given: 0 or 1
  local has needs major text
  has=$(driver_cuda) needs=$(needed_cuda)
  major=${needs%%.*}
  if [[ -z $has ]] || ((${has%%.*} >= major)); then return; fi
  text="this machine's NVIDIA driver runs CUDA $has and older; LibTorch's CUDA libraries need CUDA $major (driver 580 or newer)"
  if (($1)); then
    say "Warning: $text. What is built will not run on these GPUs."
    return
  fi
  die 3 "$text. Either
  update the driver;
  or, with a data-centre GPU, install NVIDIA's package cuda-compat-${needs/./-} and
     export LD_LIBRARY_PATH=/usr/local/cuda-$needs/compat
  or measure CPUs only: --cpu (0.6 GB)"
}

install_libtorch() {
  local needed=1900
  if [[ $given == newest ]]; then
    install_wheels "LibTorch $newest" "--libtorch newest" "use --libtorch DIR or --no-libtorch" \
      "libtorch-$newest-cpu" libtorch-newest.txt "$needed"
    return
  fi
  if [[ $kind == cuda ]]; then
    check_driver "$chosen"
    needed=8000
  fi
  install_wheels "LibTorch ($kind)" "--$kind" "use --libtorch DIR or --no-libtorch" \
    "libtorch-$version-$kind" "libtorch-$kind.txt" "$needed"
}

install_dali() {
  local folder
  folder=$(install_wheels DALI --dali "set DALI_DIR or use --no-dali" "dali-$dali_version" dali.txt 900)
  # nvImageCodec's decoders that need further libraries write an error for each that they miss. PNG needs none of them.
  rm -f "$folder"/nvidia/nvimgcodec/extensions/libnv{jpeg,jpeg2k,tiff}_ext.so.*
  echo "$folder"
}

# Prints the folder that contains mlperf_logging, if it can be downloaded.
install_mlperf() { install_wheels "MLPerf's log checker" --mlperf "do without" "mlperf-logging-$mlperf_version" mlperf.txt 20; }

# --- header libraries --------------------------------------------------------------------------

# CLI11 and toml++ are in no wheel, so they are taken from the distribution's packages, which apt verifies.
fetch_packaged_headers() { # folder
  local new=$1.tmp.$$ file name
  if [[ -e $1/include/CLI/CLI.hpp && -e $1/include/toml++/toml.h ]] || ((offline)); then return; fi
  if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then return; fi
  mkdir "$new"
  if (cd "$new" && apt-get -q download libcli11-dev libtomlplusplus-dev >&2); then
    for file in "$new"/*.deb; do dpkg-deb --extract "$file" "$new"; done
    for name in CLI toml++; do
      if [[ ! -e $1/include/$name ]]; then mv "$new/usr/include/$name" "$1/include/"; fi
    done
  fi
  rm -rf "$new"
}

check_header() { # folder, file, library
  if [[ -e $1/include/$2 ]] || c++ -std=c++20 -E -x c++ - <<<"#include <$2>" >/dev/null 2>&1; then return; fi
  die 3 "$3 ($2) is missing, and could not be fetched: that takes apt and network. It is headers only: copy the folder \
include/${2%/*} of its sources to $1/include/, or install it and set CMAKE_PREFIX_PATH"
}

# Prints the folder whose include/ contains the header libraries.
install_headers() {
  local target
  target=$(install_wheels "the set of header libraries" --headers "install ${header_packages[*]}" headers headers.txt 300)
  lock_cache
  if [[ ! -d $target/include ]]; then
    mkdir "$target/include"
    ln -s ../libboost_headers/include/boost ../nlohmann_json/include/nlohmann ../tokenspeed_spdlog/include/spdlog \
      "$target/include/"
    ln -s spdlog/fmt/bundled "$target/include/fmt"
  fi
  fetch_packaged_headers "$target"
  check_header "$target" CLI/CLI.hpp "CLI11 2.1 or newer"
  check_header "$target" toml++/toml.h "toml++ 3"
  echo "$target"
}

# --- the tokenizer -----------------------------------------------------------------------------

is_tokenizer() { [[ -f $1 && $(sha256sum <"$1") == "$hash "* ]]; } # file

# Extracts Llama 3's vocabulary from its wheel, if it can be downloaded. Prints its path.
install_tokenizer() {
  local what="Llama 3's tokenizer" option=--tokenizer otherwise='do without' target=$cache/llama3/tokenizer.model
  local list=$here/tokenizer.txt wheels=$cache/wheels python='' lines wheel member hash
  read -r member hash < <(sed -n 's/^# member \(.*\) sha256:/\1 /p' "$list")
  if ! is_tokenizer "$target"; then
    mkdir -p "$wheels/tmp" "${target%/*}" || die 3 "the cache folder $cache cannot be made; set XDG_CACHE_HOME"
    lock_cache
    mapfile -t lines < <(grep -v '^#' "$list")
    fetch_wheels
    wheel=$(find_wheel "${lines[0]}") || die 4 "the wheel of ${lines[0]%% *} is missing in $wheels"
    python3 -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' \
      "$wheel" "$member" >"$target.tmp" || die 4 "$wheel holds no $member"
    is_tokenizer "$target.tmp" || die 4 "$member in $wheel is not the one that $list names"
    mv "$target.tmp" "$target"
    if ((!keep)); then rm -f "$wheel"; fi
    rm -rf "$wheels/tmp"
  fi
  echo "$target"
}

# -----------------------------------------------------------------------------------------------

if ((use_apt)) && ! command -v dpkg-query >/dev/null; then
  say "This machine has no apt: packages are left to you (as with --no-apt)"
  use_apt=0
fi
if ((use_apt)); then
  if ! can_install; then leave_out_packages; fi
  if ((!use_headers)); then packages+=("${header_packages[@]}"); fi
  install_packages "${packages[@]}" "${test_packages[@]}"
fi
check_tools
headers=
if ((use_headers)); then
  headers=$(install_headers)
  say "Header libraries: $headers"
fi
libtorch=
if ((use_libtorch)); then
  if [[ -n $given && $given != newest ]]; then libtorch=$(check_given); else libtorch=$(install_libtorch); fi
  say "LibTorch: $libtorch"
else
  say "LibTorch: none (--no-libtorch)"
fi
dali=
if ((use_dali && use_libtorch)); then
  if [[ -n ${DALI_DIR:-} ]]; then dali=$(check_given_dali); else dali=$(install_dali); fi
  say "DALI: $dali"
fi
printf 'export LIBTORCH_DIR=%q\n' "$libtorch"
if [[ -n $dali ]]; then printf 'export DALI_DIR=%q\n' "$dali"; fi
if [[ -n $headers ]]; then printf 'export SCALEMARK_HEADERS=%q\n' "$headers"; fi
if ((use_tokenizer)); then
  tokenizer=$(install_tokenizer) || tokenizer=
  say "Tokenizer: ${tokenizer:-none, see above; what needs it is skipped}"
  printf 'export SCALEMARK_TOKENIZER=%q\n' "$tokenizer"
fi
if ((use_mlperf)); then
  mlperf=$(install_mlperf) || mlperf=
  say "MLPerf's log checker: ${mlperf:-none, see above; what needs it is skipped}"
  printf 'export SCALEMARK_MLPERF_LOGGING=%q\n' "$mlperf"
fi
