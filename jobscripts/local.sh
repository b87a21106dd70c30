#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures on this machine: scalemark run under mpirun, one result file per run. At the end it prints one table
# over all runs: the median of their medians, and how much they differ.
#
#   local.sh [OPTION...] [-- ARGUMENT of scalemark run...]
#   local.sh -n 4 --repeats 5 -- micro/allreduce -b 8 -e 1M
#
#   -n, --ranks N      ranks (default 2, or 1 on a single core)
#   --repeats R        separate launches (default 1); a comparison needs at least two per side
#   --output DIR       folder for run-1.h5 .. run-R.h5 (default results/local/HOST-nN-TIME)
#   --resume           complete the runs of DIR that are missing or were interrupted
#   --resume-hosts     the same, even if they were started on another host
#   --relaunches N     give up after N restarts in a row that finish no further case (default 12)
#   --baseline FILE    at the end compare with this file or folder
#   --scratch DIR      write on this local disk, and copy each finished run to --output
#   --stage NAME=DIR   copy data set NAME from DIR to the local disk first (default of --scratch: TMPDIR or /tmp); may be repeated
#   --no-table         do not print the table over all runs
#   -h, --help         this text
#
# SCALEMARK in the environment names the program (default: the newest release build). The program binds
# its ranks to cores itself (--placement). More ranks than cores are allowed; they share cores.
# With GPUs and at least two ranks, an extra launch first tests whether MPI supports device memory (scalemark run
# --probe), once per machine; not with --resume or --cuda-aware.
# Compare two folders with:  scalemark compare DIR --against DIR
# Exit: that of scalemark run (0 done, 3 a case failed, 4 nothing ran, 6 wrong data, 2 usage) or of the comparison (1
# something is worse), the worst of the runs; the launcher's own (137: a rank was killed) when no relaunch helped.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/lib.sh"
# shellcheck source=jobscripts/runs.sh
source "$here/runs.sh"

ranks='' repeats=1
while (($#)); do
  take_option "$@"
  if ((taken)); then
    shift "$taken"
    continue
  fi
  case $1 in
    -n | --ranks)
      need_value "$@"
      need_count "$1" "$2" 1 && ranks=$2
      shift
      ;;
    --no-table) table=0 ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    --)
      shift
      break
      ;;
    *) die 2 "unknown option '$1' (see --help); what is for scalemark run comes after --" ;;
  esac
  shift
done
check_run_arguments "$@"
check_options
if [[ -z $ranks ]]; then ranks=$(($(core_count) > 1 ? 2 : 1)); fi
if [[ -z $output ]]; then
  [[ $resume == 0 ]] || die 2 "--resume needs --output: which runs shall be completed?"
  output=$(repository)/results/local/$(hostname -s)-n$ranks-$(date -u +%Y%m%dT%H%M%S)
fi
program_command=("$(find_scalemark)")
need_mpirun
set_mpirun "$ranks"
prepare_folder "$output" "$resume"
option_words
resume_command=("$0" -n "$ranks" "${option_words[@]}" --resume)
if (($#)); then resume_command+=(-- "$@"); fi

trap 'hand_on SIGINT TERM' INT
trap 'hand_on SIGTERM TERM' TERM
trap 'hand_on SIGHUP TERM' HUP
trap 'hand_on SIGUSR1 USR1' USR1
if [[ $resume == 0 && " $* " != *" --cuda-aware"* ]]; then probe_cuda_aware "$ranks" "${mpirun_command[@]}" "${program_command[@]}"; fi
open_scratch env
measure_job '' "${mpirun_command[@]}" "${program_command[@]}" run "$@"
exit "$runs_code"
