#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good `predict --machine` is. The other machine is this CPU without AVX-512, or without AVX2, which slows its operations by
different factors.

    tests/peers/predict_machine.py --scalemark PROGRAM [--only TEXT] [--repeats 3] [--keep DIR]

Each training and the rows of its operations are measured as the CPU is and with the libraries held to the older instructions. The
step there is then predicted from all files of the first and the rows of the second. Prints it beside what was measured there, and exits
with 1 if the median error is more than 10 %. Needs a quiet machine; takes an hour, and with --only less.
"""
import json
import os
import statistics
import sys

from explain_steps import measure, points_of_command_line, run

# What oneDNN, LibTorch's own kernels and MKL obey.
MACHINES = {"AVX2": ["AVX2", "avx2", "AVX2"], "SSE4.1": ["SSE41", "default", "SSE4_2"]}
MOST = 0.1  # median error
VARIABLES = ["ONEDNN_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY", "MKL_ENABLE_INSTRUCTIONS"]


def main():
    errors = []
    for name, program, folder, training, repeats in points_of_command_line(__doc__):
        here = measure(program, folder / "here", training, repeats)
        for machine, values in MACHINES.items():
            os.environ.update(zip(VARIABLES, values))
            there = measure(program, folder / machine, training, repeats)
            for variable in VARIABLES:
                del os.environ[variable]
            (told,) = json.loads(run(program, "predict", "--from", *here, "--machine", *there, "--workload", training[0].strip("^$"),
                                     "--format", "json").stdout)
            errors.append(told["step"] / told["measured"] - 1)
            rows_only = told["rows_there"] / told["measured"] - 1
            factors = ", ".join(f"{part['name']} {part['there'] / part['here']:.2f}" for part in told["components"] if part["here"])
            print(f"{name}, {machine}: {1e3 * told['step_here']:.1f} ms here, {1e3 * told['measured']:.1f} ms there, predicted "
                  f"{1e3 * told['step']:.1f} ms ({100 * errors[-1]:+.1f} %; rows alone {100 * rows_only:+.1f} %). Times longer: {factors}",
                  flush=True)
    sizes = sorted(abs(error) for error in errors)
    print(f"{len(sizes)} predictions: median error {100 * statistics.median(sizes):.1f} %, largest {100 * sizes[-1]:.1f} %, "
          f"{sum(size <= 0.1 for size in sizes)} within 10 %")
    if statistics.median(sizes) > MOST:
        sys.exit(f"the median error is more than {100 * MOST:.0f} %")


if __name__ == "__main__":
    main()
