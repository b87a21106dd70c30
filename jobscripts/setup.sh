#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Scalemark is built from: packages by apt, and LibTorch 2.11.0 and DALI 2.4.0 from their
# wheels into a cache folder (XDG_CACHE_HOME or ~/.cache, below it scalemark/). What is there is left alone.
#
#   setup.sh [OPTION...]
#
#   --cpu            LibTorch for CPUs (0.6 GB to download, 1.1 GB unpacked): the default without a GPU
#   --cuda           LibTorch with its CUDA libraries (2.6 GB, 3.8 GB unpacked): the default where an
#                    NVIDIA GPU is found
#   --libtorch DIR   use this LibTorch 2.11: the folder that holds lib/libtorch_cpu.so or torch/lib/...,
#                    also a Python site-packages (default: the environment's LIBTORCH_DIR, if set)
#   --no-libtorch    without LibTorch: training and model benchmarks are skipped
#   --dali           also DALI, for the imaging suite's loader of that name (0.2 GB, 0.5 GB unpacked), or the
#                    one in the environment's DALI_DIR, a folder that holds nvidia/dali
#   --no-dali        takes an earlier --dali back
#   --tokenizer      also Llama 3's tokenizer.model (7 MB to download; under Meta's licence, kept in the
#                    cache folder). Where it cannot be had, that is said and the set-up goes on
#   --mlperf         also mlcommons' log checker, for a test (0.4 MB to download; Apache-2.0, kept in the cache
#                    folder). Where it cannot be had, that is said and the set-up goes on
#   --no-apt         install no packages: tools, MPI, HDF5 and hwloc come from the environment
#   --offline        use no network: say what is missing instead
#   --dev            also what the tests and checks need
#   --full           also what tests/run.sh --full needs (Slurm)
#   --keep-wheels    keep the downloaded wheels after unpacking
#   -h, --help       this text
#
# stdout: the settings for a build, as lines for eval; progress goes to stderr.
# Exit: 0 ready, 2 usage, 3 something is missing that cannot be installed, 4 an installation failed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/lib.sh"

version=2.11.0 dali_version=2.4.0 mlperf_version=4.1.68
packages=(build-essential cmake ninja-build ccache mold git pkg-config ca-certificates
  libopenmpi-dev openmpi-bin libhdf5-dev libhwloc-dev libcli11-dev libfmt-dev libspdlog-dev
  nlohmann-json3-dev libtomlplusplus-dev libboost-dev libgtest-dev libgmock-dev libbenchmark-dev
  zlib1g-dev libpng-dev libpcre2-dev python3 util-linux)
dev_packages=(hdf5-tools python3-h5py python3-yaml python3-xarray python3-h5netcdf clang-format clang libclang-rt-dev shellcheck
  chromium zsh fish groff-base)
full_packages=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge iproute2 python3-venv)
tools=(c++ cmake ninja pkg-config mpicc mpirun python3)

kind='' given='' use_libtorch=1 use_dali=0 use_tokenizer=0 use_mlperf=0 use_apt=1 offline=0 keep=0
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
    --no-apt) use_apt=0 ;;
    --offline) offline=1 ;;
    --dev) packages+=("${dev_packages[@]}") ;;
    --full) packages+=("${dev_packages[@]}" "${full_packages[@]}") ;;
    --keep-wheels) keep=1 ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    *) die 2 "unknown option '$1' (see --help)" ;;
  esac
  shift
done
if [[ -z $kind ]]; then
  given=${given:-${LIBTORCH_DIR:-}}
  if (($(gpu_count) > 0)); then kind=cuda; else kind=cpu; fi
elif [[ -n $given ]]; then
  die 2 "--libtorch and --$kind exclude each other"
fi
cache=$(cache_folder)

# --- packages --------------------------------------------------------------------------------

missing_packages() {
  dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null |
    awk -v wanted="${packages[*]}" '
      $1 == "installed" { have[$2] = 1 }
      END { n = split(wanted, list, " "); for (i = 1; i <= n; i++) if (!(list[i] in have)) print list[i] }'
}

