#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command in a container of Docker as its caller: with the user, environment, folder and cores of this process. Containers are
# children of Docker's daemon, so they inherit none of these.
#
#   docker_run.sh [OPTION of docker run...] IMAGE COMMAND [ARGUMENT...]
#
# HOME, PATH and the libraries' paths are the image's. The container shares the network, the processes and the shared memory of the
# machine: by them a launcher outside reaches its ranks, and they reach each other.
# Exit: that of the command; 125 to 127 are Docker's own.
set -euo pipefail

options=(--rm --net=host --pid=host --ipc=host --cap-add=SYS_NICE "--workdir=$PWD" "--user=$(id -u):$(id -g)")
for group in $(id -G); do options+=("--group-add=$group"); done
options+=("--cpuset-cpus=$(awk '$1 == "Cpus_allowed_list:" { print $2 }' /proc/self/status)")
while read -r name; do
  case $name in
    HOME | HOSTNAME | LD_* | PATH) ;;
    *) options+=("--env=$name") ;; # with its value of here
  esac
done < <(compgen -e)
exec docker run "${options[@]}" "$@"
