#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scalemark beside programs of the Intel MPI Benchmarks, alternating on two ranks.

    tests/peers/imb.py --imb IMB-RMA --scalemark PROGRAM [--folder DIR] [--runs 9]

The suite is that of the program's name: IMB-IO, IMB-MT or IMB-RMA. Microseconds of one operation; a ratio above 1 means that Scalemark
is slower. IMB prints means, so that ours are means, too.

- IMB-IO: the largest of the ranks' means, on the file system of --folder. Writes are synchronised each time (IMB's non-aggregate mode,
  which has a barrier and a second sync more), reads come from the page cache. IMB's sizes are those of both ranks together.
- IMB-RMA: each access is completed by itself (non-aggregate), on memory that exists before the window.
- IMB-MT: one thread of each rank, as two of them need four cores. MALLOC_PERTURB_ lets the C library write to the memory that IMB
  sends. g++ makes calloc() of its malloc() and memset(), so that every page it reads would be the kernel's one page of zeros.
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

# IMB's synchronised writes find blocks that its aggregate mode has written before: so do ours, behind a warm-up of one pass.
BLOCKS = 16


def launch(command, folder, **environment):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **environment}
    done = subprocess.run(["mpirun", "-n", "2", *command], capture_output=True, text=True, cwd=folder, env=environment, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stdout} {done.stderr}")
    return done.stdout


def tables(text):
    """(case, mode, the words of a row) of all tables; the mode is empty where a case has one only."""
    case = mode = ""
    for line in text.splitlines():
        words = line.split()
        if "Benchmarking" in words:
            case, mode = words[2], ""
        elif "MODE:" in words:
            mode = words[-1]
        elif words and words[0].isdigit():
            yield case, mode, words


