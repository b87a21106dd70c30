#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes measurement jobs for Slurm, PBS, LSF, Flux or mpirun alone, one per number of nodes, and submits them on request.
#
#   submit.sh SCHEDULER [OPTION...] [-- ARGUMENT of scalemark run...]      SCHEDULER: slurm, pbs, lsf, flux or mpirun
#   submit.sh slurm --nodes 1,2,4,8 --ranks-per-node 4 --gpus-per-node 4 --array -- --preset nccl-tests
#   submit.sh pbs --nodes 4 --module openmpi --queue gpu --submit
#
#   --nodes N,...        numbers of nodes, one job for each (default 1)
#   --ranks-per-node R   ranks per node (default: --gpus-per-node, else 2)
#   --gpus-per-node G    GPUs per node for the job (default 0)
#   --cpus-per-rank C    cores per rank (default: the scheduler's)
#   --time H:MM:SS       time limit (default 0:30:00); LSF and Flux get whole minutes, rounded up
#   --queue Q            queue or partition
#   --account A          account, project or bank
#   --repeats R          runs per number of nodes (default 3)
#   --resume             complete what earlier jobs of --output left
#   --array              run each repeat as an element of a job array: on other nodes, at another time
#   --requeue            continue where the job stopped, if the scheduler starts it again (not with Flux); a job of Slurm also goes
#                        back into the queue near its time limit
#   --baseline FILE      at the end of a job compare with this file or folder; exit 1 if something is worse
#   --scratch DIR        write on this disk of the first node, and copy each finished run to --output
#   --stage NAME=DIR     copy data set NAME (scalemark run --data) from DIR to each node's disk first; may be repeated
#   --module M           module to load first; may be repeated
#   --container PATH     holds scalemark (packaging/container): an Apptainer image, a folder for Charliecloud, FILE.sqsh for pyxis,
#                        docker:IMAGE or podman:IMAGE
#   --mpi TYPE           Slurm: how srun starts MPI (default: pmix where srun --mpi=list has it)
#   --hostfile FILE      mpirun: hosts with their slots (default: this machine)
#   --output DIR         folder of the jobs and their runs (default results/local/SCHEDULER-TIME): DIR/nodes-N/run-1.h5 ..
#   --submit             hand the jobs to the scheduler (mpirun: run them); without it the commands that do so are printed
#   --dry-run            print the jobs, write nothing
#   -h, --help           this text
#
# Compare two sizes with:  scalemark compare DIR/nodes-1 --against DIR/nodes-2 --map 'ranks=*'
# Written for OpenPBS, IBM Spectrum LSF 10 and Flux; tried on a real Slurm only.
# Exit: 0 done, 2 usage, 3 something is missing, else that of the scheduler.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/lib.sh"
# shellcheck source=jobscripts/runs.sh
source "$here/runs.sh"
root=$(repository)

