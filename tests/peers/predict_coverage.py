#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often the intervals of `predict --workload` hold: training steps on two ranks, each predicted from the same training on one.

    tests/peers/predict_coverage.py --scalemark PROGRAM [--level 0.9] [--turns 6] [--only imaging] [--keep DIR]

Trainings differ in size, layout, method and parallelism. Each is measured on one rank and on two, in turns, so that a change of the
machine's speed meets both, and the messages of all of them after each turn. The interval of each step comes from the errors of the
others, so that the step itself is held out. Prints each step beside its interval, then how many intervals held, how wide they are, and
how many predictions are within 10 %. Exits with 1 where
fewer than `level` - 5 % hold. Needs two cores with nothing beside it. Takes half an hour.
"""
import itertools
import math
import statistics
import subprocess
import sys

from predict_hosts import missing_rows, parser_of, result_folder, told

COMMON = ["-a", "device=cpu", "-a", "threads=1", "-a", "mode=paper", "-a", "backend=mpi"]
TOLERANCE = 0.05
STEPS = 8  # of each of two ranks in a turn
IMAGING = ["-a", "strategy=ddp_ds", "-a", "test_images=4"]
LLM = ["-a", "model=tiny", "-a", f"steps={STEPS}", "-a", "rows=400"]


def imaging_trainings():
    for image, batch, layout in itertools.product((32, 40, 48, 64), (8, 16, 32), ("nchw", "nhwc")):
        yield f"{image}-{batch}-{layout}", [*IMAGING, "-a", f"image={image}", "-a", f"batch={batch}", "-a", f"layout={layout}", "-a",
                                            f"images={2 * batch * STEPS}"]


def llm_trainings():
    for parallel, method, sequence, batch in itertools.product(("ddp", "fsdp"), ("full", "lora"), (32, 64, 128), (1, 4)):
        yield f"{parallel}-{method}-{sequence}-{batch}", [*LLM, "-a", f"parallel={parallel}", "-a", f"method={method}", "-a",
                                                          f"sequence={sequence}", "-a", f"pad_multiple={sequence}", "-a", f"batch={batch}"]


WORKLOADS = {"imaging/train": list(imaging_trainings()), "llm/finetune": list(llm_trainings())}


def run(program, ranks, *arguments):
    subprocess.run(["mpirun", "-n", str(ranks), program, "run", *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)


def measure(program, workload, folder, turns):
    """Each training on one rank and on two, then the messages of all of them; all of it in turns."""
    messages = None
    for turn in range(turns):
        for name, words in WORKLOADS[workload]:
            for ranks in (1, 2):
                run(program, ranks, f"^{workload}$", *COMMON, *words, "-a", f"ranks={ranks}", "-o", folder / f"{name}-{ranks}-{turn}.h5")
        messages = messages or missing_rows(program, folder, workload, 2)
        for number, command in enumerate(messages):
            words = ["ranks=2" if word == "ranks=2,4,8" else word for word in command[:-2]]
            run(program, 2, *words, "-n", 20, "-o", folder / f"messages-{number}-{turn}.h5")


def report(workload, steps, level):
    known = [step for step in steps if step["low"] is not None and step["measured"] is not None]
    for step in known:
        state = "in" if step["low"] <= step["measured"] <= step["high"] else "OUTSIDE"
        print(f"{step['series']}: {step['measured']:.4f} s, predicted {step['step']:.4f} ({step['low']:.4f} to {step['high']:.4f}): {state}")
    held = sum(step["low"] <= step["measured"] <= step["high"] for step in known)
    if not known:
        sys.exit(f"{workload}: no step has an interval")
    width = statistics.median(math.sqrt(step["high"] / step["low"]) for step in known)
    signed = [step["step"] / step["measured"] - 1 for step in known]
    errors = sorted(map(abs, signed))
    near = sum(error <= 0.1 for error in errors)
    print(f"{workload}: {held} of {len(known)} intervals of {100 * level:.0f} % held ({100 * held / len(known):.0f} %). They are a factor of "
          f"{width:.2f} wide to either side; {near} of {len(known)} within 10 %; errors: median {100 * statistics.median(errors):.1f} % "
          f"(with their sign {100 * statistics.median(signed):+.1f} %), largest {100 * errors[-1]:.1f} %.", flush=True)
    return held / len(known)


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--level", type=float, default=0.9)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--only", choices=["imaging", "llm"])
    arguments = parser.parse_args()
    short = []
    with result_folder(arguments.keep) as folder:
        for workload in WORKLOADS:
            if arguments.only and not workload.startswith(arguments.only):
                continue
            of_workload = folder / workload.replace("/", "-")
            of_workload.mkdir(exist_ok=True)
            if not list(of_workload.glob("messages-*.h5")):
                measure(arguments.scalemark, workload, of_workload, arguments.turns)
            steps = told(arguments.scalemark, "predict", "--from", of_workload, "--workload", workload, "-a", "ranks=2", "--level",
                         arguments.level)
            if report(workload, steps, arguments.level) < arguments.level - TOLERANCE:
                short.append(workload)
    if short:
        sys.exit(f"intervals hold less often than {100 * (arguments.level - TOLERANCE):.0f} %: {', '.join(short)}")


if __name__ == "__main__":
    main()
