#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# job_end_test.sh HOW PROGRAM MPIRUN...: starts the program, expects a message and an exit code within seconds.
set -euo pipefail
how=$1 program=$2
shift 2

expect() { # CODE TEXT COMMAND...
  local code=$1 text=$2 got=0 output
  shift 2
  output=$(timeout --kill-after=5 20 "$@" 2>&1) || got=$?
  if [[ $got -ne $code || $output != *"$text"* || $output == *finished* ]]; then
    printf 'expected exit code %s and "%s", got %s:\n%s\n' "$code" "$text" "$got" "$output"
    exit 1
  fi
}

host=$(uname -n)
# The text of a wrong rank: Open MPI's, and MPICH's.
reason=MPI_ERR_RANK
if [[ $("$1" --version 2>&1) != *"Open MPI"* ]]; then reason="Invalid rank"; fi
case $how in
  before) expect 42 "[1/2 $host] error: thrown before communication" "$@" -n 2 "$program" "$how" ;;
  between) expect 42 "[1/2 $host] error: thrown between two barriers" "$@" -n 2 "$program" "$how" ;;
  inside) expect 42 "[1/2 $host] error: MPI error class 6: $reason" "$@" -n 2 "$program" "$how" ;;
  unwind) expect 42 "[1/2 $host] error: thrown over a communicator" "$@" -n 2 "$program" "$how" ;;
  abort_before_init) expect 5 "[0/1 $host] error: no MPI yet" "$program" "$how" ;;
  # Processes that another MPI's mpirun, or srun without PMIx, started: each sees itself alone.
  promise_pmi) expect 2 "PMI_SIZE=4 promises 4 ranks, but MPI" env PMI_SIZE=4 "$program" "$how" ;;
  promise_slurm) expect 2 "SLURM_STEP_NUM_TASKS=2 promises 2 ranks" env SLURM_STEP_NUM_TASKS=2 "$program" "$how" ;;
  *) echo "unknown kind of end: $how" && exit 2 ;;
esac