scheduler='' nodes=(1) per_node='' gpus=0 cpus='' limit=0:30:00 queue='' account='' array=0 requeue=0 modules=()
container='' mpi='' hostfile='' submit=0 dry_run=0
while (($#)); do
  take_option "$@"
  if ((taken)); then
    shift "$taken"
    continue
  fi
  case $1 in
    slurm | pbs | lsf | flux | mpirun) scheduler=$1 ;;
    --nodes | --ranks-per-node | --gpus-per-node | --cpus-per-rank | --time | --queue | --account | --module | --container | --mpi | --hostfile)
      need_value "$@"
      case $1 in
        --nodes) IFS=, read -r -a nodes <<<"$2" ;;
        --ranks-per-node) need_count "$1" "$2" 1 && per_node=$2 ;;
        --gpus-per-node) need_count "$1" "$2" 0 && gpus=$2 ;;
        --cpus-per-rank) need_count "$1" "$2" 1 && cpus=$2 ;;
        --time) [[ $2 =~ ^[0-9]{1,3}:[0-5][0-9]:[0-5][0-9]$ ]] || die 2 "--time is '$2', allowed: H:MM:SS" && limit=$2 ;;
        --queue) queue=$2 ;;
        --account) account=$2 ;;
        --module) modules+=("$2") ;;
        --container) container=$2 ;;
        --mpi) mpi=$2 ;;
        --hostfile) hostfile=$2 ;;
      esac
      shift
      ;;
    --array) array=1 ;;
    --requeue) requeue=1 ;;
    --submit) submit=1 ;;
    --dry-run) dry_run=1 ;;
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
[[ -n $scheduler ]] || die 2 "no scheduler is named, allowed: slurm, pbs, lsf, flux, mpirun (see --help)"
((${#nodes[@]})) || die 2 "--nodes is empty, allowed: numbers of nodes, as 1,2,4,8"
for n in "${nodes[@]}"; do need_count --nodes "$n" 1; done
# These values are written into the head of a job, where nothing is quoted.
for word in "$queue" "$account" "$mpi" ${modules[@]+"${modules[@]}"}; do
  [[ $word =~ ^[A-Za-z0-9_./+:@-]*$ ]] || die 2 "'$word' is no name of a queue, account, module or MPI type"
done
if [[ -n $mpi && $scheduler != slurm ]]; then die 2 "--mpi is for slurm only"; fi
if [[ $scheduler == mpirun ]]; then
  if ((array || requeue)); then die 2 "--array and --requeue need a scheduler"; fi
  if [[ -z $hostfile ]]; then
    for n in "${nodes[@]}"; do ((n == 1)) || die 2 "--nodes is '$n', and mpirun needs --hostfile for more than one"; done
  fi
elif [[ -n $hostfile ]]; then
  die 2 "--hostfile is for mpirun only"
fi
if [[ $scheduler == flux ]] && ((requeue)); then die 2 "--requeue: Flux starts no job again; submit it once more with --resume"; fi
[[ -z $container || -e $container || $container =~ ^(docker|podman):. ]] ||
  die 2 "'$container' is neither a file, a folder, docker:IMAGE nor podman:IMAGE (--container)"
[[ -z $hostfile || -f $hostfile ]] || die 2 "'$hostfile' is no file (--hostfile)"
check_run_arguments "$@"
if [[ -z $per_node ]]; then per_node=$((gpus > 0 ? gpus : 2)); fi
if [[ -n $baseline ]]; then baseline=$(realpath -m -- "$baseline"); fi
if [[ -e $container ]]; then container=$(realpath -- "$container"); fi
if [[ -n $hostfile ]]; then hostfile=$(realpath -- "$hostfile"); fi
output=${output:-$root/results/local/$scheduler-$(date -u +%Y%m%dT%H%M%S)}
output=$(realpath -m -- "$output")
if [[ $scheduler != mpirun && ! $output =~ ^[A-Za-z0-9_./+:@,=-]+$ ]]; then
  die 2 "--output is '$output', allowed in the head of a job: letters, digits and _./+:@,=-"
fi
# There a colon stands behind the name of a host.
if [[ $scheduler == pbs && $output == *:* ]]; then die 2 "--output is '$output', and PBS takes no colon in it"; fi
# What the job checks: data and disks need not be on the machine that submits.
passed=(--repeats "$repeats" --relaunches "$relaunches")
if [[ -n $baseline ]]; then passed+=(--baseline "$baseline"); fi
if [[ -n $scratch ]]; then passed+=(--scratch "$scratch"); fi
for stage in ${staged[@]+"${staged[@]}"}; do passed+=(--stage "$stage"); done
# slurm.sbatch knows by itself whether it was started again.
if ((resume_hosts)) || [[ $requeue == 1 && $scheduler != slurm ]]; then
  passed+=(--resume-hosts)
elif ((resume)); then
  passed+=(--resume)
fi

# --- the heads: what each scheduler is asked for, for n nodes ---------------------------------------------

hours=${limit%%:*} minutes=${limit#*:}
minutes=${minutes%%:*}
seconds=$((10#$hours * 3600 + 10#$minutes * 60 + 10#${limit##*:}))
whole_minutes=$(((seconds + 59) / 60))

# shellcheck disable=SC2317  # called by write_job
head_of_slurm() { # nodes
  printf '#SBATCH %s\n' --job-name=scalemark "--nodes=$1" "--ntasks-per-node=$per_node" "--time=$limit" \
    --signal=B:USR1@120 "--output=$output/nodes-$1/job-$(if ((array)); then echo %A-%a; else echo %j; fi).txt"
  if ((gpus > 0)); then printf '#SBATCH --gpus-per-node=%s\n' "$gpus"; fi
  if [[ -n $cpus ]]; then printf '#SBATCH --cpus-per-task=%s\n' "$cpus"; fi
  if [[ -n $queue ]]; then printf '#SBATCH --partition=%s\n' "$queue"; fi
  if [[ -n $account ]]; then printf '#SBATCH --account=%s\n' "$account"; fi
  if ((array)); then printf '#SBATCH --array=1-%s\n' "$repeats"; fi
  if ((requeue)); then printf '#SBATCH --requeue\n'; fi
}

# shellcheck disable=SC2317  # called by write_job
head_of_pbs() {
  local select="select=$1:ncpus=$((per_node * ${cpus:-1})):mpiprocs=$per_node"
  if ((gpus > 0)); then select+=":ngpus=$gpus"; fi
  # Without a place all of it may be on one node.
  printf '#PBS %s\n' '-N scalemark' "-l $select" '-l place=scatter' "-l walltime=$limit" '-j oe' "-o $output/nodes-$1/"
  if [[ -n $queue ]]; then printf '#PBS -q %s\n' "$queue"; fi
  if [[ -n $account ]]; then printf '#PBS -A %s\n' "$account"; fi
  # PBS refuses arrays that may not be started again.
  if ((array && repeats > 1)); then
    printf '#PBS -J 1-%s\n' "$repeats"
  else
    printf '#PBS -r %s\n' "$(if ((requeue)); then echo y; else echo n; fi)"
  fi
}

# shellcheck disable=SC2317  # called by write_job
head_of_lsf() {
  local name=scalemark
  if ((array)); then name="scalemark[1-$repeats]"; fi
  # LSF sends USR1 two minutes before the time limit.
  printf '#BSUB %s\n' "-J \"$name\"" "-n $(($1 * per_node))" "-R \"span[ptile=$per_node]\"" "-W $(printf '%d:%02d' $((whole_minutes / 60)) $((whole_minutes % 60)))" \
    "-o $output/nodes-$1/job-%J-%I.txt" "-wa USR1" "-wt 2"
  if ((gpus > 0)); then printf '#BSUB -gpu "num=%s"\n' "$gpus"; fi
  if [[ -n $cpus ]]; then printf '#BSUB -R "affinity[core(%s)]"\n' "$cpus"; fi
  if [[ -n $queue ]]; then printf '#BSUB -q %s\n' "$queue"; fi
  if [[ -n $account ]]; then printf '#BSUB -P %s\n' "$account"; fi
  if ((requeue)); then printf '#BSUB -r\n'; fi
}

# shellcheck disable=SC2317  # called by write_job
head_of_flux() {
  printf '#flux: %s\n' --job-name=scalemark "-N $1" --exclusive "-t ${whole_minutes}m" --signal=SIGUSR1@2m \
    "--output=$output/nodes-$1/job-{{id}}.txt"
  if [[ -n $queue ]]; then printf '#flux: -q %s\n' "$queue"; fi
  if [[ -n $account ]]; then printf '#flux: -B %s\n' "$account"; fi
}

# Started by hand, or by a scheduler that is not listed.
# shellcheck disable=SC2317  # called by write_job
head_of_mpirun() { :; }

# Seconds after which a job without a scheduler's warning ends its measuring.
end_of_measuring() {
  if [[ $scheduler == mpirun ]]; then
    echo "$seconds"
  else
    echo $((seconds > 240 ? seconds - 120 : (seconds + 1) / 2))
  fi
}

# --- the body: the same for all ------------------------------------------------------------------------------

body_of() { # nodes, ARGUMENT of scalemark run...
  local n=$1 command=()
  shift
  printf 'set -euo pipefail\n'
  if ((${#modules[@]})); then printf 'module load %s\n' "${modules[*]}"; fi
  printf 'cd %q\n' "$root"
  if [[ -n $container ]]; then printf 'export SCALEMARK_CONTAINER=%q\n' "$container"; fi
  if ((gpus)) && [[ -f $container && $container != *.sqsh ]]; then
    printf 'export SCALEMARK_CONTAINER_OPTIONS=%q\n' "--nv${SCALEMARK_CONTAINER_OPTIONS:+ $SCALEMARK_CONTAINER_OPTIONS}"
  elif [[ -n $container && -n ${SCALEMARK_CONTAINER_OPTIONS:-} ]]; then
    printf 'export SCALEMARK_CONTAINER_OPTIONS=%q\n' "$SCALEMARK_CONTAINER_OPTIONS"
  fi
  if [[ $scheduler == slurm ]]; then
    printf 'export SCALEMARK_ROOT=%q\n' "$root"
    if [[ -n $mpi ]]; then printf 'export SCALEMARK_MPI=%q\n' "$mpi"; fi
    command=(jobscripts/slurm.sbatch)
    if ((requeue)); then command+=(--requeue); fi
  else
    command=(jobscripts/job.sh "$scheduler" --ranks "$((n * per_node))" --ranks-per-node "$per_node")
    if [[ -n $hostfile ]]; then command+=(--hostfile "$hostfile"); fi
    if [[ $scheduler == flux && $gpus != 0 ]]; then command+=(--gpus-per-rank "$(((gpus + per_node - 1) / per_node))"); fi
  fi
  command+=("${passed[@]}" --output "$output/nodes-$n")
  if (($#)); then command+=(-- "$@"); fi
  # Runs in the job's own shell, so that the scheduler's signals reach the traps. Without a scheduler the limit is kept here. PBS
  # has no warning before the limit: that is given here, as early as other schedulers give it.
  command=(bash "${command[@]}")
  if [[ $scheduler == mpirun || $scheduler == pbs ]]; then
    command=(timeout --foreground --preserve-status --signal=USR1 --kill-after=120 "$(end_of_measuring)" "${command[@]}")
  fi
  printf 'exec'
  printf ' %q' "${command[@]}"
  printf '\n'
}

write_job() { # nodes, ARGUMENT of scalemark run...
  printf '#!/bin/bash\n'
  "head_of_$scheduler" "$1"
  body_of "$@"
}

# hand_over JOB: submits it, or prints the command that does so. Flux has no arrays of batch jobs: each element is a job.
hand_over() {
  local k
  if [[ $scheduler == flux && $array == 1 ]]; then
    for ((k = 1; k <= repeats; k++)); do hand_over_one "$1" "--env=FLUX_JOB_CC=$k" || return; done
  else
    hand_over_one "$1"
  fi
}

hand_over_one() { # JOB [OPTION of flux batch]
  local job=$1 command
  case $scheduler in
    slurm) command=(sbatch "$job") ;;
    pbs) command=(qsub "$job") ;;
    lsf) command=(bsub) ;;  # reads the job from stdin
    flux) command=(flux batch "${@:2}" "$job") ;;
    mpirun) command=(bash "$job") ;;
  esac
  if ((submit)); then
    say "Submitting $job"
    if [[ $scheduler == lsf ]]; then "${command[@]}" <"$job"; else "${command[@]}"; fi
  elif [[ $scheduler == lsf ]]; then
    printf 'bsub < %q\n' "$job"
  else
    printf '%q ' "${command[@]}"
    printf '\n'
  fi
}

trap 'exit 130' INT # a job that mpirun ran ends by itself; the next must not start
code=0
for n in "${nodes[@]}"; do
  job=$output/nodes-$n/job.$scheduler
  if ((dry_run)); then
    printf '# %q\n' "$job"
    write_job "$n" "$@"
    continue
  fi
  mkdir -p "${job%/*}" || die 2 "--output is '$output', which cannot be made"
  write_job "$n" "$@" >"$job"
  failed=0
  hand_over "$job" || failed=$?
  code=$(worse_code "$code" "$failed")
done
exit "$code"
