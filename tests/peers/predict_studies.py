#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near the two studies' times on 2 to 4 GPUs come to what their times on one GPU and their links tell.

    tests/peers/predict_studies.py --scalemark PROGRAM [--format json]

Fine-tuning: the step of one GPU, and the parameters that FSDP gathers (`run --dry-run`), over links between all pairs of GPUs of
150 GB/s (six of NVLink's fourth generation) at the same time. Nothing overlaps.

Images: the time of one GPU, divided by the GPUs. Messages of gradients over such links take less than a percent of it. The studies
do not tell whether each GPU evaluates all 10,000 test images. A second prediction says so and does not divide them: from an
evaluated image that costs a third of a trained one, as its computation does, to one that costs as much, as its loading does.
"""
import argparse
import csv
import json
import re
import subprocess
from pathlib import Path

PUBLISHED = Path(__file__).resolve().parents[2] / "results/published/studies.csv"
LINK = 150e9  # B/s, from one GPU to each other one
TRAIN, TEST = 60_000, 10_000
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def published(metric):
    """{parameters: {GPUs: value}} of the rows with a number of GPUs."""
    table = {}
    with open(PUBLISHED, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["metric"] == metric and row["source"] in ("Table 2", "Table 3", "Table 5"):
                table.setdefault((row["source"], row["parameters"]), {})[int(row["gpus"])] = float(row["value"])
    return table


def gathered_bytes(program):
    """{GPUs: bytes that a GPU receives in a step}, as the program plans the study's fine-tuning."""
    done = subprocess.run([program, "run", "--preset", "paper-llm-pin", "--dry-run"], capture_output=True, text=True, check=True)
    found = re.findall(r" ranks=(\d+) .* gathers ([\d.]+) (\w+),", done.stdout)
    return {int(ranks): float(number) * UNITS[unit] for ranks, number, unit in found}


def word(parameters, name):
    return dict(one.split("=", 1) for one in parameters.split())[name]


def cells(program):
    gathered = gathered_bytes(program)
    for (source, parameters), times in published("mean_iteration_time").items():
        for gpus in (2, 3, 4):
            yield {"source": source, "case": "LoRA pin_memory=" + word(parameters, "pin_memory"), "gpus": gpus, "unit": "s/step",
                   "published": times[gpus], "predicted": times[1] + gathered[gpus] / ((gpus - 1) * LINK)}
    for (source, parameters), times in published("total_time").items():
        if "scenario=a" not in parameters:
            continue
        for gpus in (2, 3, 4):
            yield {"source": source, "case": word(parameters, "precision") + " pin_memory=" + word(parameters, "pin_memory"), "gpus": gpus,
                   "unit": "s", "published": times[gpus], "predicted": times[1] / gpus,
                   "all_test_images": [times[1] * all_test_images(gpus, cost) for cost in (1 / 3, 1)]}


def all_test_images(gpus, cost):
    """Share of the time of one GPU, if each evaluates all test images, at this cost of a trained one."""
    return (TRAIN / gpus + cost * TEST) / (TRAIN + cost * TEST)


def told(cell, value):
    return f"{value:.4g} {cell['unit']} ({100 * (value / cell['published'] - 1):+.1f} %)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scalemark", required=True, metavar="PROGRAM")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    arguments = parser.parse_args()
    table = list(cells(arguments.scalemark))
    if arguments.format == "json":
        print(json.dumps(table, indent=1))
        return
    for cell in table:
        line = (f"{cell['source']} {cell['case']:22} {cell['gpus']} GPUs: {cell['published']:g} {cell['unit']}; predicted "
                f"{told(cell, cell['predicted'])}")
        if "all_test_images" in cell:
            line += "; all test images on each: " + " to ".join(told(cell, value) for value in cell["all_test_images"])
        print(line)


if __name__ == "__main__":
    main()
