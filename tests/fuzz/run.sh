#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzz targets of a build with SCALEMARK_FUZZ for so many seconds of processor time altogether, the same for each,
# as many at a time as there are cores.
#
#   tests/fuzz/run.sh BUILD SECONDS
#
# What was found is kept in BUILD/fuzz-found, what was learnt in BUILD/fuzz-corpus for the next time.
# Exit: 0 nothing was found, 1 a crash, a leak, a time-out or too much memory, 2 usage.
set -euo pipefail

if (($# != 2)) || [[ ! $2 =~ ^[0-9]+$ ]]; then
  echo "usage: $0 BUILD SECONDS" >&2
  exit 2
fi
build=$1 found=0
targets=(message edits bytes import parts inputs)
each=$(($2 / ${#targets[@]}))
programs=$build/tests/fuzz
mkdir -p "$build/fuzz-found" "$build/fuzz-corpus"
memory=/dev/shm
if [[ ! -w $memory ]]; then memory=${TMPDIR:-/tmp}; fi
TMPDIR=$(mktemp -d "$memory/scalemark-fuzz-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
rm -rf "$build/fuzz-seeds"
"$programs/fuzz_make_seeds" "$build/fuzz-seeds"

# Seed 1: the same beginning each time; the corpus of earlier times makes it go on from there.
fuzz() { # target
  local corpus=$build/fuzz-corpus/$1 log=$build/fuzz-$1.log
  mkdir -p "$corpus"
  if "$programs/fuzz_$1" -max_total_time="$each" -seed=1 -timeout=20 -rss_limit_mb=1024 -max_len=65536 \
    -print_final_stats=1 -verbosity=1 -artifact_prefix="$build/fuzz-found/$1-" \
    "$corpus" "$build/fuzz-seeds/$1" >"$log" 2>&1; then
    echo "fuzz_$1: $(sed -n 's/stat::number_of_executed_units: //p' "$log") inputs, nothing found"
  else
    echo "fuzz_$1: found something, kept in $build/fuzz-found; the end of $log:"
    tail -n 60 "$log"
    return 1
  fi
}

running=()
for target in "${targets[@]}"; do
  if ((${#running[@]} >= $(nproc))); then
    wait "${running[0]}" || found=1
    running=("${running[@]:1}")
  fi
  fuzz "$target" &
  running+=($!)
done
for job in "${running[@]}"; do wait "$job" || found=1; done
exit "$found"
