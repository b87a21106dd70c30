#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes measurement jobs for Slurm, PBS, LSF or Flux, one per number of nodes, and submits them on request.
#
#   submit.sh SCHEDULER [OPTION...] [-- ARGUMENT of scalemark run...]      SCHEDULER: slurm, pbs, lsf or flux
#   submit.sh slurm --nodes 1,2,4,8 --ranks-per-node 4 --gpus-per-node 4 --array -- --preset nccl-tests
#   submit.sh pbs --nodes 4 --module openmpi --queue gpu --submit
#
#   --nodes N,...        numbers of nodes, one job for each (default 1)
#   --ranks-per-node R   ranks per node (default: --gpus-per-node, else 2)
#   --gpus-per-node G    GPUs per node for the job (default 0)
#   --cpus-per-rank C    cores per rank (default: the scheduler's)
#   --time H:MM:SS       time limit (default 0:30:00)
#   --queue Q            queue or partition
#   --account A          account, project or bank
#   --repeats R          runs per number of nodes (default 3)
#   --array              run each repeat as an element of a job array: on other nodes, at another time
#   --module M           module to load first; may be repeated
#   --container FILE     Apptainer image that holds scalemark (packaging/container)
#   --mpi TYPE           Slurm: how srun starts MPI (default: pmix where srun --mpi=list has it)
#   --output DIR         folder of the jobs and their runs (default results/local/SCHEDULER-TIME): DIR/nodes-N/run-1.h5 ..
#   --submit             hand the jobs to the scheduler; without it the commands that do so are printed
#   -h, --help           this text
#
# Compare two sizes with:  scalemark compare DIR/nodes-1 --against DIR/nodes-2 --map 'ranks=*'
# Written for OpenPBS, IBM Spectrum LSF 10 and Flux; tried on a real Slurm only.
# Exit: 0 done, 2 usage, 3 something is missing, else that of the scheduler.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/lib.sh"
root=$(repository)

