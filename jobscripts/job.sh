#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures inside a job of PBS, LSF or Flux: scalemark run over all its ranks, one result file per run.
# jobscripts/submit.sh writes the job that calls it. (For Slurm it is slurm.sbatch.) At the end it prints one table over
# all runs, except in an array of jobs.
#
#   job.sh SCHEDULER [OPTION...] [-- ARGUMENT of scalemark run...]      SCHEDULER: pbs, lsf or flux
#
#   --ranks N          ranks of the job
#   --ranks-per-node R ranks per node
#   --gpus-per-rank G  GPUs per rank (flux only, which needs it for each launch; default 0)
#   --repeats R        separate launches (default 3); in an array of jobs each element does one
#   --output DIR       folder for run-1.h5 .. run-R.h5
#   --resume           complete the runs of DIR that are missing or were interrupted
#   --relaunches N     how often a lost run is started again after its finished cases (default 12)
#   -h, --help         this text
#
# Environment: SCALEMARK, the program; SCALEMARK_CONTAINER, an Apptainer image that holds it instead;
# SCALEMARK_LAUNCHER, another launcher with its options, separated by blanks.
# SIGUSR1 or SIGTERM, which a scheduler sends before the time limit, end the run after its current case. --resume
# continues it.
# Exit: that of scalemark run, the worst of the runs; 2 usage, 3 something is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/lib.sh"

scheduler='' ranks='' per_node='' gpus=0 repeats=3 output='' resume=0 relaunches=12
while (($#)); do
  case $1 in
    pbs | lsf | flux) scheduler=$1 ;;
    --ranks | --ranks-per-node | --gpus-per-rank | --repeats | --output | --relaunches)
      need_value "$@"
      case $1 in
        --ranks) need_count "$1" "$2" 1 && ranks=$2 ;;
        --ranks-per-node) need_count "$1" "$2" 1 && per_node=$2 ;;
        --gpus-per-rank) need_count "$1" "$2" 0 && gpus=$2 ;;
        --repeats) need_count "$1" "$2" 1 && repeats=$2 ;;
        --relaunches) need_count "$1" "$2" 0 && relaunches=$2 ;;
        --output) output=$2 ;;
      esac
      shift
      ;;
    --resume) resume=1 ;;
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
[[ -n $scheduler ]] || die 2 "no scheduler is named, allowed: pbs, lsf, flux (see --help)"
[[ -n $ranks && -n $per_node ]] || die 2 "--ranks and --ranks-per-node are needed (see --help)"
[[ -n $output ]] || die 2 "--output is needed: where shall the runs lie?"
check_run_arguments "$@"
set_program

# The program binds its ranks itself. An Open MPI built without support for the scheduler reads the nodes from a file.
launcher=()
case $scheduler in
  pbs) launcher=(mpirun -n "$ranks" --map-by "ppr:$per_node:node" --bind-to none) ;;
  lsf) launcher=(mpirun -n "$ranks" --map-by "ppr:$per_node:node" --bind-to none) ;;
  flux)
    launcher=(flux run -n "$ranks" -N "$((ranks / per_node))" -o cpu-affinity=off)
    if ((gpus > 0)); then launcher+=(-g "$gpus"); fi
    ;;
esac
nodes=${PBS_NODEFILE:-${LSB_DJOB_HOSTFILE:-}}
if [[ $scheduler != flux && -s $nodes ]]; then launcher+=(--hostfile "$nodes"); fi
if [[ -n ${SCALEMARK_LAUNCHER:-} ]]; then read -r -a launcher <<<"$SCALEMARK_LAUNCHER"; fi
command -v "${launcher[0]}" >/dev/null || die 3 "${launcher[0]} was not found: load the MPI module (submit.sh --module), or set SCALEMARK_LAUNCHER"

trap 'hand_on SIGTERM USR1' TERM
trap 'hand_on SIGUSR1 USR1' USR1

command=("${launcher[@]}" "${program_command[@]}" run "$@")
element=${PBS_ARRAY_INDEX:-${LSB_JOBINDEX:-${FLUX_JOB_CC:-0}}}
if [[ $element != 0 ]]; then  # LSF's jobs outside an array have 0
  code=0
  measure_element "$output" "$element" "$relaunches" "$resume" "${command[@]}" || code=$?
  exit "$code"
fi
prepare_folder "$output" "$resume"
measure_runs "$output" "$repeats" "$relaunches" "$resume" "${command[@]}"
show_runs "$output" "${program_command[@]}"
exit "$runs_code"
