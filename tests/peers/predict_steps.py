#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good `predict --workload` is over a network: training steps on hosts that are network namespaces of this machine, at limited
rates.

    tests/peers/predict_steps.py --scalemark PROGRAM [--rates 24mbit 100mbit] [--only DDP] [--backend mpi] [--keep DIR]

Trainings on fewer hosts, and the messages of a step on 2, 3 and 4 hosts, predict the step on each of these: of MobileNetV2 with DDP,
and of Llama3 with FSDP. Messages come from rows on as many hosts, then from rows on the others only. Prints both beside what was
measured. With `--backend gloo` messages are sent while the ranks compute: it also predicts with rows of micro/overlap. Exits with 1
where a step is more than 10 % off that is predicted by messages on as many hosts. Needs root, and forty minutes.
"""
import collections
import statistics
import subprocess
import sys

from predict_hosts import each_rate, hosts, missing_rows, told

RANKS = [2, 3, 4]
STEPS = 6
MOST = 0.1  # error
ALONE = 40  # steps on one host
COMMON = ["-a", "device=cpu", "-a", "threads=1", "-a", "mode=paper"]
# Large messages: the limited rate lets bursts of 64 KiB through.
TRAININGS = {"DDP": ("imaging/train", ["-a", "strategy=ddp_ds", "-a", "image=32", "-a", "batch=8", "-a", "test_images=4"],
                     lambda steps, ranks: ["-a", f"images={8 * steps * ranks}"]),
             "FSDP": ("llm/finetune", ["-a", "parallel=fsdp", "-a", "model=tiny", "-a", "method=full", "-a", "batch=2", "-a", "sequence=64",
                                       "-a", "pad_multiple=64"],
                      lambda steps, ranks: ["-a", f"steps={steps}"])}


# Rows of micro/overlap: sizes of the messages that are sent while the ranks compute.
OVERLAP = {"DDP": ["-a", "collective=allreduce", "-a", "bytes=1M,7M"], "FSDP": ["-a", "collective=allgather", "-a", "bytes=256K,1M"]}


def lacking_messages(program, training, workload):
    """What `predict` says that it lacks for all RANKS together: the words of each run, without ranks and output."""
    sizes = collections.defaultdict(set)
    for ranks in RANKS:
        for name, *words in missing_rows(program, training, workload, ranks):
            axes = [word for word in words[1::2] if not word.startswith(("ranks=", "bytes=")) and "messages-" not in word]
            (of_line,) = [word for word in words if word.startswith("bytes=")]
            sizes[name, *axes].update(int(size) for size in of_line.removeprefix("bytes=").split(","))
    for (name, *axes), of_run in sizes.items():
        yield [name, *(word for axis in axes for word in ("-a", axis)), "-a", "bytes=" + ",".join(map(str, sorted(of_run)))]


def measure(program, rate, folder, kind, backend):
    workload, words, length = TRAININGS[kind]
    train = [f"^{workload}$", *COMMON, *words, "-a", f"backend={backend}"]
    with hosts(program, max(RANKS), rate) as run:
        run(*train, *length(ALONE, 1), "-a", "ranks=1", "-o", folder / "train-1.h5")
        messages = list(lacking_messages(program, folder / "train-1.h5", workload))
        for ranks in RANKS:
            run(*train, *length(STEPS, ranks), "-a", f"ranks={ranks}", "-o", folder / f"train-{ranks}.h5")
            if backend == "gloo":
                run("^micro/overlap$", "-a", "device=cpu", "-a", "threads=1", "-a", "memory=host", "-a", f"backend={backend}", *OVERLAP[kind],
                    "-a", "rows=256", "-a", f"ranks={ranks}", "-n", 3, "--warmup", 1, "-o", folder / f"overlap-{ranks}.h5")
            for number, one in enumerate(messages):
                run(*one, "-a", f"ranks={ranks}", "-n", 3, "--warmup", 1, "-o", folder / f"messages-{ranks}-{number}.h5")


def predicted(program, folder, kind, ranks, others_only, with_overlap=False):
    """The step, or None where rows are missing."""
    numbers = [one for one in RANKS if one != ranks or not others_only]
    messages = [path for one in numbers for path in folder.glob(f"messages-{one}-*.h5")]
    if with_overlap:
        messages += [folder / f"overlap-{one}.h5" for one in numbers]
    trainings = [folder / f"train-{one}.h5" for one in (1, *RANKS) if one != ranks]
    try:
        steps = told(program, "predict", "--from", *trainings, *messages, "--workload", TRAININGS[kind][0], "-a", f"ranks={ranks}")
    except subprocess.CalledProcessError:
        return None
    # Of each length of training one answer: that from the training on the most hosts below.
    return max((step for step in steps if step["from_ranks"] < ranks), key=lambda step: step["from_ranks"])


def in_words(step, measured):
    if step is None:
        return "none"
    sources = sorted({message["source"] for message in step["messages"]})
    hidden = f", {step['hidden']:.3f} s hidden" if step["hidden"] else ""
    return f"{step['step']:.3f} s ({100 * (step['step'] / measured - 1):+.1f} %, {', '.join(sources)}{hidden})"


def add_options(parser):
    parser.add_argument("--only", choices=sorted(TRAININGS))
    parser.add_argument("--backend", choices=["mpi", "gloo"], default="mpi")


def main():
    far = []
    for arguments, rate, of_rate in each_rate(__doc__, add_options):
        program = arguments.scalemark
        for kind in [arguments.only] if arguments.only else TRAININGS:
            folder = of_rate / f"{kind}-{arguments.backend}"
            folder.mkdir(exist_ok=True)
            if not list(folder.glob(f"messages-{max(RANKS)}-*.h5")):
                measure(program, rate, folder, kind, arguments.backend)
            for ranks in RANKS:
                measured = statistics.median(row["metrics"]["step_time"]["median"]
                                             for row in told(program, "show", folder / f"train-{ranks}.h5"))
                own, others = (predicted(program, folder, kind, ranks, others_only) for others_only in (False, True))
                if own is None or abs(own["step"] / measured - 1) > MOST:
                    far.append(f"{kind} {rate} {ranks} hosts")
                print(f"{kind} {rate} {ranks} hosts: {measured:.3f} s; by messages on as many hosts {in_words(own, measured)}; by those on "
                      f"others {in_words(others, measured)}", flush=True)
                if arguments.backend == "gloo":
                    both = in_words(predicted(program, folder, kind, ranks, False, with_overlap=True), measured)
                    print(f"  with rows of micro/overlap {both}", flush=True)
    if far:
        sys.exit(f"more than {100 * MOST:.0f} % off: {', '.join(far)}")


if __name__ == "__main__":
    main()
