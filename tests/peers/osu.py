# SPDX-License-Identifier: Apache-2.0
"""Harness cost: Scalemark beside the OSU micro-benchmarks, alternating in one session on two bound ranks.

    python3 tests/peers/osu.py --osu DIR --scalemark build/cpu-release/suites/scalemark [--runs 15]

DIR is searched for osu_latency and osu_allreduce (7.x). OSU's figure is its average; ours is the same statistic
(mean over ranks of each rank's mean) of our samples, printed by --format osu. OSU asks for MPI_THREAD_SINGLE and
Scalemark for MPI_THREAD_MULTIPLE, which makes short messages slower inside the MPI library; with
--equal-threads (default) OSU is started with OMPI_MPI_THREAD_LEVEL=3, so that both use the same library path.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

SIZES = [8 << i for i in range(18)]  # 8 B .. 1 MiB
PAIRS = {"pingpong": "osu_latency", "allreduce": "osu_allreduce"}


def launch(command, binding, environment):
    done = subprocess.run(["mpirun", "-n", "2", "--bind-to", binding, *command], capture_output=True, text=True,
                          env={**os.environ, **environment}, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def table(text):
    """Size and average of OSU's text format."""
    rows = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 2 and words[0].isdigit():
            rows[int(words[0])] = float(words[1])
    return rows


def run_osu(program, environment):
    return table(launch([program, "-m", f"{SIZES[0]}:{SIZES[-1]}"], "core", environment))


def run_ours(program, name, folder):
    out = os.path.join(folder, "ours.h5")
    text = launch([program, "run", f"micro/{name}", "-a", "backend=mpi", "-a", "memory=host", "-b", str(SIZES[0]), "-e",
                   str(SIZES[-1]), "-f", "2", "--max-time", "300ms", "--ci", "0.01", "--format", "osu", "--decimals", "5", "--quiet",
                   "-o", out, "--force"], "none", {})
    return table(text)


def compare(name, ours, osu, runs, environment, folder):
    samples = {size: ([], []) for size in SIZES}
    for _ in range(runs):
        a, b = run_ours(ours, name, folder), run_osu(osu, environment)
        for size in SIZES:
            if size in a and size in b:
                samples[size][0].append(a[size])
                samples[size][1].append(b[size])
    print(f"{name}: median of {runs} alternating runs, us\n{'bytes':>9} {'Scalemark':>11} {'OSU':>11} {'ratio':>7}")
    ratios = []
    for size, (a, b) in samples.items():
        if not a:
            sys.exit(f"{name}: no figure for {size} bytes on both sides")
        ratios.append(statistics.median(a) / statistics.median(b))
        print(f"{size:>9} {statistics.median(a):>11.5f} {statistics.median(b):>11.5f} {ratios[-1]:>7.3f}")
    print(f"{name}: median ratio over {len(ratios)} sizes {statistics.median(ratios):.3f}\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--osu", required=True, help="folder that holds the OSU programs")
    parser.add_argument("--scalemark", required=True)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--equal-threads", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    environment = {"OMPI_MPI_THREAD_LEVEL": "3"} if options.equal_threads else {}
    with tempfile.TemporaryDirectory() as folder:
        for name, program in PAIRS.items():
            found = [path for path in pathlib.Path(options.osu).rglob(program) if os.access(path, os.X_OK) and path.is_file()]
            if not found:
                sys.exit(f"no {program} in {options.osu}")
            compare(name, options.scalemark, str(found[0]), options.runs, environment, folder)


main()
