# SPDX-License-Identifier: Apache-2.0
"""Harness cost: Scalemark beside the OSU micro-benchmarks, alternating in one session on two bound ranks.

    python3 tests/peers/osu.py --osu DIR --scalemark build/cpu-release/suites/scalemark [--runs 15] [--only NAME...]

DIR is searched for the OSU programs (7.x). Latency in us, bandwidth in MB/s; the ratio is that of times, so more than 1
means that Scalemark is slower. OSU's figure is its own; ours is the same statistic of our samples, printed by --format
osu. `ratio` is that of the medians over the runs. A machine may change between a fast and a slow state while it is
measured (a message of some hundred bytes then takes 3 times as long on both sides): `paired` is the median of the ratios
of runs next to each other, which such changes leave alone, with its 95 % interval, and `slower` where all of that lies
above 1.08. OSU asks for MPI_THREAD_SINGLE and Scalemark for
MPI_THREAD_MULTIPLE, which makes short messages slower inside the MPI library; with --equal-threads (default) OSU is
started with OMPI_MPI_THREAD_LEVEL=3, so that both use the same library path.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import paired

SIZES = [8 << i for i in range(18)]  # 8 B .. 1 MiB
PAIRS = {"pingpong": "osu_latency", "forked_pingpong": "osu_latency_mp", "datatype_pingpong": "osu_latency", "datatype_collective": "osu_alltoall",
         "bandwidth": "osu_bw", "bidirectional_bandwidth": "osu_bibw",
         "allreduce": "osu_allreduce", "allgather": "osu_allgather", "broadcast": "osu_bcast", "alltoall": "osu_alltoall",
         "alltoallw": "osu_alltoallw", "reduce_scatter_block": "osu_reduce_scatter_block",
         **{f"neighbor_{name}": f"osu_neighbor_{name}" for name in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")},
         "barrier": "osu_barrier", "put": "osu_put_latency", "get": "osu_get_latency", "put_bandwidth": "osu_put_bw",
         "put_bidirectional_bandwidth": "osu_put_bibw", "get_bandwidth": "osu_get_bw", "accumulate": "osu_acc_latency",
         "get_accumulate": "osu_get_acc_latency", "fetch_and_op": "osu_fop_latency", "compare_and_swap": "osu_cas_latency"}
# OSU's -D: half of each size is sent.
SPACED = ("datatype_pingpong", "datatype_collective")
# Of one element: 1 B from OSU 7.1 on, 8 B before.
SINGLE = ("fetch_and_op", "compare_and_swap")
# Beside memory=host, or instead of it. OSU reduces MPI_CHAR.
AXES = {"forked_pingpong": ["memory=host", "forked=2"], "datatype_pingpong": ["packing=datatype", "blocks=strided", "block=8"],
        "datatype_collective": ["packing=datatype", "blocks=strided", "block=8", "collective=alltoall"], "reduce_scatter_block": ["memory=host", "dtype=int8"],
        **dict.fromkeys(("put", "get", "put_bandwidth", "get_bandwidth"), ["sync=flush"]), "put_bidirectional_bandwidth": ["sync=pscw"],
        "accumulate": ["sync=flush", "dtype=int8"],
        "get_accumulate": ["sync=flush", "dtype=int8"], **dict.fromkeys(SINGLE, ["sync=flush", "dtype=int8,int64"])}
RATES = ("bandwidth", "bidirectional_bandwidth", "put_bandwidth", "put_bidirectional_bandwidth", "get_bandwidth")
SLOWER = 1.08


def launch(name, command, binding, environment):
    """On two ranks; neighbors are three at least, which may share cores."""
    ranks = ["-n", "3", "--oversubscribe", "--bind-to", "none"] if name.startswith("neighbor_") else ["-n", "2", "--bind-to", binding]
    done = subprocess.run(["mpirun", *ranks, *command], capture_output=True, text=True, env={**os.environ, **environment}, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def table(text):
    """Size and figure of OSU's text format; a barrier has no size."""
    rows = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 2 and words[0].isdigit():  # with a datatype, the third column has what is sent of the size
            rows[int(words[-1] if len(words) == 3 and words[2].isdigit() else words[0])] = float(words[1])
        elif len(words) == 1 and words[0][0].isdigit():
            rows[0] = float(words[0])
    return rows


