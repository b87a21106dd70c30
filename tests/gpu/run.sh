#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests and measures a bundle on a machine with NVIDIA GPUs; nothing is installed, no network is used.
#
#   run.sh [BUNDLE] [OPTION...]
#
#   BUNDLE           the archive or the unpacked folder made by jobscripts/bundle.sh (default: the bundle that
#                    this script lies in)
#   --libtorch DIR   LibTorch 2.11 of this machine (default: the torch of its python3)
#   --out DIR        where the results go (default gpu-results); files there are replaced
#   --presets LIST   which presets to measure, separated by blanks (default "smoke quick")
#   --ranks N        ranks (default: one a GPU)
#   --repeats R      launches of each preset (default 1)
#   --budget TIME    at most so long a launch; later cases are skipped (default 8m)
#   -h, --help       this text
#
# Five parts: what the machine is, the GPU tests, the numerical checks on the device, device memory handed to MPI
# (the probe, and messages where it proves them), the presets. Each one is run even when another failed. DIR gets a log of each part, the result files (redacted) and summary.txt.
# Exit: 0 all passed, 1 something failed, 2 usage, 3 the bundle does not start or there is no GPU.
set -euo pipefail

die() {
  echo "run.sh: $2" >&2
  exit "$1"
}

bundle='' libtorch=() out=gpu-results presets="smoke quick" ranks='' repeats=1 budget=8m
while (($#)); do
  case $1 in
    --libtorch | --out | --presets | --ranks | --repeats | --budget)
      [[ $# -ge 2 ]] || die 2 "$1 needs a value (see --help)"
      case $1 in
        --libtorch) libtorch=(--libtorch "$2") ;;
        --out) out=$2 ;;
        --presets) presets=$2 ;;
        --ranks) ranks=$2 ;;
        --repeats) repeats=$2 ;;
        --budget) budget=$2 ;;
      esac
      shift
      ;;
    -h | --help)
      awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"
      exit 0
      ;;
    -*) die 2 "unknown option '$1' (see --help)" ;;
    *)
      [[ -z $bundle ]] || die 2 "'$1' is one argument too many (see --help)"
      bundle=$1
      ;;
  esac
  shift
done
[[ -z $ranks || $ranks =~ ^[1-9][0-9]*$ ]] || die 2 "--ranks is '$ranks', allowed: a whole number from 1 on"
[[ $repeats =~ ^[1-9][0-9]*$ ]] || die 2 "--repeats is '$repeats', allowed: a whole number from 1 on"

bundle=${bundle:-$(dirname "${BASH_SOURCE[0]}")/..}
if [[ -f $bundle ]]; then
  unpacked=$(mktemp -d)
  trap 'rm -rf "$unpacked"' EXIT
  tar -xzf "$bundle" -C "$unpacked" || die 3 "$bundle is no archive of bundle.sh"
  bundle=$(echo "$unpacked"/*)
fi
[[ -x $bundle/run.sh && -r $bundle/tests/list ]] || die 3 "$bundle is no bundle made by jobscripts/bundle.sh"
bundle=$(cd "$bundle" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
run=("$bundle/run.sh" "${libtorch[@]}")
"${run[@]}" true || die 3 "the bundle does not start on this machine"

gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU') || gpus=0
((gpus > 0)) || die 3 "nvidia-smi finds no GPU here"
ranks=${ranks:-$gpus}

summary=() failed=0

# part NAME LOG COMMAND...: prints the output and keeps it in LOG.
part() {
  local name=$1 log=$out/$2 start=$SECONDS code=0
  shift 2
  printf '\n== %s\n' "$name"
  "$@" 2>&1 | tee "$log" || code=$?
  if ((code)); then failed=1; fi
  summary+=("$(printf '%-34s %-16s %5d s' "$name" "$(if ((code)); then echo "FAILED ($code)"; else echo ok; fi)" $((SECONDS - start)))")
}

# tests/list has a line for each test: name, settings, command. 77 means that all of it was skipped (it
# wants more GPUs).
# shellcheck disable=SC2317  # called by part
gpu_tests() {
  local words code passed=0 skipped=() broken=()
  while IFS=$'\t' read -r -a words; do
    printf '\n-- %s\n' "${words[0]}"
    code=0
    (cd "$bundle" && "${run[@]}" env "${words[@]:1}" </dev/null) || code=$?
    case $code in
      0) passed=$((passed + 1)) ;;
      77) skipped+=("${words[0]}") ;;
      *) broken+=("${words[0]}") ;;
    esac
  done <"$bundle/tests/list"
  printf '\nskipped: %s\nfailed: %s\n' "${skipped[*]:-none}" "${broken[*]:-none}"
  printf '%d passed, %d failed, %d skipped\n' "$passed" "${#broken[@]}" "${#skipped[@]}"
  ((passed > 0 && ${#broken[@]} == 0))
}

# shellcheck disable=SC2317  # called by part
check_numbers() {
  local files
  mapfile -t files < <(find "$bundle/golden" -name '*.json' | sort)
  "${run[@]}" scalemark verify "${files[@]}" --device cuda
}

# On two ranks or more, which may share a GPU. 4: the MPI library says that it takes no device memory.
# shellcheck disable=SC2317  # called by part
device_memory() {
  local code=0 file=$out/direct.h5
  local launch=("${run[@]}" mpirun -n "$((ranks < 2 ? 2 : ranks))" --bind-to none --oversubscribe scalemark run)
  timeout 300 "${launch[@]}" --probe --force || code=$?
  if ((code == 4)); then return 0; fi
  ((code == 0)) || return "$code"
  "${launch[@]}" '^micro/(pingpong|allreduce|put)$' -a backend=mpi -a memory=device -b 8 -e 4M -f 8 --redact --force \
    --output "$file" || return
  "${run[@]}" scalemark show "$file" --format jsonl >"$out/direct.jsonl"
  grep -q 'transfer=direct' "$out/direct.jsonl" || {
    echo "no row went direct, though the probe has proved that it can"
    return 1
  }
}

# shellcheck disable=SC2317  # called by part
measure() { # preset, number of the launch
  "${run[@]}" mpirun -n "$ranks" --bind-to none --oversubscribe scalemark run --preset "$1" --redact --force \
    --budget "$budget" --output "$out/$1-$2.h5"
}

cat "$bundle/VERSION"
part "machine" machine.txt "${run[@]}" scalemark info
part "GPU tests" tests.txt gpu_tests
part "numerical checks on the device" verify.txt check_numbers
part "device memory handed to MPI" device-memory.txt device_memory
for preset in $presets; do
  for ((k = 1; k <= repeats; k++)); do
    part "preset $preset, run $k, $ranks ranks" "$preset-$k.txt" measure "$preset" "$k"
  done
done
{
  printf '\nSummary (%d GPUs)\n' "$gpus"
  printf '  %s\n' "${summary[@]}"
} | tee "$out/summary.txt"
echo "Results: $out"
exit "$failed"
