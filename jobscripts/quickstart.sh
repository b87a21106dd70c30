#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to a measured result: installs what is missing, builds, runs the quick preset three
# times under mpirun on what the machine has (GPUs if any, else CPU cores), prints one table over these
# runs, writes a page (report.html), and compares with the last set of this host and build. Started again, it
# measures after a few seconds.
#
#   quickstart.sh [OPTION...] [OPTION of setup.sh...]
#
#   -n, --ranks N      ranks (default: one per GPU; without GPU 2, or 1 on a single core)
#   --repeats R        launches (default 3)
#   --preset NAME      what to measure (default quick; scalemark list --presets shows more), or a .toml file
#   -h, --help         this text; options of setup.sh (--libtorch DIR, --no-apt, --offline, ...):
#                      jobscripts/setup.sh --help
#
# It builds scalemark and, if Google Benchmark is installed, scalemark-kernels (host kernels in one process), and prints
# their paths.
# Result files: results/local/HOST-BUILD-nN-PRESET-TIME/run-1.h5 .. and report.html; another folder is never touched.
# Exit: that of the measurement (0 done, 3 a case failed, 4 nothing ran, 6 wrong data), else that of the
# step that failed. What the comparison finds is printed, and does not change the exit code.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/lib.sh"

# The names on standard input that contain NAME, at most five. If there is none: the nearest one by edit distance, which
# must be at most half of NAME's length.
nearest_names() { # NAME
  awk -v name="$1" '
    function least(a, b) { return a < b ? a : b }
    function distance(a, b,  i, j, old, row) {
      for (j = 0; j <= length(b); j++) row[j] = j
      for (i = 1; i <= length(a); i++) {
        old = row[0]
        row[0] = i
        for (j = 1; j <= length(b); j++) {
          changed = old + (substr(a, i, 1) != substr(b, j, 1))
          old = row[j]
          row[j] = least(changed, least(row[j], row[j - 1]) + 1)
        }
      }
      return row[length(b)]
    }
    length(name) > 2 && index($0, name) { holds[++h] = $0 }
    { d = distance(name, $0); if (d <= length(name) / 2 && (near == "" || d < best)) { near = $0; best = d } }
    END { for (i = 1; i <= h && i <= 5; i++) print holds[i]; if (!h && near != "") print near }'
}

# preset_names: prints the project's presets: one per file, and NAME-cpu where a file has a [cpu] part.
preset_names() {
  local folder file
  folder=$(repository)/suites/presets
  for file in "$folder"/*.toml; do
    basename "$file" .toml
    if grep -q '^\[cpu\]' "$file"; then basename "$file" .toml | sed 's/$/-cpu/'; fi
  done | sort
}

# check_preset NAME: a preset of the project or a TOML file, or the [cpu] part of one, known before anything is set up or
# built.
check_preset() {
  local names near
  names=$(preset_names)
  if [[ $1 == */* ]]; then
    if [[ -f $1 || ($1 == *-cpu.toml && -f ${1%-cpu.toml}.toml) ]]; then return; fi
  elif grep -qxF -e "$1" <<<"$names"; then
    return
  fi
  near=$(nearest_names "$1" <<<"$names" | paste -sd , | sed 's/,/, /g')
  die 2 "--preset is '$1', which is neither a preset nor a .toml file${near:+; did you mean $near?}"$'\n'"Presets: $(paste -sd , <<<"$names" | sed 's/,/, /g')"
}

ranks='' repeats=3 preset=quick setup_options=()
while (($#)); do
  case $1 in
    -n | --ranks | --repeats | --preset | --libtorch)
      need_value "$@"
      case $1 in
        -n | --ranks) need_count "$1" "$2" 1 && ranks=$2 ;;
        --repeats) need_count "$1" "$2" 1 && repeats=$2 ;;
        --preset) preset=$2 ;;
        --libtorch) setup_options+=("$1" "$2") ;;
      esac
      shift
      ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    *) setup_options+=("$1") ;;
  esac
  shift
done
if [[ -f $preset && ($preset == *.toml || $preset == */*) ]] || [[ $preset == *-cpu.toml && -f ${preset%-cpu.toml}.toml ]]; then
  preset=$(realpath "$preset")
fi
check_preset "$preset"
root=$(repository)
cd "$root"

say "== 1/4 Set-up"
settings=$("$here/setup.sh" "${setup_options[@]}")
eval "$settings"

say "== 2/4 Build"
gpus=$(gpu_count)
build_preset=cpu-release options=()
mapfile -t options < <(build_options)
options+=(-DSCALEMARK_UNITY=ON)  # half the time of the first build
if ((gpus > 0)); then
  if nvcc=$(find_nvcc); then
    export CUDACXX=$nvcc
    build_preset=cuda-release
    architectures=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d . | sort -u | paste -sd ';') || architectures=
    if [[ $architectures =~ ^[0-9\;]+$ ]]; then options+=("-DCMAKE_CUDA_ARCHITECTURES=$architectures"); fi
  else
    say "$gpus NVIDIA GPUs are here, but no nvcc: this build measures CPUs only. Install the CUDA 13 toolkit"
    say "(nvcc on PATH, or CUDACXX) and start again to measure the GPUs."
    gpus=0
  fi
fi
configure "$build_preset" "${options[@]}"
build "$build_preset" programs
export SCALEMARK=$root/build/$build_preset/suites/scalemark

if [[ -z $ranks ]]; then
  if ((gpus > 0)); then ranks=$gpus; else ranks=$(($(core_count) > 1 ? 2 : 1)); fi
fi
name=$(hostname -s)-$build_preset-n$ranks-$(basename "$preset" .toml)
earlier=$(find results/local -mindepth 1 -maxdepth 1 -type d -name "$name-[0-9]*T[0-9]*" 2>/dev/null | sort | tail -n 1) || earlier=
folder=results/local/$name-$(date -u +%Y%m%dT%H%M%S)

say "== 3/4 Measure: preset $preset, $repeats runs of $ranks ranks"
code=0
"$here/local.sh" -n "$ranks" --repeats "$repeats" --output "$folder" --no-table -- --preset "$preset" >&2 || code=$?

say "== 4/4 Result"
[[ -n $(find "$folder" -name 'run-*.h5' -print -quit) ]] || die "$((code ? code : 3))" "no run was completed (see above)"
"$SCALEMARK" show "$folder"
printf '\nResult files: %s\n' "$folder"
kernels=build/$build_preset/suites/micro/scalemark-kernels
if [[ -x $kernels ]]; then printf 'Host kernels in one process: %s --help\n' "$kernels"; fi
# The page is optional: the results are valid without it.
if "$SCALEMARK" report "$folder" ${earlier:+--base "$earlier"} -o "$folder/report.html" 2>/dev/null; then
  printf 'As a page for a browser: %s\n' "$folder/report.html"
else
  say "the page $folder/report.html could not be written; by hand: $SCALEMARK report $folder -o FILE.html"
fi
if [[ -n $earlier ]]; then
  printf 'Compared with the last set of this host and build, %s:\n\n' "$earlier"
  compared=0
  "$SCALEMARK" compare "$earlier" --against "$folder" || compared=$?
  case $compared in
    0) echo "Nothing got worse." ;;
    1) echo "Something got worse, failed or is missing: see above. Once more decides whether it was the machine's noise." ;;
    *) printf 'The comparison ended with %s: see above.\n' "$compared" ;;
  esac
else
  cat <<TEXT
This is the first set of this host and build. Run quickstart.sh again to compare with it, or compare any two:
  $SCALEMARK compare DIR... --against DIR...
TEXT
fi
exit "$code"
