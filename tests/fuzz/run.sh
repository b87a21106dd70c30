#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzz targets of a build with SCALEMARK_FUZZ for so many seconds altogether, a quarter each.
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
build=$1 each=$(($2 / 4)) found=0
programs=$build/tests/fuzz
mkdir -p "$build/fuzz-found" "$build/fuzz-corpus"
memory=/dev/shm
if [[ ! -w $memory ]]; then memory=${TMPDIR:-/tmp}; fi
TMPDIR=$(mktemp -d "$memory/scalemark-fuzz-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
rm -rf "$build/fuzz-seeds"
"$programs/fuzz_make_seeds" "$build/fuzz-seeds"
for target in message edits bytes import; do
  corpus=$build/fuzz-corpus/$target log=$build/fuzz-$target.log
  mkdir -p "$corpus"
  # Seed 1: the same beginning each time; the corpus of earlier times makes it go on from there.
  if "$programs/fuzz_$target" -max_total_time="$each" -seed=1 -timeout=20 -rss_limit_mb=1024 -max_len=65536 \
    -print_final_stats=1 -verbosity=1 -artifact_prefix="$build/fuzz-found/$target-" \
    "$corpus" "$build/fuzz-seeds/$target" >"$log" 2>&1; then
    echo "fuzz_$target: $(sed -n 's/stat::number_of_executed_units: //p' "$log") inputs, nothing found"
  else
    found=1
    echo "fuzz_$target: found something, kept in $build/fuzz-found; the end of $log:"
    tail -n 60 "$log"
  fi
done
exit "$found"
