#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command in a container of Docker as its caller: with the user, environment, folder, cores and GPUs of this process.
# Containers are children of Docker's daemon, so they inherit none of these.
#
#   docker_run.sh [OPTION of docker run...] IMAGE COMMAND [ARGUMENT...]
#   -h, --help         this text, as the only argument
#
# HOME, PATH and the libraries' paths are the image's. The container shares the machine's network, process numbers and shared memory,
# so that a launcher outside reaches its ranks, and they reach each other. Not for a daemon without root.
# Exit: that of the command; 125 to 127 are Docker's own.
set -euo pipefail

if [[ $# == 1 && ($1 == -h || $1 == --help) ]]; then
  # shellcheck source=jobscripts/lib.sh
  source "$(dirname "$0")/lib.sh"
  print_help "$0"
  exit 0
fi
# With SYS_NICE Docker's filter of system calls lets a process choose its memory's NUMA node.
options=(--rm --net=host --pid=host --ipc=host --cap-add=SYS_NICE "--workdir=$PWD" "--user=$(id -u):$(id -g)")
for group in $(id -G); do options+=("--group-add=$group"); done
cores=$(taskset --cpu-list --pid $$)
options+=("--cpuset-cpus=${cores##*: }")
# Network cards with RDMA, which lock memory.
if [[ -d /dev/infiniband ]]; then options+=(--device=/dev/infiniband --ulimit=memlock=-1:-1); fi
# The GPUs that this process sees, which need not be all of the machine.
if [[ " $*" != *" --gpus"* ]]; then
  gpus=$(nvidia-smi --query-gpu=uuid --format=csv,noheader 2>/dev/null | paste -sd, -) || gpus=''
  if [[ $gpus == GPU-* ]]; then options+=("--gpus=\"device=$gpus\""); fi
fi
# Docker would make folders that are missing, but as root.
for word in "$@"; do
  if [[ $word == --volume=* ]]; then
    folder=${word#--volume=}
    mkdir -p -- "${folder%%:*}"
  fi
done
while read -r name; do
  case $name in
    HOME | HOSTNAME | LD_* | OPAL_* | PATH) ;;
    *) options+=("--env=$name") ;; # with its value of here
  esac
done < <(compgen -e)
exec docker run "${options[@]}" "$@"
