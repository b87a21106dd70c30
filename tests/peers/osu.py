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
import dataclasses
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import paired

SIZES = [8 << i for i in range(18)]  # 8 B .. 1 MiB
SLOWER = 1.08
RATES = ("osu_bw", "osu_bibw", "osu_put_bw", "osu_put_bibw", "osu_get_bw")

SWEPT = ("-m", f"{SIZES[0]}:{SIZES[-1]}")
# Blocks of 8 B, 16 B apart: OSU sends half of each size.
SPACED = ("-m", f"{2 * SIZES[0]}:{2 * SIZES[-1]}", "-D", "vect:16:8")
BLOCKS = ("packing=datatype", "blocks=strided", "block=8")
# OSU reduces MPI_CHAR.
CHARACTERS = "dtype=int8"


@dataclasses.dataclass(frozen=True)
class Pair:
    """What is measured on both sides."""
    program: str  # of OSU
    benchmark: str
    axes: tuple[str, ...] = ("backend=mpi", "memory=host")
    options: tuple[str, ...] = SWEPT  # of OSU's program
    sizes: tuple[int, ...] = tuple(SIZES)  # (0,): one figure without a size
    ranks: int = 2

    @property
    def spaced(self):
        return "-D" in self.options


def one_sided(program, benchmark, sync="flush", window="allocate", axes=(), **more):
    """Some of OSU's tests use MPI_Win_create unless told."""
    return Pair(program, benchmark, ("backend=mpi", f"sync={sync}", f"window_creation={window}", *axes),
                ("-w", window, "-s", sync, *more.pop("options", SWEPT)), **more)


def all_pairs():
    """By the names that --only takes."""
    pairs = {"pingpong": Pair("osu_latency", "pingpong"), "bandwidth": Pair("osu_bw", "bandwidth"),
             "bidirectional_bandwidth": Pair("osu_bibw", "bidirectional_bandwidth"),
             "forked_pingpong": Pair("osu_latency_mp", "pingpong", ("backend=mpi", "memory=host", "forked=2"), (*SWEPT, "-t", "2:2")),
             "thread_pingpong": Pair("osu_latency_mt", "thread_pingpong", ("threads=1",), (*SWEPT, "-t", "1:1")),
             "barrier": Pair("osu_barrier", "barrier", ("backend=mpi",), (), (0,))}
    for name in ("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "broadcast", "gather", "gatherv", "reduce",
                 "reduce_scatter", "reduce_scatter_block", "scatter", "scatterv"):
        axes = (CHARACTERS,) if "reduce" in name else ()
        pairs[name] = Pair(f"osu_{name.replace('broadcast', 'bcast')}", name, (*Pair.axes, *axes))
    for name in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"):
        pairs[f"neighbor_{name}"] = Pair(f"osu_neighbor_{name}", f"neighbor_{name}", ranks=3)

    pairs["datatype_pingpong"] = Pair("osu_latency", "datatype_pingpong", ("backend=mpi", *BLOCKS), SPACED)
    for name in ("allgather", "alltoall", "broadcast", "gather", "scatter"):
        pairs[f"datatype_{name}"] = Pair(f"osu_{name.replace('broadcast', 'bcast')}", "datatype_collective",
                                         ("backend=mpi", *BLOCKS, f"collective={name}"), SPACED)

    for call in ("put", "get"):
        for sync in ("flush", "flush_local", "lock", "lock_all", "pscw", "fence"):
            pairs[call if sync == "flush" else f"{call}_{sync}"] = one_sided(f"osu_{call}_latency", call, sync)
        pairs[f"{call}_dynamic"] = one_sided(f"osu_{call}_latency", call, window="dynamic")
        pairs[f"{call}_bandwidth"] = one_sided(f"osu_{call}_bw", f"{call}_bandwidth")
    pairs["put_bidirectional_bandwidth"] = one_sided("osu_put_bibw", "put_bidirectional_bandwidth", "pscw")
    pairs["accumulate"] = one_sided("osu_acc_latency", "accumulate", axes=(CHARACTERS,))
    pairs["get_accumulate"] = one_sided("osu_get_acc_latency", "get_accumulate", axes=(CHARACTERS,))
    # Of one element of 1 B. With memory of MPI's own, both programs of 7.4 free it twice.
    for name, program in (("fetch_and_op", "osu_fop_latency"), ("compare_and_swap", "osu_cas_latency")):
        pairs[name] = one_sided(program, name, window="create", axes=(CHARACTERS,), options=(), sizes=(1,))
    return pairs


PAIRS = all_pairs()


def launch(pair, command, binding, environment):
    """More ranks than two may share cores."""
    where = ["--oversubscribe", "--bind-to", "none"] if pair.ranks > 2 else ["--bind-to", binding]
    done = subprocess.run(["mpirun", "-n", str(pair.ranks), *where, *command], capture_output=True, text=True,
                          env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **environment}, timeout=300)
    # osu_latency_mt 7.4 prints all of its table, and then ends without MPI_Finalize().
    if done.returncode != 0 and not command[0].endswith("osu_latency_mt"):
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def table(text, column):
    """Bytes -> figure, from OSU's text."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 2 and words[0].isdigit():
            found[int(words[column])] = float(words[1])
        elif len(words) == 1 and words[0][0].isdigit():  # a barrier has no size
            found[0] = float(words[0])
    return found


def run_osu(program, pair, environment):
    # With a datatype, the third column has what is sent of the size.
    return table(launch(pair, [program, *pair.options], "core", environment), 2 if pair.spaced else 0)


def run_ours(program, pair, folder):
    out = pathlib.Path(folder) / "ours.h5"
    axes = list(pair.axes)
    if pair.sizes != (0,):
        axes.append("bytes=" + ",".join(map(str, pair.sizes)))
    text = launch(pair, [program, "run", f"^micro/{pair.benchmark}$", *(word for axis in axes for word in ("-a", axis)), "--max-time", "300ms",
                         "--ci", "0.01", "--format", "osu", "--decimals", "5", "--quiet", "-o", str(out), "--force"], "none", {})
    return table(text, 2 if pair.spaced else 0)


def compare(name, ours, osu, runs, environment, folder):
    pair = PAIRS[name]
    samples = {}
    for _ in range(runs):
        a, b = run_ours(ours, pair, folder), run_osu(osu, pair, environment)
        for size in a.keys() & b.keys():
            samples.setdefault(size, ([], []))
            samples[size][0].append(a[size])
            samples[size][1].append(b[size])
    missing = [size for size in pair.sizes if len(samples.get(size, ([],))[0]) != runs]
    if missing:
        sys.exit(f"{name}: no figure on both sides for {missing}")
    unit = "MB/s" if pair.program in RATES else "us"
    print(f"{name}: median of {runs} alternating runs, {unit}\n"
          f"{'bytes':>9} {'Scalemark':>13} {'OSU':>13} {'ratio':>7} {'paired':>7}  {'95 % interval':>16}")
    ratios, paired_ratios, slower = [], [], []
    for size in pair.sizes:
        a, b = samples[size]
        turned = (b, a) if pair.program in RATES else (a, b)
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
            program = PAIRS[name].program
            found = [path for path in pathlib.Path(options.osu).rglob(program) if os.access(path, os.X_OK) and path.is_file()]
            if not found:
                sys.exit(f"no {program} in {options.osu}")
            compare(name, options.scalemark, str(found[0]), options.runs, environment, folder)


main()
