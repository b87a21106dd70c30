#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpi_main_test.sh PROGRAM MPIRUN...: a failure on one rank fails the whole test and names the rank.
set -euo pipefail
program=$1
shift

expect() { # CODE TEXT FILTER [VARIABLE=VALUE]
  local code=$1 text=$2 filter=$3 got=0 output
  output=$(env SCALEMARK_EXPECT_RANKS=2 "${@:4}" timeout --kill-after=5 30 \
    "${mpirun[@]}" -n 2 "$program" --gtest_filter="$filter" 2>&1) || got=$?
  if [[ $got -ne $code || $output != *"$text"* ]]; then
    printf '%s: expected exit code %s and "%s", got %s:\n%s\n' "$filter" "$code" "$text" "$got" "$output"
    exit 1
  fi
}

mpirun=("$@")
expect 0 "[       OK ] Probe.Passes [0]" "*Passes"
expect 1 "main_probe.cpp:15: failure" "*FailsOnTheLastRank"
expect 1 "[  FAILED  ] Probe.FailsOnTheLastRank [1]" "*FailsOnTheLastRank"
expect 1 "thrown by a test" "*ThrowsOnTheLastRank"
expect 77 "nothing to do" "*Skips"
expect 1 "no test was selected" "*NotThere"
expect 1 "SCALEMARK_EXPECT_RANKS=3, but MPI started 2" "*Passes" SCALEMARK_EXPECT_RANKS=3
