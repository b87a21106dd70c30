#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good `predict --workload imaging/train` is over a network: steps on hosts that are network namespaces of this machine, at
limited rates.

    tests/peers/predict_steps.py --scalemark PROGRAM [--rates 24mbit 100mbit] [--keep DIR]

Trainings on fewer hosts, and the messages of a step on 2, 3 and 4 hosts, predict the step on each of these. Messages come from
rows on as many hosts, then from rows on the others only. Prints both beside what was measured. Needs root, and twenty minutes.
"""
from predict_hosts import each_rate, hosts, told

RANKS = [2, 3, 4]
# Large messages: the limited rate lets bursts of 64 KiB through.
TRAIN = ["^imaging/train$", "-a", "device=cpu", "-a", "threads=1", "-a", "mode=paper", "-a", "strategy=ddp_ds", "-a", "image=32", "-a",
         "batch=8", "-a", "test_images=4", "-a", "backend=mpi"]
STEPS = 6
MESSAGES = ["^micro/(allreduce|broadcast)$", "-a", "backend=mpi", "-a", "memory=host", "-a", "call=nonblocking", "-a", "in_place=true",
            "-a", "micro/allreduce:bytes=1048576,7898152", "-a", "micro/broadcast:bytes=416,136448", "-n", "3", "--warmup", "1"]


def measure(program, rate, folder):
    with hosts(program, max(RANKS), rate) as run:
        run(*TRAIN, "-a", f"images={8 * 40}", "-a", "ranks=1", "-o", folder / "train-1.h5")
        for ranks in RANKS:
            run(*TRAIN, "-a", f"images={8 * STEPS * ranks}", "-a", f"ranks={ranks}", "-o", folder / f"train-{ranks}.h5")
            run(*MESSAGES, "-a", f"ranks={ranks}", "-o", folder / f"messages-{ranks}.h5")


def predicted(program, folder, ranks, others_only):
    messages = [folder / f"messages-{one}.h5" for one in RANKS if one != ranks or not others_only]
    trainings = [folder / f"train-{one}.h5" for one in (1, *RANKS) if one != ranks]
    # Of each length of training one answer: that from the training on the most hosts below.
    steps = told(program, "predict", "--from", *trainings, *messages, "--workload", "imaging/train", "-a", f"ranks={ranks}")
    return max((step for step in steps if step["from_ranks"] < ranks), key=lambda step: step["from_ranks"])


def main():
    for program, rate, folder in each_rate(__doc__):
        if not (folder / f"messages-{max(RANKS)}.h5").exists():
            measure(program, rate, folder)
        for ranks in RANKS:
            (row,) = told(program, "show", folder / f"train-{ranks}.h5")
            measured = row["metrics"]["step_time"]["median"]
            words = []
            for others_only in (False, True):
                step = predicted(program, folder, ranks, others_only)
                sources = sorted({message["source"] for message in step["messages"]})
                words.append(f"{step['step']:.3f} s ({100 * (step['step'] / measured - 1):+.1f} %, {', '.join(sources)})")
            print(f"{rate} {ranks} hosts: {measured:.3f} s; by messages on as many hosts {words[0]}; by those on others {words[1]}")


if __name__ == "__main__":
    main()
