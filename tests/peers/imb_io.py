#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MPI-IO beside IMB-IO of the Intel MPI Benchmarks, alternating on two ranks and one file system.

    tests/peers/imb_io.py --imb PROGRAM --scalemark PROGRAM --folder DIR [--runs 9]

Microseconds of one access: IMB's t_max, and the same statistic of ours, the largest of the ranks' means. A ratio above 1 means that
Scalemark is slower. Writes are synchronised each time (IMB's non-aggregate mode, which has a barrier and a second sync more), reads
come from the page cache. IMB's sizes are those of both ranks together.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py

import paired

SIZES = (4096, 65536, 1048576)  # of a rank
CASES = {"P_Write_Expl": ["operation=write", "sync=true", "pointer=explicit", "collective_io=false"],
         "C_Write_Expl": ["operation=write", "sync=true", "pointer=explicit", "collective_io=true"],
         "P_Write_Shared": ["operation=write", "sync=true", "pointer=shared", "collective_io=false"],
         "P_Write_Priv": ["operation=write", "sync=true", "pointer=own_file", "collective_io=false"],
         "P_Read_Expl": ["operation=read", "pointer=explicit", "collective_io=false"],
         "C_Read_Expl": ["operation=read", "pointer=explicit", "collective_io=true"]}

# IMB's synchronised writes find blocks that its aggregate mode has written before: so do ours, behind a warm-up of one pass.
BLOCKS = 16


def launch(command, folder):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(["mpirun", "-n", "2", *command], capture_output=True, text=True, cwd=folder, env=environment, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stdout} {done.stderr}")
    return done.stdout


def run_imb(program, folder):
    """(case, bytes of a rank) -> microseconds; of writes the mode that synchronises each."""
    (folder / "sizes").write_text("".join(f"{2 * size}\n" for size in SIZES), encoding="ascii")
    case, found = "", {}
    for line in launch([program, "-npmin", "2", "-msglen", "sizes", *CASES], folder).splitlines():
        words = line.split()
        if "Benchmarking" in words:
            case = words[2]
        if case in CASES and len(words) == 6 and words[0].isdigit():  # the non-aggregate table of a write comes last
            found[case, int(words[0]) // 2] = float(words[3])
    return found


def run_ours(program, folder):
    found = {}
    for case, axes in CASES.items():
        for size in SIZES:
            words = [word for axis in (*axes, "ranks=2", f"bytes={size}", f"file_bytes={2 * size * BLOCKS}") for word in ("-a", axis)]
            launch([program, "run", "^micro/mpi_io$", *words, "-n", "100", "-w", str(BLOCKS), "--data", f"mpi_io={folder}", "--quiet",
                    "-o", str(folder / "ours.h5"), "--force"], folder)
            with h5py.File(folder / "ours.h5") as file:
                time = file["cases/000000/metrics/time"]
                found[case, size] = 1e6 * time.attrs["scale"] * time["samples"][...].mean(axis=1).max()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--imb", required=True, type=lambda path: str(pathlib.Path(path).resolve()), help="the program IMB-IO")
    parser.add_argument("--scalemark", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="on the file system to measure")
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    taken = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        for _ in range(options.runs):
            ours, imb = run_ours(options.scalemark, folder), run_imb(options.imb, folder)
            if ours.keys() != imb.keys():
                sys.exit(f"only on one side: {ours.keys() ^ imb.keys()}")
            for key in ours:
                a, b = taken.setdefault(key, ([], []))
                a.append(ours[key])
                b.append(imb[key])
    paired.head("IMB-IO", options.runs)
    for (case, size), (a, b) in taken.items():
        paired.row(f"{case}, {size} B", "us", a, b)


if __name__ == "__main__":
    main()
