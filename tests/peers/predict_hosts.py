#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good `predict --from` is over a network: collectives on hosts that are network namespaces of this machine, at limited rates.

    tests/peers/predict_hosts.py --scalemark PROGRAM [--rates 24mbit 100mbit] [--keep DIR]

Each number of ranks is measured, one rank a host, and predicted from the rows of the others. For each rate it prints what was
measured and predicted, then how many predictions were said to fit, how many of those are within 10 %, and how many intervals of
90 % held. Exits with 1 where fewer than 85 % of these did. Needs root. Takes five minutes.
"""
import argparse
import contextlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

RECIPES = Path(__file__).resolve().parents[1] / "recipes"
RANKS = [2, 3, 4, 6, 8]
LEAST_HELD = 0.85
SIZES = {"allreduce": "256:256K:*4", "allgather": "256:64K:*4", "broadcast": "256:256K:*4", "alltoall": "256:64K:*4", "barrier": None}


def recipe(name, *arguments):
    return subprocess.run([RECIPES / name, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


@contextlib.contextmanager
def hosts(program, count, rate):
    """So many hosts, each with a link of such a rate, if one is given. Gives what runs `scalemark run ...` with a rank on each."""
    settings = recipe("hosts-up.sh", count)
    try:
        done = subprocess.run(["bash", "-c", 'eval "$1"; env -0', "settings", settings], capture_output=True, check=True)
        environment = dict(entry.decode().split("=", 1) for entry in done.stdout.split(b"\0") if b"=" in entry)
        for host in range(1, count + 1) if rate else ():
            recipe("host-slow.sh", f"node{host}", "--rate", rate)

        def run(*arguments):
            subprocess.run([RECIPES / "host-exec.sh", "head", "mpirun", "-n", str(count), program, "run", *map(str, arguments), "--placement",
                            "none"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
                           env=environment | {"OMPI_MCA_mpi_yield_when_idle": "1"})
        yield run
    finally:
        recipe("hosts-down.sh")


def measure(program, rate, folder):
    """A result file for each number of ranks."""
    sizes = [word for name, values in SIZES.items() if values for word in ("-a", f"micro/{name}:bytes={values}")]
    with hosts(program, max(RANKS), rate) as run:
        for ranks in RANKS:
            run(f"^micro/({'|'.join(SIZES)})$", *sizes, "-a", "backend=mpi", "-a", "memory=host", "-a", f"ranks={ranks}", "--max-time", "0.7",
                "-o", folder / f"{ranks}.h5")


def told(program, *arguments):
    return json.loads(subprocess.run([program, *map(str, arguments), "--format", "json"], capture_output=True, text=True, check=True).stdout)


def missing_rows(program, files, workload, ranks):
    """What `predict` says that it lacks: the words of each `scalemark run`, behind "run"."""
    done = subprocess.run([program, "predict", "--from", files, "--workload", workload, "-a", f"ranks={ranks}"], capture_output=True, text=True,
                          check=False)
    return [shlex.split(line)[5:] for line in done.stderr.splitlines() if line.startswith("  mpirun -n 8 scalemark run ")]


def predictions(program, folder, name, left_out):
    """Time in s by size, and what the others say of it."""
    measured = {row["params"].get("bytes"): row for row in told(program, "show", folder / f"{left_out}.h5", f"micro/{name}")}
    others = [folder / f"{ranks}.h5" for ranks in RANKS if ranks != left_out]
    for one in told(program, "predict", "--from", *others, "--workload", f"micro/{name}", "-a", f"ranks={left_out}"):
        row = measured[one["bytes"] and int(one["bytes"])]
        if row["status"] == "ok":
            yield row["metrics"]["latency"]["median"], one


def parser_of(text):
    """The options that scripts between hosts have in common; `text` is the help."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scalemark", type=lambda path: Path(path).resolve(), required=True)
    parser.add_argument("--keep", type=Path, help="folder for the result files; those that are there are not measured again")
    return parser


@contextlib.contextmanager
def result_folder(keep):
    """The folder to keep, else one for the time being. From here on mpirun starts for root, too."""
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        yield folder


def each_rate(text, add_options=lambda parser: None):
    """Options of the command line, a rate and its folder; `text` is the help, and `add_options` adds to the parser."""
    parser = parser_of(text)
    parser.add_argument("--rates", nargs="+", default=["24mbit", "100mbit"])
    add_options(parser)
    arguments = parser.parse_args()
    with result_folder(arguments.keep) as kept:
        for rate in arguments.rates:
            folder = kept / rate
            folder.mkdir(exist_ok=True)
            yield arguments, rate, folder


def main():
    failed = []
    for arguments, rate, folder in each_rate(__doc__):
        program = arguments.scalemark
        if not all((folder / f"{ranks}.h5").exists() for ranks in RANKS):
            measure(program, rate, folder)
        every = fits = near = held = 0
        for name in SIZES:
            for left_out in RANKS:
                for seconds, one in predictions(program, folder, name, left_out):
                    ratio = one["seconds"] / seconds
                    holds = one["low"] is not None and one["low"] <= seconds <= one["high"]
                    every += 1
                    fits += one["fits"]
                    near += one["fits"] and 1 / 1.1 <= ratio <= 1.1
                    held += one["fits"] and holds
                    print(f"{rate} {name} ranks={left_out} bytes={one['bytes']}: {1e3 * seconds:.3f} ms, predicted {ratio:.2f} times that, "
                          f"{'fits' if one['fits'] else 'no form fits'} ({one['form']}, error {100 * one['error']:.0f} %)")
        print(f"{rate}: {every} predictions, {fits} said to fit: {near} of these within 10 %, {held} in their interval")
        if held < LEAST_HELD * fits:
            failed.append(rate)
    if failed:
        sys.exit(f"less than {100 * LEAST_HELD:.0f} % of the intervals hold at {', '.join(failed)}")


if __name__ == "__main__":
    main()
