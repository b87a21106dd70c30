#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stands in for scalemark in the tests of the job scripts: `run --output FILE` keeps the file
# contract (FILE.parts while it runs, FILE when it is done) and ends as STUB_PLAN says.
#
# STUB_PLAN is a list of endings, one for each launch, the last one for all that follow:
#   CODE      writes FILE and exits with CODE
#   lost:CODE leaves FILE.parts and exits with CODE
#   case:CODE the same, with one more finished case in FILE.parts
#   kill      leaves FILE.parts; the rank kills itself
#   none:CODE writes nothing and exits with CODE
#   crash     writes nothing; the rank kills itself
#   wait      waits until SIGUSR1 (then leaves FILE.parts, exits 0) or SIGTERM
# STUB_LOG gets one line for every launch: its arguments. `show PATH` and `compare BASE
# --against PATH` are no launches: they say what they were given; the latter ends with STUB_COMPARE.
set -euo pipefail

case ${1:-} in
  show)
    echo "table of $2"
    exit 0
    ;;
  compare)
    echo "compared $2 with $4"
    exit "${STUB_COMPARE:-0}"
    ;;
esac

rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-0}}}
((rank == 0)) || exit 0
launch=$(($(wc -l <"$STUB_LOG") + 1))
echo "ranks=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:-${SLURM_NTASKS:-1}}} $*" >>"$STUB_LOG"
read -r -a plan <<<"$STUB_PLAN"
ending=${plan[launch - 1]:-${plan[-1]}}

file='' resume=0
while (($#)); do
  case $1 in
    --output) file=$2 && shift ;;
    --resume) resume=1 ;;
  esac
  shift
done
if [[ -e $file ]]; then exit 2; fi
if [[ $resume == 0 && -d $file.parts ]] || [[ $resume == 1 && ! -d $file.parts ]]; then exit 2; fi

case $ending in
  none:*) exit "${ending#none:}" ;;
  crash) kill -SEGV $$ ;;
  lost:*) mkdir -p "$file.parts" && exit "${ending#lost:}" ;;
  case:*)
    mkdir -p "$file.parts"
    printf 'x' >"$file.parts/$(printf 'c%06d.h5' "$launch")"
    exit "${ending#case:}"
    ;;
  kill) mkdir -p "$file.parts" && kill -KILL $$ ;;
  wait)
    mkdir -p "$file.parts"
    trap 'exit 0' USR1
    trap 'exit 143' TERM
    echo "$$" >"$STUB_LOG.waiting"
    while sleep 0.1; do :; done
    ;;
  *)
    mkdir -p "$file.parts"
    echo "launch $launch" >"$file"
    rm -r "$file.parts"
    exit "$ending"
    ;;
esac
