#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether `show` names what really delays a training: two ranks on hosts that are network namespaces of this machine, a core each.

    tests/peers/planted_delays.py --scalemark PROGRAM [--repeats 5] [--keep DIR]

Planted are busy loops on the second rank's core, the same on all cores of the second host, and a network of 100 Mbit/s. A training on
one rank reads pictures of 300 x 300 pixels from another host (sshfs): through a network of 24 Mbit/s, or through one that delays each
packet by 1 ms and with one thread that loads instead of sixteen. For each repetition it prints what was named, in turns with quiet runs,
then how often that was right. Needs root, DALI, sshfs, socat, OpenSSH's sftp-server, and two cores with nothing beside it. Takes twenty
minutes. Exit: 0 if all were right, else 1.
"""
import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

from predict_hosts import RECIPES, hosts, parser_of, recipe, result_folder, told

TRAIN = ["^imaging/train$", "-a", "device=cpu", "-a", "threads=1", "-a", "mode=paper", "-a", "strategy=ddp_ds", "-a", "image=64", "-a",
         "batch=32", "-a", "images=1280", "-a", "test_images=4", "-a", "ranks=2"]


@contextlib.contextmanager
def busy_core():
    """A loop on the core of rank 1: ranks are placed in the order of the cores."""
    core = sorted(os.sched_getaffinity(0))[1]
    loop = subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    try:
        yield
    finally:
        loop.kill()
        loop.wait()


def on_one_host(program, path, planted):
    with busy_core() if planted else contextlib.nullcontext():
        subprocess.run(["mpirun", "-n", "2", program, "run", *TRAIN, "-o", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=True)


def on_two_hosts(*slow):
    def measure(program, path, planted):
        with hosts(program, 2, None) as run:
            if planted:
                recipe("host-slow.sh", *slow)
            run(*TRAIN, "-a", "backend=mpi", "-o", path)
    return measure


# Loads each picture of 300 x 300 pixels from its file in each epoch.
FROM_FILES = ["^imaging/train$", "-a", "device=cpu", "-a", "threads=1", "-a", "mode=paper", "-a", "strategy=ddp_ds", "-a", "image=32", "-a",
              "batch=32", "-a", "images=640", "-a", "test_images=4", "-a", "ranks=1", "-a", "scenario=b", "-a", "storage=files", "-a",
              "loader=dali"]
SFTP_SERVERS = ["/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server", "/usr/lib/ssh/sftp-server"]
PORT = 2222


def on(host, *command):
    """What runs the command on this host, to be ended with it."""
    return [RECIPES / "host-exec.sh", host, "setpriv", "--pdeathsig", "TERM", *map(str, command)]


@contextlib.contextmanager
def folder_of_host(host, folder):
    """`folder` as the hosts' head sees it on that host, until the end."""
    address = (Path(os.environ.get("HOSTS_STATE", "/run/scalemark-hosts")) / f"{host}.addr").read_text(encoding="utf-8").strip()
    sftp = next(path for path in SFTP_SERVERS if Path(path).exists())
    mount = folder.with_name(folder.name + "-mounted")
    mount.mkdir(exist_ok=True)
    server = subprocess.Popen(on(host, "socat", f"TCP-LISTEN:{PORT},reuseaddr", f"EXEC:{sftp}"))
    time.sleep(1)
    client = subprocess.Popen(on("head", "sshfs", "-f", "-o", f"directport={PORT}", f"{address}:{folder}", mount))
    time.sleep(1)
    try:
        yield mount
    finally:
        subprocess.run(on("head", "fusermount3", "-u", mount), check=False)
        for process in (client, server):
            process.terminate()
            process.wait()


def from_another_host(slow, workers):
    """`slow`: what a quiet and a planted run have on the network; `workers`: how many threads load."""
    def measure(program, path, planted):
        pictures = path.parent / "pictures"
        train = [program, "run", *FROM_FILES, "--placement", "none", "-a", f"workers={workers[planted]}", "-o"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
        if not pictures.exists():
            subprocess.run([*train, path.with_name("pictures.h5"), "--data", f"rgb300={pictures}"], **quiet)
        with hosts(program, 2, None), folder_of_host("node2", pictures) as mount:
            if slow[planted]:
                recipe("host-slow.sh", "node2", *slow[planted])
            subprocess.run(on("head", *train, path, "--data", f"rgb300={mount}"), **quiet)
    return measure


FAR = ("--delay", 1)

# What is planted, how the training then runs, and what is to be named.
PLANTED = {"busy core": (on_one_host, ("rank", 1)),
           "slow host": (on_two_hosts("node2", "--busy", 2), ("rank", 1)),
           "slow link": (on_two_hosts("node2", "--rate", "100mbit"), ("messages", None)),
           "slow storage": (from_another_host(slow=((), ("--rate", "24mbit")), workers=(0, 0)), ("input", None)),
           "no workers": (from_another_host(slow=(FAR, FAR), workers=(16, 0)), ("input", None))}


def named(program, path):
    (row,) = told(program, "show", path)
    return [(delay["cause"], delay.get("rank"), delay["fraction"]) for delay in row.get("delays", [])]


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    program = arguments.scalemark
    right = quiet = 0
    with result_folder(arguments.keep) as folder:
        for number in range(arguments.repeats):
            for name, (measure, wanted) in PLANTED.items():
                for planted in (False, True):
                    path = folder / f"{name.replace(' ', '-')}-{'planted' if planted else 'quiet'}-{number}.h5"
                    if not path.exists():
                        measure(program, path, planted)
                    delays = named(program, path)
                    if planted:
                        right += [delay[:2] for delay in delays[:1]] == [wanted]
                    else:
                        quiet += not delays
                    words = ", ".join(f"{cause}{'' if rank is None else f' {rank}'} {100 * share:.0f} %" for cause, rank, share in delays)
                    print(f"{name if planted else 'quiet':10} {words or 'nothing named'}", flush=True)
    every = arguments.repeats * len(PLANTED)
    print(f"named first what was planted: {right} of {every}; nothing named on quiet runs: {quiet} of {every}")
    if right < every or quiet < every:
        sys.exit(1)


if __name__ == "__main__":
    main()
