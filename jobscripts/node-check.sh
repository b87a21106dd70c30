#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks this node in less than a minute: measures preset "node" and compares with other nodes of the cluster, which
# fleet.sbatch has measured, with a baseline, or with both. For a prolog, an epilog or a health check.
#
#   node-check.sh --fleet DIR [--baseline FILE] [OPTION...]
#   node-check.sh --baseline FILE [OPTION...]
#
#   --fleet DIR        folder of node-HOST.h5 files; up to 64 of other hosts are compared with
#   --baseline FILE    file of scalemark baseline, made of node-HOST.h5 files of accepted nodes
#   --history DIR      folders of earlier jobs: compare nodes with their own past, too
#   -n, --ranks N      ranks, as for fleet.sbatch: its tasks per node (default 1)
#   --output FILE      keep the result here (default: it is not kept)
#   --limit S          seconds after which the measurement is given up (default 60); the comparison comes on top
#   -h, --help         this text
#
# SCALEMARK in the environment names the program (default: the newest release build).
# Exit: 0 the node is as fast as the others, 1 it is bad (stdout says why), 2 usage, 3 it could not be measured,
# 4 the files have nothing to compare with.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/lib.sh"

fleet='' baseline='' others=() history=() ranks=1 output='' limit=60
while (($#)); do
  case $1 in
    --fleet | --baseline | --history | -n | --ranks | --output | --limit)
      need_value "$@"
      case $1 in
        --fleet) fleet=$2 ;;
        --baseline) baseline=$2 ;;
        --history) history+=(--history "$2") ;;
        -n | --ranks) need_count "$1" "$2" 1 && ranks=$2 ;;
        --output) output=$2 ;;
        --limit) need_count "$1" "$2" 1 && limit=$2 ;;
      esac
      shift
      ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    *) die 2 "unknown option '$1' (see --help)" ;;
  esac
  shift
done
[[ -n $fleet$baseline ]] || die 2 "--fleet, --baseline or both are needed (see --help)"
[[ -z $fleet || -d $fleet ]] || die 2 "--fleet is '$fleet', which is no folder (see --help)"
[[ -z $baseline || -f $baseline ]] || die 2 "--baseline is '$baseline', which is no file (see --help)"
folder=$(mktemp -d) || die 3 "no temporary folder can be made"
trap 'rm -rf "$folder"' EXIT
set_program ${fleet:+"$fleet"} ${baseline:+"$baseline"} "$folder" ${history[1]:+"${history[1]}"}
need_mpirun
set_mpirun "$ranks"

# Files of this host are left out: of several runs on a host the fastest counts.
host=$(hostname)
if [[ -n $fleet ]]; then
  mapfile -t others < <(find "$fleet" -maxdepth 1 -name 'node-*.h5' ! -name "node-${host%%.*}.h5" ! -name "node-$host.h5" | sort -R | head -n 64)
  ((${#others[@]})) || [[ -n $baseline ]] || die 4 "$fleet has no node-HOST.h5 of another host"
fi

measured=$folder/node.h5
code=0
timeout --kill-after=5 "$limit" "${mpirun_command[@]}" "${rank_command[@]}" run --preset node --output "$measured" </dev/null >"$folder/log" 2>&1 || code=$?
if [[ ! -f $measured ]]; then
  tail -n 20 "$folder/log" >&2
  if ((code == 124 || code == 137)); then die 3 "no result within $limit s (--limit)"; fi
  die 3 "no result, exit code $code"
fi
if [[ -n $output ]]; then cp -f "$measured" "$output" || die 3 "--output is '$output', which cannot be written"; fi
code=0
"${program_command[@]}" fleet ${others[@]+"${others[@]}"} "$measured" ${history[@]+"${history[@]}"} ${baseline:+--baseline "$baseline"} --only "$host" || code=$?
# Exit code 1 says that this node is bad, and nothing else does.
if ((code > 6)); then die 3 "the comparison ended with $code"; fi
exit "$code"
