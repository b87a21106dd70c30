#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether `show` names what really delays a training: two ranks on hosts that are network namespaces of this machine, a core each.

    tests/peers/planted_delays.py --scalemark PROGRAM [--repeats 5] [--keep DIR]

Planted are busy loops on the second rank's core, the same on all cores of the second host, and a network of 100 Mbit/s. For each
repetition it prints what was named, in turns with quiet runs, then how often that was right. Needs root, and two cores with nothing
beside it. Takes ten minutes.
"""
import contextlib
import os
import subprocess
import sys

from predict_hosts import hosts, parser_of, recipe, result_folder, told

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


# What is planted, how the training then runs, and what is to be named.
PLANTED = {"busy core": (on_one_host, ("rank", 1)),
           "slow host": (on_two_hosts("node2", "--busy", 2), ("rank", 1)),
           "slow link": (on_two_hosts("node2", "--rate", "100mbit"), ("messages", None))}


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


if __name__ == "__main__":
    main()