install_packages() {
  local missing as_root=() line
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  line="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  if ((offline)); then
    die 3 "--offline, and these packages are missing; install them with network:"$'\n'"  $line"
  fi
  if [[ $(id -u) != 0 ]]; then
    as_root=(sudo)
    if ! command -v sudo >/dev/null || { [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null; }; then
      die 3 "packages are missing, and this user cannot install them. As root:"$'\n'"  $line"$'\n'"or load them as modules and use --no-apt"
    fi
  fi
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300
    install -y --no-install-recommends "${missing[@]}")
  # The package lists are brought up to date only when they are missing or too old for this.
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
    die 3 "not found on PATH: ${absent[*]}. On Debian and Ubuntu: apt-get install ${packages[*]}; on a cluster load the modules"
}

# --- what is given ---------------------------------------------------------------------------

python_version() { # file; nothing if it names none
  sed -n "s/^__version__ *= *'\([0-9.]*\).*/\1/p" "$1" 2>/dev/null || true
}

check_given() {
  local root
  for root in "$given" "$given/torch"; do
    if [[ -e $root/lib/libtorch_cpu.so ]]; then break; fi
  done
  [[ -e $root/lib/libtorch_cpu.so ]] ||
    die 3 "--libtorch is '$given', which holds neither lib/libtorch_cpu.so nor torch/lib/libtorch_cpu.so"
  local found
  found=$(python_version "$root/version.py")
  [[ $found == "${version%.*}".* ]] ||
    die 3 "--libtorch is '$given', LibTorch ${found:-of unknown version}; allowed: ${version%.*}"
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

# --- wheels ----------------------------------------------------------------------------------
# These see the variables of install_wheels.

find_pip() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -m pip --version >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# The finished wheel of a requirement line, if it is there and has the right hash.
find_wheel() { # line
  local name=${1%%==*} hash file
  local release=${1#*==}
  release=${release%% *}
  hash=${1#*sha256:}
  hash=${hash%% *}
  for file in "$wheels/${name//-/_}-$release"-*.whl; do
    [[ -f $file ]] || continue
    if [[ $(sha256sum <"$file") == "$hash"* ]]; then
      echo "$file"
      return
    fi
    say "Discarding $file: its hash is not the one in $list"
    rm -f "$file"
  done
  return 1
}

# pip checks the hash. It downloads into TMPDIR and moves what is whole, so half wheels never count.
download_wheel() { # line
  local platforms=() platform
  for platform in manylinux_2_28 manylinux_2_27 manylinux_2_25 manylinux_2_18 manylinux_2_17 manylinux2014; do
    platforms+=(--platform "${platform}_x86_64")
  done
  printf '%s\n' "$1" >"$wheels/tmp/one.txt"
  TMPDIR=$wheels/tmp PIP_REQUIRE_VIRTUALENV=0 "$python" -m pip --disable-pip-version-check download \
    --no-cache-dir --no-deps --require-hashes --only-binary :all: --python-version 311 "${platforms[@]}" \
    --dest "$wheels" --requirement "$wheels/tmp/one.txt" >&2 ||
    die 4 "the download failed; finished parts are kept in $wheels, start again to go on. Without network: $otherwise"
}

check_space() { # needed MB
  local free
  free=$(df -Pm "$cache" | awk 'NR == 2 { print $4 }')
  ((free >= $1)) || die 3 "$cache has $free MB free, $what needs $1; set XDG_CACHE_HOME to a larger disk"
}

fetch_wheels() {
  local line n=0 absent=()
  for line in "${lines[@]}"; do
    n=$((n + 1))
    if find_wheel "$line" >/dev/null; then continue; fi
    if ((offline)); then
      absent+=("${line%% *}")
      continue
    fi
    if [[ -z $python ]]; then
      if ((use_apt)); then
        packages=(python3-pip)
        install_packages
      fi
      python=$(find_pip) || die 3 "pip is missing, which downloads $what: apt-get install python3-pip, or $otherwise"
    fi
    say "Downloading part $n of ${#lines[@]}: ${line%% *} (${line##*# })"
    download_wheel "$line"
  done
  ((${#absent[@]} == 0)) || die 3 "--offline, and $what is not there: ${absent[*]}. Bring the folder $cache (or only \
$wheels, filled by setup.sh $option --keep-wheels) from a machine with network, or $otherwise"
}

unpack_wheels() { # target
  local line wheel files=()
  for line in "${lines[@]}"; do
    wheel=$(find_wheel "$line") || die 4 "the wheel of ${line%% *} is missing in $wheels"
    files+=("$wheel")
  done
  say "Unpacking ${#files[@]} wheels into $1"
  mkdir "$1.tmp.$$"
  printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -I{} python3 -m zipfile -e {} "$1.tmp.$$" ||
    die 4 "the wheels could not be unpacked into $1.tmp.$$"
  printf '%s\n' "$id" >"$1.tmp.$$/.complete"
  rm -rf "$1"
  mv "$1.tmp.$$" "$1"
  if ((!keep)); then rm -f "${files[@]}"; fi
}

# The folder appears under its name only when it is whole. Prints it.
install_wheels() { # what, option that asks for it, what else can be done, folder, list, MB needed
  local what=$1 option=$2 otherwise=$3 target=$cache/$4 list=$here/$5 needed=$6 wheels=$cache/wheels python='' lines id
  id=$(sha256sum <"$list")
  if [[ $(cat "$target/.complete" 2>/dev/null || true) != "$id" ]]; then
    [[ $(uname -m) == x86_64 ]] || die 3 "there is no wheel of $what for $(uname -m) here: $otherwise"
    mkdir -p "$wheels" || die 3 "the cache folder $cache cannot be made; set XDG_CACHE_HOME"
    exec 9>"$cache/lock"
    flock --nonblock 9 || { say "Waiting for another setup.sh" && flock 9; }
  fi
  if [[ $(cat "$target/.complete" 2>/dev/null || true) != "$id" ]]; then
    rm -rf "$wheels/tmp" "$target".tmp.*
    mkdir "$wheels/tmp"
    mapfile -t lines < <(grep -v '^#' "$list")
    check_space "$needed"
    fetch_wheels
    unpack_wheels "$target"
    rm -rf "$wheels/tmp"
  fi
  echo "$target"
}

install_libtorch() {
  local needed=1900
  if [[ $kind == cuda ]]; then needed=8000; fi
  install_wheels "LibTorch ($kind)" "--$kind" "use --libtorch DIR or --no-libtorch" \
    "libtorch-$version-$kind" "libtorch-$kind.txt" "$needed"
}

install_dali() {
  install_wheels DALI --dali "set DALI_DIR or use --no-dali" "dali-$dali_version" dali.txt 900
}

# Prints the folder that holds mlperf_logging, if it can be had.
install_mlperf() { install_wheels "MLPerf's log checker" --mlperf "do without" "mlperf-logging-$mlperf_version" mlperf.txt 20; }

# --- the tokenizer -----------------------------------------------------------------------------

is_tokenizer() { [[ -f $1 && $(sha256sum <"$1") == "$hash "* ]]; } # file

# Llama 3's vocabulary out of its wheel, if it can be had. Prints its path.
install_tokenizer() {
  local what="Llama 3's tokenizer" option=--tokenizer otherwise='do without' target=$cache/llama3/tokenizer.model
  local list=$here/tokenizer.txt wheels=$cache/wheels python='' lines wheel member hash
  read -r member hash < <(sed -n 's/^# member \(.*\) sha256:/\1 /p' "$list")
  if ! is_tokenizer "$target"; then
    mkdir -p "$wheels/tmp" "${target%/*}" || die 3 "the cache folder $cache cannot be made; set XDG_CACHE_HOME"
    exec 9>"$cache/lock"
    flock 9
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
if ((use_apt)); then install_packages; fi
check_tools
libtorch=
if ((use_libtorch)); then
  if [[ -n $given ]]; then libtorch=$(check_given); else libtorch=$(install_libtorch); fi
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
