#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests and measures a bundle on a machine with NVIDIA GPUs; nothing is installed, no network is used.
#
#   run.sh [BUNDLE] [OPTION...]
#
#   BUNDLE           the archive or the unpacked folder made by jobscripts/bundle.sh (default: the bundle that
#                    this script lies in)
#   --part LETTERS   which parts, such as ab (default abcde)
#   --presets LIST   presets to measure after the parts, separated by blanks, such as "memory compute"
#   --repeats R      launches of each preset (default 1)
#   --budget TIME    at most so long a launch of a preset; later cases are skipped (default 8m)
#   --state DIR      where logs, result files and what is done are kept (default gpu-state)
#   --out DIR        where archives and tables go (default gpu-results); files there are replaced
#   --limit SECONDS  no step starts later than this (default 520), and none runs past it
#   --again          run steps that failed once more; those that passed stay
#   --libtorch DIR   LibTorch 2.11 of this machine (default: the torch of its python3)
#   --ranks N        ranks (default: one a GPU)
#   -h, --help       this text
#
# Parts, by order of value:
#   a  what the machine is, one library of each kind in a process, the GPU tests, the numerical checks on the device,
#      device memory handed to MPI, NVIDIA's compute-sanitizer over the short tests
#   b  figures of the micro suite beside limits: copies, launches, matrix products, convolutions in both layouts
#   c  MobileNetV2 training beside PyTorch in Python, same shapes, in turns
#   d  LoRA of Llama3-8B, as the studies ran it and tuned: memory and time, predicted and measured; inference
#   e  steps of MobileNetV2 and Llama3-8B, explained by rows of their operations
# A part is a list of steps. A failed step does not stop the others. What a call has no time for, a later call with the
# same --state does. DIR gets part-X.tar.gz (logs, redacted result files) and part-X.txt (the table of verdicts) of each.
# Exit: 0 all passed, 1 something failed, 2 usage, 3 the bundle does not start or there is no GPU, 4 steps are left.
set -euo pipefail

die() {
  echo "run.sh: $2" >&2
  exit "$1"
}