scheduler='' nodes=(1) per_node='' gpus=0 cpus='' limit=0:30:00 queue='' account='' repeats=3 array=0 modules=()
container='' mpi='' output='' submit=0
while (($#)); do
  case $1 in
    slurm | pbs | lsf | flux) scheduler=$1 ;;
    --nodes | --ranks-per-node | --gpus-per-node | --cpus-per-rank | --time | --queue | --account | --repeats | --module | --container | --mpi | --output)
      need_value "$@"
      case $1 in
        --nodes) IFS=, read -r -a nodes <<<"$2" ;;
        --ranks-per-node) need_count "$1" "$2" 1 && per_node=$2 ;;
        --gpus-per-node) need_count "$1" "$2" 0 && gpus=$2 ;;
        --cpus-per-rank) need_count "$1" "$2" 1 && cpus=$2 ;;
        --time) [[ $2 =~ ^[0-9]{1,3}:[0-5][0-9]:[0-5][0-9]$ ]] || die 2 "--time is '$2', allowed: H:MM:SS" && limit=$2 ;;
        --queue) queue=$2 ;;
        --account) account=$2 ;;
        --repeats) need_count "$1" "$2" 1 && repeats=$2 ;;
        --module) modules+=("$2") ;;
        --container) container=$2 ;;
        --mpi) mpi=$2 ;;
        --output) output=$2 ;;
      esac
      shift
      ;;
    --array) array=1 ;;
    --submit) submit=1 ;;
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
[[ -n $scheduler ]] || die 2 "no scheduler is named, allowed: slurm, pbs, lsf, flux (see --help)"
((${#nodes[@]})) || die 2 "--nodes is empty, allowed: numbers of nodes, as 1,2,4,8"
for n in "${nodes[@]}"; do need_count --nodes "$n" 1; done
# These values are written into the head of a job, where nothing is quoted.
for word in "$queue" "$account" "$mpi" ${modules[@]+"${modules[@]}"}; do
  [[ $word =~ ^[A-Za-z0-9_./+:@-]*$ ]] || die 2 "'$word' is no name of a queue, account, module or MPI type"
done
if [[ -n $mpi && $scheduler != slurm ]]; then die 2 "--mpi is for slurm only"; fi
check_run_arguments "$@"
if [[ -z $per_node ]]; then per_node=$((gpus > 0 ? gpus : 2)); fi
if [[ -n $container ]]; then
  [[ -f $container ]] || die 2 "--container is '$container', which is no file"
  container=$(realpath "$container")
fi
output=${output:-$root/results/local/$scheduler-$(date -u +%Y%m%dT%H%M%S)}
mkdir -p "$output" || die 2 "--output is '$output', which cannot be made"
output=$(cd "$output" && pwd)

# --- the heads: what each scheduler is asked for, for n nodes ---------------------------------------------

hours=${limit%%:*} minutes=${limit#*:}
minutes=${minutes%%:*}

head_of_slurm() { # nodes
  printf '#SBATCH %s\n' --job-name=scalemark "--nodes=$1" "--ntasks-per-node=$per_node" "--time=$limit" \
    --signal=B:USR1@120 "--output=$output/nodes-$1/job-%A-%a.txt"
  if ((gpus > 0)); then printf '#SBATCH --gpus-per-node=%s\n' "$gpus"; fi
  if [[ -n $cpus ]]; then printf '#SBATCH --cpus-per-task=%s\n' "$cpus"; fi
  if [[ -n $queue ]]; then printf '#SBATCH --partition=%s\n' "$queue"; fi
  if [[ -n $account ]]; then printf '#SBATCH --account=%s\n' "$account"; fi
  if ((array)); then printf '#SBATCH --array=1-%s\n' "$repeats"; fi
}

head_of_pbs() {
  local select="select=$1:ncpus=$((per_node * ${cpus:-1})):mpiprocs=$per_node"
  if ((gpus > 0)); then select+=":ngpus=$gpus"; fi
  printf '#PBS %s\n' '-N scalemark' "-l $select" "-l walltime=$limit" '-j oe' "-o $output/nodes-$1/"
  if [[ -n $queue ]]; then printf '#PBS -q %s\n' "$queue"; fi
  if [[ -n $account ]]; then printf '#PBS -A %s\n' "$account"; fi
  if ((array && repeats > 1)); then printf '#PBS -J 1-%s\n' "$repeats"; fi
}

head_of_lsf() {
  local name=scalemark
  if ((array)); then name="scalemark[1-$repeats]"; fi
  # LSF sends USR1 two minutes before the time limit.
  printf '#BSUB %s\n' "-J \"$name\"" "-n $(($1 * per_node))" "-R \"span[ptile=$per_node]\"" "-W $hours:$minutes" \
    "-o $output/nodes-$1/job-%J-%I.txt" "-wa USR1" "-wt 2"
  if ((gpus > 0)); then printf '#BSUB -gpu "num=%s"\n' "$gpus"; fi
  if [[ -n $cpus ]]; then printf '#BSUB -R "affinity[core(%s)]"\n' "$cpus"; fi
  if [[ -n $queue ]]; then printf '#BSUB -q %s\n' "$queue"; fi
  if [[ -n $account ]]; then printf '#BSUB -P %s\n' "$account"; fi
}

head_of_flux() {
  printf '#flux: %s\n' --job-name=scalemark "-N $1" --exclusive "-t $((10#$hours * 60 + 10#$minutes))m" --signal=SIGUSR1@2m \
    "--output=$output/nodes-$1/job-{{id}}.txt"
  if [[ -n $queue ]]; then printf '#flux: -q %s\n' "$queue"; fi
  if [[ -n $account ]]; then printf '#flux: -B %s\n' "$account"; fi
}

# --- the body: the same for all ------------------------------------------------------------------------------

body_of() { # nodes, ARGUMENT of scalemark run...
  local n=$1 command=()
  shift
  printf 'set -euo pipefail\n'
  if ((${#modules[@]})); then printf 'module load %s\n' "${modules[*]}"; fi
  printf 'cd %q\n' "$root"
  if [[ -n $container ]]; then printf 'export SCALEMARK_CONTAINER=%q\n' "$container"; fi
  if [[ -n $container && $gpus != 0 ]]; then printf 'export SCALEMARK_CONTAINER_OPTIONS=--nv\n'; fi
  if [[ $scheduler == slurm ]]; then
    printf 'export SCALEMARK_ROOT=%q\n' "$root"
    if [[ -n $mpi ]]; then printf 'export SCALEMARK_MPI=%q\n' "$mpi"; fi
    command=(jobscripts/slurm.sbatch)
  else
    command=(jobscripts/job.sh "$scheduler" --ranks "$((n * per_node))" --ranks-per-node "$per_node")
    if [[ $scheduler == flux && $gpus != 0 ]]; then command+=(--gpus-per-rank "$(((gpus + per_node - 1) / per_node))"); fi
  fi
  command+=(--repeats "$repeats" --output "$output/nodes-$n")
  if (($#)); then command+=(-- "$@"); fi
  # Runs in the job's own shell, so that the scheduler's signals reach the traps.
  printf 'exec bash'
  printf ' %q' "${command[@]}"
  printf '\n'
}

for n in "${nodes[@]}"; do
  folder=$output/nodes-$n
  mkdir -p "$folder"
  job=$folder/job.$scheduler
  {
    printf '#!/bin/bash\n'
    "head_of_$scheduler" "$n"
    body_of "$n" "$@"
  } >"$job"
  case $scheduler in
    slurm) command=(sbatch "$job") ;;
    pbs) command=(qsub "$job") ;;
    lsf) command=(bsub) ;;  # reads the job from stdin
    flux) command=(flux batch "$job") ;;
  esac
  if [[ $scheduler == flux && $array == 1 ]]; then command=(flux batch "--cc=1-$repeats" "$job"); fi
  if ((submit)); then
    say "Submitting $job"
    if [[ $scheduler == lsf ]]; then "${command[@]}" <"$job"; else "${command[@]}"; fi
  elif [[ $scheduler == lsf ]]; then
    printf 'bsub < %q\n' "$job"
  else
    printf '%q ' "${command[@]}"
    printf '\n'
  fi
done
