#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# MPICH's mpiexec, beside this script, for tests that call Open MPI's mpirun: without the options that only that one has.
set -euo pipefail

arguments=()
while (($#)); do
  case $1 in
    --oversubscribe) ;;
    --bind-to | --map-by) shift ;;
    -x)
      arguments+=(-genvlist "$2")
      shift
      ;;
    -n | -np)
      arguments+=("$1" "$2")
      shift
      ;;
    *)
      arguments+=("$@")
      break
      ;;
  esac
  shift
done
exec "$(dirname "${BASH_SOURCE[0]}")/mpiexec" "${arguments[@]}"