class Suite:
    """CASES has the benchmark and the axes of each of IMB's cases, COLUMN that of IMB's time."""
    SHARE = 1  # bytes of IMB's table / bytes of a rank
    COLUMN = 2

    def __init__(self, imb, ours, folder):
        self.imb, self.ours, self.folder = imb, ours, folder

    def run_imb(self):
        """(case, bytes of a rank) -> microseconds"""
        return {(case, int(words[0]) // self.SHARE): float(words[self.column(case)])
                for case, mode, words in tables(self.start_imb()) if case in self.CASES and mode != "AGGREGATE"}

    def column(self, _case):
        return self.COLUMN

    def start_imb(self):
        (self.folder / "sizes").write_text("".join(f"{self.SHARE * size}\n" for size in SIZES), encoding="ascii")
        return launch([self.imb, "-npmin", "2", "-msglen", "sizes", *self.CASES], self.folder)

    def more(self, _size):
        return []

    def sizes(self, _case):
        return SIZES

    def run_ours(self):
        found = {}
        for case, (benchmark, metric, axes) in self.CASES.items():
            for size in self.sizes(case):
                words = [word for axis in (*axes, f"bytes={size}") for word in ("-a", axis)]
                launch([self.ours, "run", f"^micro/{benchmark}$", *words, *self.more(size), "--quiet", "-o", str(self.folder / "ours.h5"), "--force"],
                       self.folder)
                with h5py.File(self.folder / "ours.h5") as file:
                    found[case, size] = self.mean_of(file[f"cases/000000/metrics/{metric}"])
        return found

    @staticmethod
    def mean_of(metric):
        """The largest of the ranks' means, in microseconds."""
        return 1e6 * metric.attrs["scale"] / metric.attrs["inner"] * metric["samples"][...].mean(axis=1).max()


class Io(Suite):
    SHARE, COLUMN = 2, 3
    CASES = {"P_Write_Expl": ["operation=write", "sync=true", "pointer=explicit", "collective_io=false"],
             "C_Write_Expl": ["operation=write", "sync=true", "pointer=explicit", "collective_io=true"],
             "P_Write_Shared": ["operation=write", "sync=true", "pointer=shared", "collective_io=false"],
             "P_Write_Priv": ["operation=write", "sync=true", "pointer=own_file", "collective_io=false"],
             "P_Read_Expl": ["operation=read", "pointer=explicit", "collective_io=false"],
             "C_Read_Expl": ["operation=read", "pointer=explicit", "collective_io=true"]}
    CASES = {case: ("mpi_io", "time", [*axes, "ranks=2"]) for case, axes in CASES.items()}
    CASES["P_IWrite_Expl"] = ("mpi_io", "latency", ["operation=write", "call=nonblocking", "sync=false", "pointer=explicit", "collective_io=false",
                                                    "ranks=2"])

    def more(self, size):
        return ["-a", f"file_bytes={2 * size * BLOCKS}", "-n", "100", "-w", str(BLOCKS), "--data", f"mpi_io={self.folder}"]


class Rma(Suite):
    PASSIVE, LOCAL = (["sync=" + sync, "window_creation=create"] for sync in ("flush", "flush_local"))
    CASES = {"Unidir_put": ("put", "latency", PASSIVE), "Unidir_get": ("get", "latency", PASSIVE),
             "Put_local": ("put", "latency", LOCAL), "Get_local": ("get", "latency", LOCAL),
             "Accumulate": ("accumulate", "latency", PASSIVE), "Get_accumulate": ("get_accumulate", "latency", PASSIVE),
             "Fetch_and_op": ("fetch_and_op", "latency", [*PASSIVE, "dtype=fp32"]),
             "Compare_and_swap": ("compare_and_swap", "latency", [*PASSIVE, "dtype=int32"]),
             "Truly_passive_put": ("put", "latency", [*PASSIVE, "target=computes"]),
             # Of both ranks, twice to the other one. The rest of the tests of many ranks flushes once behind all repetitions.
             "Exchange_put": ("multi_put", "time", [*PASSIVE, "pattern=neighbors", "ranks=2"]),
             "Exchange_get": ("multi_get", "time", [*PASSIVE, "pattern=neighbors", "ranks=2"])}

    def column(self, case):
        return 3 if case == "Truly_passive_put" else self.COLUMN

    def sizes(self, case):
        return (4,) if case in ("Fetch_and_op", "Compare_and_swap") else SIZES  # one element

    @staticmethod
    def mean_of(metric):
        """Of rank 0, which accesses."""
        return 1e6 * metric.attrs["scale"] / metric.attrs["inner"] * metric["samples"][0].mean()


class Mt(Suite):
    COLUMN = 4
    WINDOWS = ("UniBandMT", "BiBandMT")
    CASES = {"PingPongMT": ("thread_pingpong", "latency", []), "PingPingMT": ("thread_exchange", "latency", ["pattern=ring"]),
             "SendRecvMT": ("thread_exchange", "latency", ["pattern=ring"]), "ExchangeMT": ("thread_exchange", "latency", ["pattern=neighbors"]),
             "UniBandMT": ("thread_bandwidth", "time", ["bidirectional=false"]),
             "BiBandMT": ("thread_bandwidth", "time", ["bidirectional=true"]),
             # IMB adds up MPI_INT, Scalemark float.
             **{f"{name}MT": ("thread_collective", "latency", [f"collective={collective}"])
                for name, collective in (("Bcast", "broadcast"), ("Reduce", "reduce"), ("AllReduce", "allreduce"))}}
    CASES = {case: (name, metric, [*axes, "threads=1", "ranks=2"]) for case, (name, metric, axes) in CASES.items()}

    def column(self, case):
        return 2 if case in self.WINDOWS else self.COLUMN

    def run_ours(self):
        # IMB divides the time of a window by its messages, or by those of both ranks.
        parts = {"UniBandMT": 64, "BiBandMT": 128}
        return {(case, size): time / parts.get(case, 1) for (case, size), time in super().run_ours().items()}

    def start_imb(self):
        return launch([self.imb, "-thread_level", "multiple", "-datatype", "int", "-count", ",".join(str(size // 4) for size in SIZES), *self.CASES], self.folder,
                      OMP_NUM_THREADS="1", MALLOC_PERTURB_="165")

    mean_of = staticmethod(Rma.mean_of)


def main():
    suites = {"IMB-IO": Io, "IMB-MT": Mt, "IMB-RMA": Rma}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--imb", required=True, type=lambda path: str(pathlib.Path(path).resolve()), help=f"the program: {', '.join(suites)}")
    parser.add_argument("--scalemark", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--folder", type=pathlib.Path, help="on the file system to measure (default: that of temporary files)")
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    name = pathlib.Path(options.imb).name
    if name not in suites:
        parser.error(f"--imb is {name}; allowed: {', '.join(suites)}")
    taken = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        suite = suites[name](options.imb, options.scalemark, pathlib.Path(folder))
        for _ in range(options.runs):
            ours, imb = suite.run_ours(), suite.run_imb()
            if ours.keys() != imb.keys():
                sys.exit(f"only on one side: {ours.keys() ^ imb.keys()}")
            for key in ours:
                a, b = taken.setdefault(key, ([], []))
                a.append(ours[key])
                b.append(imb[key])
    paired.head(name, options.runs)
    for (case, size), (a, b) in taken.items():
        paired.row(f"{case}, {size} B", "us", a, b)


if __name__ == "__main__":
    main()
