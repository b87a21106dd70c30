#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures inside a job of PBS, LSF or Flux, or by mpirun alone: scalemark run over all its ranks, one result file per run.
# jobscripts/submit.sh writes the job that calls it. (For Slurm it is slurm.sbatch.) At the end it prints one table over
# all runs; in an array of jobs the last element does so.
#
#   job.sh SCHEDULER [OPTION...] [-- ARGUMENT of scalemark run...]      SCHEDULER: pbs, lsf, flux or mpirun
#
#   --ranks N          ranks of the job
#   --ranks-per-node R ranks per node
#   --gpus-per-rank G  GPUs per rank (flux only, which needs it for each launch; default 0)
#   --repeats R        separate launches (default 3); in an array of jobs each element does one
#   --output DIR       folder for run-1.h5 .. run-R.h5
#   --hostfile FILE    hosts with their slots, as mpirun reads them (mpirun only; default: this machine)
#   --resume           complete the runs of DIR that are missing or were interrupted
#   --resume-hosts     the same, even if they were started on other nodes
#   --relaunches N     give up after N restarts in a row that finish no further case (default 12)
#   --baseline FILE    at the end compare with this file or folder
#   --scratch DIR      write on this disk of the first node, and copy each finished run to --output
#   --stage NAME=DIR   copy data set NAME from DIR to the disk of each node first; may be repeated
#   -h, --help         this text
#
# Environment: SCALEMARK, the program; SCALEMARK_CONTAINER, what holds it instead: an Apptainer image, a folder for Charliecloud,
# docker:IMAGE or podman:IMAGE; SCALEMARK_LAUNCHER, another launcher with its options, separated by blanks.
# SIGUSR1 or SIGTERM end the run after its current case. LSF and Flux send one before the time limit; for PBS and mpirun the job
# of submit.sh does so. --resume continues it.
# Exit: that of scalemark run or of the comparison (1: something is worse), the worst of the runs; 2 usage, 3 something is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/lib.sh"
# shellcheck source=jobscripts/runs.sh
source "$here/runs.sh"

scheduler='' ranks='' per_node='' gpus=0 hostfile=''
while (($#)); do
  take_option "$@"
  if ((taken)); then
    shift "$taken"
    continue
  fi
  case $1 in
    pbs | lsf | flux | mpirun) scheduler=$1 ;;
    --ranks | --ranks-per-node | --gpus-per-rank | --hostfile)
      need_value "$@"
      case $1 in
        --ranks) need_count "$1" "$2" 1 && ranks=$2 ;;
        --ranks-per-node) need_count "$1" "$2" 1 && per_node=$2 ;;
        --gpus-per-rank) need_count "$1" "$2" 0 && gpus=$2 ;;
        --hostfile) hostfile=$2 ;;
      esac
      shift
      ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    --)
      shift
      break
      ;;
    *) die 2 "unknown argument '$1' (see --help); what is for scalemark run comes after --" ;;
  esac
  shift
done
[[ -n $scheduler ]] || die 2 "no scheduler is named, allowed: pbs, lsf, flux, mpirun (see --help)"
[[ -n $ranks && -n $per_node ]] || die 2 "--ranks and --ranks-per-node are needed (see --help)"
[[ -n $output ]] || die 2 "--output is needed: where shall the runs lie?"
[[ -z $hostfile || -r $hostfile ]] || die 2 "--hostfile is '$hostfile', which cannot be read"
check_run_arguments "$@"
check_options
set_program "$output" ${scratch:+"$scratch"} ${baseline:+"$baseline"}

# The program binds its ranks itself. An Open MPI built without support for the scheduler reads the nodes from a file.
nodes=$((ranks / per_node))
hosts=$hostfile
if [[ -z $hosts && $scheduler != mpirun ]]; then hosts=${PBS_NODEFILE:-${LSB_DJOB_HOSTFILE:-}}; fi
if [[ $scheduler == flux ]]; then
  each=(flux run -n "$nodes" -N "$nodes" -o cpu-affinity=off)
  launcher=(flux run -n "$ranks" -N "$nodes" -o cpu-affinity=off)
  if ((gpus > 0)); then launcher+=(-g "$gpus"); fi
elif [[ $scheduler == mpirun && -z $hosts ]]; then
  set_mpirun "$ranks"
  each=(env)
  launcher=("${mpirun_command[@]}")
else
  if [[ ! -s $hosts ]]; then hosts=''; fi
  set_mpirun "$nodes" 1 "$hosts"
  each=("${mpirun_command[@]}")
  set_mpirun "$ranks" "$per_node" "$hosts"
  launcher=("${mpirun_command[@]}")
fi
if [[ -n ${SCALEMARK_LAUNCHER:-} ]]; then read -r -a launcher <<<"$SCALEMARK_LAUNCHER"; fi
command -v "${launcher[0]}" >/dev/null || die 3 "${launcher[0]} was not found: load the MPI module (submit.sh --module), or set SCALEMARK_LAUNCHER"
element=${PBS_ARRAY_INDEX:-${LSB_JOBINDEX:-${FLUX_JOB_CC:-}}}
if [[ $element == 0 ]]; then element=''; fi  # of LSF's jobs outside an array
prepare_folder "$output" "$resume" "$element"

trap 'hand_on SIGINT TERM' INT
trap 'hand_on SIGTERM USR1' TERM
trap 'hand_on SIGUSR1 USR1' USR1
open_scratch "${each[@]}"
measure_job "$element" "${launcher[@]}" "${rank_command[@]}" run "$@"
exit "$runs_code"