def run_osu(program, name, environment):
    sizes = [] if name in ("barrier", *SINGLE) else ["-m", f"{SIZES[0]}:{SIZES[-1]}"]
    if name in SPACED:
        sizes = ["-m", f"{2 * SIZES[0]}:{2 * SIZES[-1]}", "-D", "vect:16:8"]
    if name == "forked_pingpong":
        sizes += ["-t", "2:2"]
    # Some of its one-sided tests use MPI_Win_create unless told.
    window = ["-w", "allocate"] if AXES.get(name, [""])[0].startswith("sync") else []
    return table(launch(name, [program, *window, *sizes], "core", environment))


def run_ours(program, name, folder):
    out = os.path.join(folder, "ours.h5")
    axes = ["-a", "backend=mpi", *(word for axis in AXES.get(name, []) for word in ("-a", axis))]
    if name not in ("barrier", *AXES):
        axes += ["-a", "memory=host"]
    if name not in ("barrier", *SINGLE):
        axes += ["-b", str(SIZES[0]), "-e", str(SIZES[-1]), "-f", "2"]
    text = launch(name, [program, "run", f"^micro/{name.removeprefix('forked_')}$", *axes, "--max-time", "300ms", "--ci", "0.01",
                   "--format", "jsonl" if name in SPACED else "osu", "--decimals", "5", "--quiet", "-o", out, "--force"], "none", {})
    if name not in SPACED:
        return table(text)
    rows = map(json.loads, text.splitlines())
    return {row["params"]["bytes"]: 1e6 * row["metrics"]["latency"]["mean"] for row in rows if row.get("status") == "ok"}


def compare(name, ours, osu, runs, environment, folder):
    samples = {}
    for _ in range(runs):
        a, b = run_ours(ours, name, folder), run_osu(osu, name, environment)
        for size in a.keys() & b.keys():
            samples.setdefault(size, ([], []))
            samples[size][0].append(a[size])
            samples[size][1].append(b[size])
    wanted = [0] if name == "barrier" else sorted(samples)[:1] if name in SINGLE else SIZES
    missing = [size for size in wanted if len(samples.get(size, ([],))[0]) != runs]
    if missing:
        sys.exit(f"{name}: no figure on both sides for {missing}")
    unit = "MB/s" if name in RATES else "us"
    print(f"{name}: median of {runs} alternating runs, {unit}\n"
          f"{'bytes':>9} {'Scalemark':>13} {'OSU':>13} {'ratio':>7} {'paired':>7}  {'95 % interval':>16}")
    ratios, paired_ratios, slower = [], [], []
    for size in wanted:
        a, b = samples[size]
        turned = (b, a) if name in RATES else (a, b)
        pairs = [x / y for x, y in zip(*turned)]
        low, high = paired.interval(pairs)
        ratios.append(statistics.median(turned[0]) / statistics.median(turned[1]))
        paired_ratios.append(statistics.median(pairs))
        if low > SLOWER:
            slower.append(size)
        print(f"{size:>9} {statistics.median(a):>13.5f} {statistics.median(b):>13.5f} {ratios[-1]:>7.3f} "
              f"{paired_ratios[-1]:>7.3f}  [{low:.3f}, {high:.3f}]{'  slower' if low > SLOWER else ''}")
    print(f"{name}: median over {len(ratios)} sizes {statistics.median(ratios):.3f}, of the paired ratios "
          f"{statistics.median(paired_ratios):.3f}, the largest of these {max(paired_ratios):.3f}, {len(slower)} beyond doubt "
          f"slower than {SLOWER}\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--osu", required=True, help="folder that holds the OSU programs")
    parser.add_argument("--scalemark", required=True)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--only", nargs="+", choices=PAIRS, default=list(PAIRS))
    parser.add_argument("--equal-threads", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    environment = {"OMPI_MPI_THREAD_LEVEL": "3"} if options.equal_threads else {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            program = PAIRS[name]
            found = [path for path in pathlib.Path(options.osu).rglob(program) if os.access(path, os.X_OK) and path.is_file()]
            if not found:
                sys.exit(f"no {program} in {options.osu}")
            compare(name, options.scalemark, str(found[0]), options.runs, environment, folder)


main()
