#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of a step `show --explain` explains on this CPU: ten points of imaging/train, nine of llm/finetune, two of it on text of
varying widths, three with several micro-batches or recomputed activations, and two of two ranks.

    tests/peers/explain_steps.py --scalemark PROGRAM [--only TEXT] [--repeats 3] [--keep DIR]

Trainings run among the rows of their operations, which are measured by the commands that --explain prints, as a machine gets slower
and faster in between. Prints the step, the sum of its rows and the rest, and how many sums are within 10 %: of all points, and of the
14 of MobileNetV2 up to 100 px and of Llama3, all weights and LoRA, on rows of one length. Needs a quiet machine; all points take hours,
those of MobileNetV2 with `--repeats 1` 20 minutes. Exit: 0 if at least 12 of 14 points, or as large a part of others, are within 10 %,
else 1.
"""
import argparse
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ALONE = ["-a", "device=cpu", "-a", "threads=1"]
TINY = ["^llm/finetune$", "-a", "mode=paper", "-a", "model=tiny", "-a", "batch=2", "-a", "sequence=128"]
WITHIN = 0.1
TRAININGS = 4  # of a point in each turn
LEAST = 12 / 14  # of the points


def image_points():
    for image in (32, 64, 80, 100, 128):
        for layout in ("nchw", "nhwc"):
            steps = 12 if image > 64 else 30
            yield f"MobileNetV2 {image} px {layout}", ["^imaging/train$", "-a", "strategy=single", "-a", "mode=paper", "-a", f"image={image}",
                                                       "-a", f"layout={layout}", "-a", "batch=32", "-a", f"images={32 * steps}", "-a",
                                                       "test_images=4"]


def text_points():
    for model, mode, steps, methods in (("tiny", "paper", 40, ["full", "lora", "qlora", "dpo", "qat"]), ("tiny", "tuned", 40, ["full", "lora"]),
                                        ("110m", "paper", 8, ["full", "lora"])):
        for method in methods:
            yield f"Llama3 {model} {method} {mode}", ["^llm/finetune$", "-a", "parallel=single", "-a", f"mode={mode}", "-a", f"method={method}",
                                                      "-a", f"model={model}", "-a", "batch=2", "-a", "sequence=128", "-a", "pad_multiple=128",
                                                      "-a", f"steps={steps}",
                                                      *(["-a", "dataset=preference"] if method == "dpo" else [])]


def varied_points():
    """As the studies had it: rows of unequal length, padded to the longest of a batch."""
    for method in ("full", "lora"):
        yield f"Llama3 tiny {method} paper varied", [*TINY, "-a", "parallel=single", "-a", f"method={method}", "-a", "steps=200"]


def other_points():
    """Steps that repeat parts of themselves, and steps of two ranks."""
    equal = ["-a", "pad_multiple=128"]
    for name, axes in (("4 micro-batches", ["-a", "accumulation=4"]), ("recomputed", ["-a", "checkpointing=true"]),
                       ("4 micro-batches recomputed", ["-a", "accumulation=4", "-a", "checkpointing=true"])):
        yield f"Llama3 tiny full paper {name}", [*TINY, *equal, "-a", "parallel=single", "-a", "method=full", *axes, "-a", "steps=20"]
    for method in ("full", "lora"):
        yield f"Llama3 tiny {method} paper sharded", [*TINY, *equal, "-a", "parallel=fsdp", "-a", f"method={method}", "-a", "steps=40"]


def is_plain(name):
    """Of those that are scored by themselves."""
    words = name.split()
    return words[0] == "MobileNetV2" and int(words[1]) <= 100 or len(words) == 4 and words[2] in ("full", "lora")


def run(program, *words, codes=(0,)):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        raise SystemExit(f"{program} {shlex.join(map(str, words))} ended with {done.returncode}: {done.stderr}")
    return done


def measure(program, folder, training, repeats):
    """The result files of the rows of a training's operations, `repeats` of each, and of trainings spread evenly among them."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    launch = ["mpirun", "-n", "2", program] if "parallel=fsdp" in training else [program]

    def once(name, *words):
        files.append(folder / name)
        if not files[-1].exists():
            run(*launch, "run", *words, "-o", files[-1])

    once("training.h5", *training, *ALONE)
    told = run(program, "show", "--explain", files[0], "--format", "json", codes=(0, 4))
    commands = [shlex.split(command) for command in json.loads(told.stdout)[0]["missing"]]
    for turn in range(repeats):
        for number, words in enumerate(commands):
            once(f"rows-{turn}-{number}.h5", *words[words.index("run") + 1:], "--max-time", "300ms")
            if number % math.ceil(len(commands) / TRAININGS) == 0:
                once(f"training-{turn}-{number}.h5", *training, *ALONE)
    return files


def points_of_command_line(text):
    """Name, program, folder, training and repeats of each point chosen, as the options say; `text` is their help."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scalemark", type=Path, required=True, metavar="PROGRAM")
    parser.add_argument("--only", default="", help="points whose name has this text")
    parser.add_argument("--repeats", type=int, default=3, help="of the training and of each row")
    parser.add_argument("--keep", type=Path, help="folder for the result files; those that are there are not measured again")
    arguments = parser.parse_args()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    points = [point for point in [*image_points(), *text_points(), *varied_points(), *other_points()] if arguments.only in point[0]]
    with tempfile.TemporaryDirectory() as temporary:
        for name, training in points:
            folder = (arguments.keep or Path(temporary)) / name.replace(" ", "-")
            yield name, arguments.scalemark.resolve(), folder, training, arguments.repeats


def main():
    rests = {}
    for name, program, folder, training, repeats in points_of_command_line(__doc__):
        files = measure(program, folder, training, repeats)
        (step,) = json.loads(run(program, "show", "--explain", *files, "--format", "json").stdout)
        share = step["rest"] / step["step"]
        rests[name] = share
        parts = ", ".join(f"{part['name']} {100 * part['seconds'] / step['step']:.1f} %" for part in step["components"])
        print(f"{name}: {1e3 * step['step']:.2f} ms, rows {1e3 * step['explained']:.2f} ms, rest {100 * share:+.1f} % ({parts})", flush=True)
    if not rests:
        sys.exit("no point has such a name")
    for which, shares in (("all", list(rests.values())), ("these 14", [share for name, share in rests.items() if is_plain(name)])):
        if not shares:
            continue
        within = sum(abs(share) <= WITHIN for share in shares)
        print(f"of {which}: {within} of {len(shares)} sums are within {100 * WITHIN:.0f} % of the step")
    if sum(abs(share) <= WITHIN for share in rests.values()) < len(rests) * LEAST:
        sys.exit(f"less than {100 * LEAST:.0f} % of all")


if __name__ == "__main__":
    main()