bundle='' libtorch=() parts=abcde presets='' repeats=1 budget=8m state=gpu-state out=gpu-results limit=520 again=0 ranks=''
while (($#)); do
  case $1 in
    --part | --presets | --repeats | --budget | --state | --out | --limit | --libtorch | --ranks)
      [[ $# -ge 2 ]] || die 2 "$1 needs a value (see --help)"
      case $1 in
        --part) parts=$2 ;;
        --presets) presets=$2 ;;
        --repeats) repeats=$2 ;;
        --budget) budget=$2 ;;
        --state) state=$2 ;;
        --out) out=$2 ;;
        --limit) limit=$2 ;;
        --libtorch) libtorch=(--libtorch "$2") ;;
        --ranks) ranks=$2 ;;
      esac
      shift
      ;;
    --again) again=1 ;;
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
[[ $parts =~ ^[abcde]*$ ]] || die 2 "--part is '$parts', allowed: letters of abcde"
[[ -z $ranks || $ranks =~ ^[1-9][0-9]*$ ]] || die 2 "--ranks is '$ranks', allowed: a whole number from 1 on"
[[ $repeats =~ ^[1-9][0-9]*$ ]] || die 2 "--repeats is '$repeats', allowed: a whole number from 1 on"
[[ $limit =~ ^[1-9][0-9]*$ ]] || die 2 "--limit is '$limit', allowed: a whole number of seconds from 1 on"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$state" "$out"
state=$(cd "$state" && pwd)
out=$(cd "$out" && pwd)
bundle=${bundle:-$here/..}
if [[ -f $bundle ]]; then
  # Unpacked once: a later call finds it.
  if [[ ! -e $state/unpacked.ok ]]; then
    rm -rf "$state/unpacked"
    mkdir "$state/unpacked"
    tar -xzf "$bundle" -C "$state/unpacked" || die 3 "$bundle is no archive of bundle.sh"
    touch "$state/unpacked.ok"
  fi
  bundle=$(echo "$state"/unpacked/*)
fi
[[ -x $bundle/run.sh && -r $bundle/tests/list ]] || die 3 "$bundle is no bundle made by jobscripts/bundle.sh"
bundle=$(cd "$bundle" && pwd)
run=("$bundle/run.sh" "${libtorch[@]}")
"${run[@]}" true || die 3 "the bundle does not start on this machine"

gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU') || gpus=0
((gpus > 0)) || die 3 "nvidia-smi finds no GPU here"
ranks=${ranks:-$gpus}

# --- steps -------------------------------------------------------------------------------------

deadline=$((SECONDS + limit)) failed=0 left=0 part='' work='' seconds=0

# launch COMMAND...: with the bundle's libraries, for as long as the step may run.
launch() { timeout --kill-after=10 "$seconds" "${run[@]}" "$@"; }

# step NAME SECONDS COMMAND...: runs a step once, for at most SECONDS, and keeps its output in WORK/NAME.log and its verdict
# in WORK/NAME.step: "ok", "skipped" (exit 77) or "failed CODE", and the seconds it took.
step() {
  local name=$1 verdict=ok start=$SECONDS code=0
  seconds=$2
  shift 2
  local file=$work/$name.step
  if [[ -s $file ]] && { [[ $(<"$file") != failed* ]] || ((!again)); }; then
    printf -- '-- %s: %s (an earlier call)\n' "$name" "$(<"$file")"
    [[ $(<"$file") != failed* ]] || failed=1
    return
  fi
  if ((deadline - SECONDS < seconds)); then seconds=$((deadline - SECONDS)); fi
  if ((seconds < 5)); then
    printf -- '-- %s: left for a later call\n' "$name"
    left=$((left + 1))
    return
  fi
  printf '\n-- %s\n' "$name"
  "$@" </dev/null 2>&1 | tee "$work/$name.log" || code=$?
  case $code in
    0) ;;
    77) verdict=skipped ;;
    124 | 137)
      # Cut off by the end of the call, not by its own limit: a later call runs it whole.
      if ((SECONDS >= deadline)); then
        left=$((left + 1))
        return
      fi
      verdict="failed $code"
      ;;
    *) verdict="failed $code" ;;
  esac
  [[ $verdict != failed* ]] || failed=1
  printf '%s, %d s\n' "$verdict" $((SECONDS - start)) | tee "$file"
}

# measure NAME SECONDS RANKS ARGUMENT of run...: a step that leaves WORK/NAME.h5 and its rows in WORK/NAME.jsonl.
measure() {
  local name=$1 limit=$2 count=$3
  shift 3
  step "$name" "$limit" measure_file "$work/$name" "$count" "$@"
}

# shellcheck disable=SC2317  # called by step
measure_file() { # path without its ending, ranks, arguments
  local file=$1 count=$2 code=0
  shift 2
  launch mpirun -n "$count" --bind-to none --oversubscribe "${each_rank[@]}" scalemark run "$@" --redact --force --output "$file.h5" || code=$?
  if [[ -s $file.h5 ]]; then "${run[@]}" scalemark show "$file.h5" --format jsonl >"$file.jsonl"; fi
  return "$code"
}

begin() { # part
  part=$1
  each_rank=() # what starts the program on each rank, where it needs that
  work=$state/$part
  mkdir -p "$work"
  printf '\n==== part %s\n' "$part"
}

# What of a part comes back: one archive below 16 MiB and one table.
finish() {
  python3 "$here/verdicts.py" "$work" | tee "$out/part-$part.txt"
  cp "$out/part-$part.txt" "$work/verdicts.txt"
  tar -C "$state" -czf "$out/part-$part.tar.gz" "$part"
  (($(du -k "$out/part-$part.tar.gz" | cut -f 1) < 16384)) || {
    echo "run.sh: part-$part.tar.gz has more than 16 MiB" >&2
    failed=1
  }
}

cat "$bundle/VERSION"
for letter in a b c d e; do
  if [[ $parts != *$letter* ]]; then continue; fi
  begin "$letter"
  # shellcheck source=/dev/null
  source "$here/parts/$letter.sh"
  finish
done
if [[ -n $presets ]]; then
  begin presets
  for preset in $presets; do
    for ((k = 1; k <= repeats; k++)); do
      measure "$preset-$k" 600 "$ranks" --preset "$preset" --budget "$budget"
    done
  done
  finish
fi
echo "Results: $out"
if ((failed)); then exit 1; fi
if ((left)); then
  echo "$left steps are left: call again with --state $state"
  exit 4
fi
