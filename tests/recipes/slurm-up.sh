#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Starts a private Slurm (munged, slurmctld, 1..4 slurmd) for tests, on this
# machine only. Everything lives in one directory; nothing under /etc is read
# or changed. All sockets listen on 127.0.0.1.
#
#   slurm-up.sh DIR [NODES] [CPUS_PER_NODE]
#   eval "$(slurm-up.sh DIR 2 2)"    # then sbatch, srun, squeue work
#   slurm-down.sh DIR
#
# NODES         1..4 virtual nodes n1..nN on this host (default 2)
# CPUS_PER_NODE CPUs that each node offers (default 2), more than the machine
#               has is allowed: tasks are then oversubscribed, not bound
# SLURM_BASE_PORT  first TCP port to try (default 17100)
#
# Output (stdout): export SLURM_CONF=... and OMPI_MCA_btl_tcp_if_include=...
# (keeps Open MPI's traffic inside); progress goes to stderr.
# Exit: 0 ready, 2 usage, 3 something is missing, 4 a daemon did not start.
set -euo pipefail

die() {
    local code=$1
    shift
    echo "slurm-up: $*" >&2
    exit "$code"
}

[[ $# -ge 1 && $# -le 3 ]] || die 2 "usage: slurm-up.sh DIR [NODES] [CPUS_PER_NODE]"
dir=$1
nodes=${2:-2}
cpus=${3:-2}
base_port=${SLURM_BASE_PORT:-17100}
[[ $nodes =~ ^[1-4]$ ]] || die 2 "NODES is '$nodes', allowed: 1..4"
[[ $cpus =~ ^[1-9][0-9]?$ ]] || die 2 "CPUS_PER_NODE is '$cpus', allowed: 1..99"
[[ $base_port =~ ^[0-9]{4,5}$ ]] || die 2 "SLURM_BASE_PORT is '$base_port', allowed: a port number"
[[ $(id -u) -eq 0 ]] || die 3 "must run as root"
for tool in munged slurmctld slurmd sinfo srun ss unshare hostname flock; do
    command -v "$tool" >/dev/null ||
        die 3 "$tool not found (packages: slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge iproute2)"
done

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
((${#dir} <= 80)) || die 2 "DIR is ${#dir} characters long; munge's socket allows about 80"
if [[ -e $dir/slurm.conf ]]; then
    echo "slurm-up: $dir is in use, stopping what is there" >&2
    "$here/slurm-down.sh" "$dir" >&2
fi
mkdir -p "$dir"/{munge,ctld,log,pid}
chmod 755 "$dir" "$dir/munge"

# Whatever goes wrong below, leave nothing running.
trap '"$here/slurm-down.sh" "$dir" >&2 || true' EXIT

# --- free ports: one for slurmctld, one for each slurmd. The lock is held until
# the daemons listen, so that two calls at once do not choose the same ports.
exec 9>"${TMPDIR:-/tmp}/scalemark-slurm.lock"
flock -w 120 9 || die 4 "another slurm-up.sh holds the lock"
port_free() { [[ -z $(ss -Hltn "sport = :$1") ]]; }
block=$base_port
while true; do
    busy=0
    for ((i = 0; i <= nodes; i++)); do
        port_free $((block + i)) || busy=1
    done
    ((busy == 0)) && break
    block=$((block + 10))
    ((block < base_port + 1000)) || die 4 "no free block of ports from $base_port on"
done

# --- addresses
host=$(hostname -s)
getent hosts "$host" >/dev/null ||
    die 3 "host name '$host' does not resolve, and srun needs that: add '127.0.1.1 $host' to /etc/hosts"
# --- munge
key=$dir/munge/munge.key
if [[ ! -s $key ]]; then
    (umask 077 && dd if=/dev/urandom of="$key" bs=128 count=1 status=none)
fi
chmod 400 "$key"
socket=$dir/munge/socket
munged --force --key-file="$key" --socket="$socket" --num-threads=2 \
    --pid-file="$dir/pid/munged.pid" --log-file="$dir/log/munged.log" \
    --seed-file="$dir/munge/seed" 9>&- ||
    die 4 "munged did not start, see $dir/log/munged.log"

# --- slurm.conf
memory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
{
    cat <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$block
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$dir/ctld
SlurmdSpoolDir=$dir/spool.%n
TmpFS=$dir/tmp.%n
SlurmctldPidFile=$dir/pid/slurmctld.pid
SlurmdPidFile=$dir/pid/slurmd.%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.%n.log
SlurmctldDebug=info
SlurmdDebug=info
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/log/jobs.txt
MpiDefault=pmix
SwitchType=switch/none
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_min_interval=100000,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
ReturnToService=2
SlurmctldTimeout=60
SlurmdTimeout=60
MessageTimeout=30
InactiveLimit=0
KillWait=2
MinJobAge=300
Waittime=0
PropagateResourceLimits=NONE
SlurmdParameters=config_overrides
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
CONF
    for ((k = 1; k <= nodes; k++)); do
        echo "NodeName=n$k NodeHostname=n$k NodeAddr=127.0.0.1 Port=$((block + k))" \
            "CPUs=$cpus RealMemory=$memory Gres=gpu:0 State=UNKNOWN"
    done
} >"$dir/slurm.conf"
: >"$dir/gres.conf"
{
    echo "127.0.0.1 localhost $host"
    for ((k = 1; k <= nodes; k++)); do echo "127.0.0.1 n$k"; done
} >"$dir/hosts"
: >"$dir/log/jobs.txt"
export SLURM_CONF=$dir/slurm.conf

# --- daemons
slurmctld -c 9>&- || die 4 "slurmctld did not start, see $dir/log/slurmctld.log"
for ((k = 1; k <= nodes; k++)); do
    mkdir -p "$dir/spool.n$k" "$dir/tmp.n$k"
    # Own host name per node: with one name for all, ranks of two nodes with
    # the same local rank share one shared-memory file and MPI_Init hangs.
    # Own /etc/hosts in a private mount, so that the name resolves.
    # shellcheck disable=SC2016  # expanded by the inner shell
    unshare --uts --mount bash -c \
        'hostname "$1" && mount --bind "$2" /etc/hosts && exec slurmd -N "$1"' \
        slurmd "n$k" "$dir/hosts" 9>&- || die 4 "slurmd $k did not start, see $dir/log"
done

# --- wait until every node is idle
for ((i = 0; i < 150; i++)); do
    idle=$(sinfo -h -N -o '%N %t' 2>/dev/null | awk '$2 == "idle"' | wc -l) || idle=0
    ((idle == nodes)) && break
    sleep 0.2
done
((idle == nodes)) || {
    sinfo -N -l >&2 || true
    tail -n 5 "$dir"/log/*.log >&2 || true
    die 4 "only $idle of $nodes nodes are idle after 30 s"
}
trap - EXIT
echo "slurm-up: $nodes nodes of $cpus CPUs are idle" >&2
echo "export SLURM_CONF=$dir/slurm.conf"
echo "export OMPI_MCA_btl_tcp_if_include=lo"
