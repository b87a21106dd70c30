#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stops what slurm-up.sh started in DIR: cancels jobs, ends slurmd, slurmctld
# and munged by their pid files, and any job step that is left over.
#   slurm-down.sh DIR [--remove]
# --remove deletes DIR afterwards. Safe to call twice.
# Exit: 0 nothing is left, 1 something is still running, 2 usage.
set -euo pipefail

[[ $# -ge 1 && $# -le 2 && (-z ${2:-} || $2 == --remove) ]] || {
    echo "usage: slurm-down.sh DIR [--remove]" >&2
    exit 2
}
[[ -d $1 ]] || exit 0
dir=$(cd "$1" && pwd)
export SLURM_CONF=$dir/slurm.conf

# True when process $1 runs and its command name starts with $2 (a pid file may
# be stale and its number in use by somebody else).
is_alive() {
    local comm
    [[ -r /proc/$1/comm ]] || return 1
    read -r comm <"/proc/$1/comm" 2>/dev/null || return 1
    [[ $comm == "$2"* && $(awk '{ print $3 }' "/proc/$1/stat" 2>/dev/null) != Z ]]
}

stop() { # pid, command name
    local i
    is_alive "$1" "$2" || return 0
    kill -TERM "$1" 2>/dev/null || true
    for ((i = 0; i < 50; i++)); do
        is_alive "$1" "$2" || return 0
        sleep 0.1
    done
    kill -KILL "$1" 2>/dev/null || true
}

# Job steps of this cluster: slurmstepd processes whose environment or open
# files belong to DIR. Found by the spool directory in their command's cwd.
steps() {
    local p
    for p in /proc/[0-9]*; do
        [[ $(cat "$p/comm" 2>/dev/null || true) == slurmstepd* ]] || continue
        if tr '\0' '\n' 2>/dev/null <"$p/environ" | grep -qxF "SLURM_CONF=$SLURM_CONF" ||
            readlink "$p/cwd" 2>/dev/null | grep -qF "$dir/" ||
            find "$p/fd" -lname "$dir/*" 2>/dev/null | grep -q .; then
            echo "${p#/proc/}"
        fi
    done
}

pid_of() { # pid file
    local pid=
    if [[ -s $1 ]]; then read -r pid <"$1" || true; fi
    if [[ $pid =~ ^[0-9]+$ ]]; then echo "$pid"; fi
}

# Jobs first, so that their processes end in the ordinary way.
ctld=$(pid_of "$dir/pid/slurmctld.pid")
if [[ -n $ctld ]] && is_alive "$ctld" slurmctld; then
    for state in PENDING RUNNING SUSPENDED; do
        timeout 10 scancel --state="$state" 2>/dev/null || true
    done
    for ((i = 0; i < 50; i++)); do
        [[ -z $(timeout 5 squeue -h 2>/dev/null || true) ]] && break
        sleep 0.2
    done
fi
for file in "$dir"/pid/slurmd.*.pid; do
    pid=$(pid_of "$file")
    [[ -n $pid ]] && stop "$pid" slurmd
done
for pid in $(steps); do stop "$pid" slurmstepd; done
[[ -n $ctld ]] && stop "$ctld" slurmctld
pid=$(pid_of "$dir/pid/munged.pid")
[[ -n $pid ]] && stop "$pid" munged

left=$(steps)
for file in "$dir"/pid/*.pid; do
    pid=$(pid_of "$file")
    name=$(basename "$file")
    [[ -n $pid ]] && is_alive "$pid" "${name%%.*}" && left+=" $pid"
done
rm -f "$dir"/pid/*.pid
if [[ -n ${left// /} ]]; then
    echo "slurm-down: still running: $left" >&2
    exit 1
fi
if [[ ${2:-} == --remove ]]; then
    rm -rf "$dir"
else
    rm -f "$dir/slurm.conf"
fi
