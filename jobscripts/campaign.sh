#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the jobs of a campaign, and submits them on request: presets on numbers of nodes of one or more clusters, from one
# file (example: jobscripts/campaign.toml).
#
#   campaign.sh FILE [OPTION...]
#   campaign.sh jobscripts/campaign.toml --dry-run
#   campaign.sh jobscripts/campaign.toml --cluster here --submit
#
#   --cluster NAME   jobs of this cluster only; may be repeated
#   --job NAME       this job only; may be repeated
#   --resume         complete what earlier jobs of the campaign left
#   --submit         hand the jobs to the scheduler (mpirun: run them); without it the commands that do so are printed
#   --dry-run        print the jobs, write nothing
#   -h, --help       this text
#
# "scalemark campaign FILE" lists the jobs with their node-hours. Environment: SCALEMARK, the program (default: the newest
# release build).
# Exit: 0 done, 2 usage, 3 something is missing, 4 no job runs on these clusters, else the worst of the jobs that ran here, or
# that of the scheduler.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/lib.sh"

file='' chosen=() passed=() clusters=0 submit=0
while (($#)); do
  case $1 in
    --cluster | --job)
      need_value "$@"
      chosen+=("$1" "$2")
      if [[ $1 == --cluster ]]; then clusters=$((clusters + 1)); fi
      shift
      ;;
    --submit) submit=1 passed+=("$1") ;;
    --dry-run | --resume) passed+=("$1") ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    -*) die 2 "unknown option '$1' (see --help)" ;;
    *)
      [[ -z $file ]] || die 2 "'$1' is a second file; allowed: one (see --help)"
      file=$1
      ;;
  esac
  shift
done
[[ -n $file ]] || die 2 "no file is named (see --help)"
program=$(find_scalemark)

# The arguments of submit.sh for one job after another: each word ends with a NUL, each job with a word that is a line feed.
list=$(mktemp)
trap 'rm -f "$list"' EXIT
"$program" campaign "$file" ${chosen[@]+"${chosen[@]}"} --format words >"$list" || exit
mapfile -d '' -t words <"$list"

# Another site's scheduler cannot be reached from here.
schedulers=() previous=$'\n'
for word in "${words[@]}"; do
  if [[ $previous == $'\n' && " ${schedulers[*]-} " != *" $word "* ]]; then schedulers+=("$word"); fi
  previous=$word
done
if ((submit && clusters == 0 && ${#schedulers[@]} > 1)); then
  die 2 "the file has clusters with ${schedulers[*]}; name those that jobs are submitted to here: --cluster NAME"
fi

trap 'exit 130' INT # a job that mpirun ran ends by itself; the next must not start
code=0 job=()
for word in "${words[@]}"; do
  if [[ $word != $'\n' ]]; then
    job+=("$word")
    continue
  fi
  ended=0
  "$here/submit.sh" "${job[0]}" ${passed[@]+"${passed[@]}"} "${job[@]:1}" || ended=$?
  # Bad words in one job are bad in the others.
  if ((ended == 2)); then exit 2; fi
  code=$(worse_code "$code" "$ended")
  job=()
done
exit "$code"
