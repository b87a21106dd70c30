#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulated collectives beside other simulators: `predict --simulate` beside SimGrid's SMPI and, where one is given, LogGOPSim.

    tests/peers/simulators.py --scalemark PROGRAM [--loggopsim PROGRAM] [--format json]

SimGrid: `smpicc` and `smpirun` must be in PATH (Debian: `apt install libsimgrid-dev`). A small MPI program does the rounds of each
schedule. Links carry 125 MB/s each way with a latency of 50 us, the uplinks of racks 250 MB/s. SimGrid's model is CM02 with factors of 1
and without cross traffic. All receives are posted at first, as scalemark's messages wait for no receiver. Where posting them round by
round changes SimGrid's time by more than 0.2 %, that time is printed, too.

LogGOPSim: PROGRAM is a built one, with `txt2bin` beside it (source: github.com/spcl/LogGOPSim). It gets the same rounds as GOAL text.

Goal: within 0.2 % and 1 ms of SimGrid, and equal to LogGOPSim to the nanosecond. Exits with 1 where a case misses it. Takes half a
minute. Cases where the models differ have no goal:

- SimGrid, "unequal latencies": routes that share a link differ in latency. CM02 gives the shorter one more of it, scalemark the same.
- LogGOPSim, "early messages": folding makes messages come a round early. LogGOPSim receives them first, scalemark in order of rounds.
- LogGOPSim, "answers": a sender of more than S bytes waits for its receiver's answer. That takes L in scalemark, no time in LogGOPSim.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LATENCY = 50  # us, of each link
COSTS = {"L": 2500, "o": 1500, "g": 1000, "G": 6, "O": 0, "S": 65535}
KIB, MIB = 1 << 10, 1 << 20
NOBODY = (-1, -1, 0)  # no exchange of a rank in a round
MODEL = {"network/model": "CM02", "network/bandwidth-factor": 1, "network/latency-factor": 1, "network/weight-S": 0, "network/crosstraffic": 0,
         "smpi/simulate-computation": "no", "smpi/wtime": 0, "smpi/async-small-thresh": 0, "smpi/send-is-detached-thresh": 0}
MPI_PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
static const int schedule[ROUNDS][RANKS][3] = {SCHEDULE};
int main(int argc, char** argv) {
  const int at_first = argc > 1 ? ROUNDS : 1;
  int me, posted = 0;
  MPI_Request wait[ROUNDS][2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  char *out = SMPI_SHARED_MALLOC(LARGEST), *in = SMPI_SHARED_MALLOC(LARGEST);
  for (int i = 0; i < ROUNDS; ++i) {
    for (; posted < at_first || posted <= i; ++posted)
      MPI_Irecv(in, LARGEST, MPI_BYTE, schedule[posted][me][1], posted, MPI_COMM_WORLD, &wait[posted][0]);
    MPI_Isend(out, schedule[i][me][2], MPI_BYTE, schedule[i][me][0], i, MPI_COMM_WORLD, &wait[i][1]);
    MPI_Waitall(2, wait[i], MPI_STATUSES_IGNORE);
  }
  printf("finished at %.9f\n", MPI_Wtime());
  MPI_Finalize();
  return 0;
}
"""


# A schedule is a list of rounds, a round a list of (to, from, bytes sent) by rank.
def part_bytes(size, count, first, last):
    """Bytes of the parts from `first` to before `last`, of so many that differ by one byte at most."""
    return sum(size // count + (part < size % count) for part in range(first, last))


def ring(ranks, size):
    return [[((rank + 1) % ranks, (rank - 1) % ranks, part_bytes(size, ranks, part, part + 1)) for rank in range(ranks)
             for part in [(rank - number) % ranks]] for number in range(2 * (ranks - 1))]


def alltoall(ranks, size):
    return [[((rank + far) % ranks, (rank - far) % ranks, size) for rank in range(ranks)] for far in range(1, ranks)]


def broadcast(ranks, size):
    fars = reversed([1 << bit for bit in range((ranks - 1).bit_length())])
    return [[(-1, rank - far, 0) if rank % (2 * far) == far else
             (rank + far, -1, size) if rank % (2 * far) == 0 and rank + far < ranks else NOBODY for rank in range(ranks)] for far in fars]


def folded(ranks, size, exchange):
    """Rounds of `exchange(places)`, in a power of two of places; surplus ranks give their data before, and get the result behind."""
    places = 1 << (ranks.bit_length() - 1)
    surplus = ranks - places
    rank_of = [2 * place + 1 if place < surplus else place + surplus for place in range(places)]
    before, behind, rounds = [NOBODY] * ranks, [NOBODY] * ranks, []
    for rank in range(0, 2 * surplus, 2):
        before[rank:rank + 2] = (rank + 1, -1, size), (-1, rank, 0)
        behind[rank:rank + 2] = (-1, rank + 1, 0), (rank, -1, size)
    for one in exchange(places):
        rounds.append([NOBODY] * ranks)
        for place, (peer, sent) in enumerate(one):
            rounds[-1][rank_of[place]] = (rank_of[peer], rank_of[peer], sent)
    return [before, *rounds, behind] if surplus else rounds


def recursive_doubling(ranks, size):
    return folded(ranks, size, lambda places: [[(place ^ 1 << bit, size) for place in range(places)] for bit in range(places.bit_length() - 1)])


def rabenseifner(ranks, size):
    def exchange(places):
        fars = [1 << bit for bit in range(places.bit_length() - 1)]
        halving = [[(place ^ far, (place ^ far) // far * far, far) for place in range(places)] for far in reversed(fars)]
        doubling = [[(place ^ far, place // far * far, far) for place in range(places)] for far in fars]
        return [[(peer, part_bytes(size, places, first, first + far)) for peer, first, far in one] for one in halving + doubling]
    return folded(ranks, size, exchange)


SCHEDULES = {"allreduce_ring": ring, "allreduce_rabenseifner": rabenseifner, "allreduce_recursive_doubling": recursive_doubling,
             "alltoall_pairwise": alltoall, "broadcast_binomial": broadcast}


def command(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{words[0]} failed with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


# A network is {name: (switch above, B/s of the link to it)}. Rank i is on the host "n<i>". `rack_of` has the rack of each, as "0011".
def is_host(name):
    return name.startswith("n")


def star(*bandwidths):
    return {f"n{rank}": ("top", bandwidth) for rank, bandwidth in enumerate(bandwidths)}


def two_racks(rack_of, uplink=250e6):
    return {"rack0": ("top", uplink), "rack1": ("top", uplink)} | {f"n{rank}": (f"rack{rack}", 125e6) for rank, rack in enumerate(rack_of)}


def toml_of(network):
    return '[[switch]]\nname = "top"\n' + "".join(
        f'[[{"host" if is_host(name) else "switch"}]]\nname = "{name}"\nabove = "{above}"\nbandwidth = {bandwidth}\nlatency = "{LATENCY}us"\n'
        for name, (above, bandwidth) in network.items())


def platform_of(network):
    """SimGrid's platform: a route for each pair of hosts."""
    def links_above(name):
        return [name, *links_above(network[name][0])] if name in network else []
    hosts = list(filter(is_host, network))
    lines = [f'<host id="{host}" speed="1Gf"/>' for host in hosts]
    lines += [f'<link id="{name}-link" bandwidth="{bandwidth}Bps" latency="{LATENCY}us" sharing_policy="SPLITDUPLEX"/>'
              for name, (_, bandwidth) in network.items()]
    for source, target in ((a, b) for a in hosts for b in hosts if a != b):
        up, down = links_above(source), links_above(target)
        ways = [(link, "UP") for link in up if link not in down] + [(link, "DOWN") for link in reversed(down) if link not in up]
        lines.append(f'<route src="{source}" dst="{target}" symmetrical="NO">' +
                     "".join(f'<link_ctn id="{link}-link" direction="{way}"/>' for link, way in ways) + "</route>")
    return ('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'
            '<zone id="all" routing="Full">\n' + "\n".join(lines) + "\n</zone>\n</platform>\n")


def simgrid_seconds(folder, network, rounds):
    """With all receives posted at first, and round by round."""
    ranks = len(rounds[0])
    (folder / "platform.xml").write_text(platform_of(network))
    (folder / "hosts").write_text("".join(f"n{rank}\n" for rank in range(ranks)))
    numbers = ",".join(str(value) if value >= 0 else "MPI_PROC_NULL" for one in rounds for exchange in one for value in exchange)
    largest = max(sent for one in rounds for _, _, sent in one)
    (folder / "rounds.c").write_text(f"#define ROUNDS {len(rounds)}\n#define RANKS {ranks}\n#define LARGEST {largest}\n"
                                     f"#define SCHEDULE {numbers}\n{MPI_PROGRAM}")
    command("smpicc", "-w", folder / "rounds.c", "-o", folder / "rounds.exe")
    for arguments in (["all-first"], []):
        told = command("smpirun", "-np", ranks, "-platform", folder / "platform.xml", "-hostfile", folder / "hosts",
                       *(f"--cfg={key}:{value}" for key, value in MODEL.items()), folder / "rounds.exe", *arguments)
        yield max(map(float, re.findall(r"finished at ([\d.]+)", told)))


def loggopsim_ns(folder, program, txt2bin, rounds, costs):
    """A rank's operations of a round require those of the round before."""
    text = f"num_ranks {len(rounds[0])}\n"
    for rank in range(len(rounds[0])):
        text += f"rank {rank} {{\n"
        before = []
        for number, one in enumerate(rounds):
            to, source, sent = one[rank]
            now = {f"s{number}": f"send {sent}b to {to}"} if to >= 0 else {}
            now |= {f"r{number}": f"recv {one[source][2]}b from {source}"} if source >= 0 else {}
            text += "".join(f"{label}: {what} tag 0\n" for label, what in now.items())
            text += "".join(f"{later} requires {earlier}\n" for later in now for earlier in before)
            before = now or before
        text += "}\n"
    (folder / "goal").write_text(text)
    command(txt2bin, "-i", folder / "goal", "-o", folder / "goal.bin")
    told = command(program, "-f", folder / "goal.bin", *(word for key, value in costs.items() for word in (f"-{key}", value)))
    return max(map(int, re.findall(r"Host \d+: (\d+)", told)))


def scalemark_ns(program, algorithm, ranks, size, *more):
    return int(command(program, "predict", "--simulate", algorithm, "--ranks", ranks, "--bytes", size, *more))


def beside_simgrid(program, folder):
    networks = [("allreduce_ring", f"{ranks} hosts", star(*[125e6] * ranks), "") for ranks in (2, 4, 8, 16)]
    networks += [("allreduce_ring", "4 hosts, one of 12.5 MB/s", star(125e6, 125e6, 12.5e6, 125e6), "")]
    networks += [(name, f"{ranks} hosts", star(*[125e6] * ranks), "") for name in list(SCHEDULES)[1:] for ranks in (6, 8, 16)]
    networks += [(name, f"racks {racks}", two_racks(racks), "") for name in SCHEDULES for racks in ("00001111", "01010101")]
    networks += [("allreduce_recursive_doubling", "racks 000011", two_racks("000011"), "unequal latencies")]
    for name, what, network, no_goal in networks:
        ranks, size = sum(map(is_host, network)), MIB if name == "alltoall_pairwise" else 8 * MIB
        (folder / "net.toml").write_text(toml_of(network))
        other, by_round = simgrid_seconds(folder, network, SCHEDULES[name](ranks, size))
        own = scalemark_ns(program, name, ranks, size, "--topology", folder / "net.toml") * 1e-9
        yield {"beside": "SimGrid", "case": f"{name}, {size // MIB} MiB, {what}", "unit": "s", "other": other, "by_round": by_round,
               "scalemark": own, "no_goal": no_goal, "met": abs(own - other) <= min(0.002 * other, 0.001)}


def beside_loggopsim(program, folder, *loggopsim):
    cases = [(name, ranks, size, COSTS["S"], "early messages" if ranks == 6 and SCHEDULES[name] in (rabenseifner, recursive_doubling) else "")
             for name in SCHEDULES for ranks in (2, 4, 6, 8, 16) for size in (KIB, MIB)]
    for name, ranks, size, largest_eager, no_goal in [*cases, ("allreduce_ring", 8, KIB, 100, "answers")]:
        costs = COSTS | {"S": largest_eager}
        other = loggopsim_ns(folder, *loggopsim, SCHEDULES[name](ranks, size), costs)
        own = scalemark_ns(program, name, ranks, size, "--loggps", ",".join(f"{key}={value}" for key, value in costs.items()))
        yield {"beside": "LogGOPSim", "case": f"{name}, {size // KIB} KiB, {ranks} ranks, S={largest_eager}", "unit": "ns", "other": other,
               "scalemark": own, "no_goal": no_goal, "met": own == other}


def line_of(cell):
    form, other, own = ".6f" if cell["unit"] == "s" else "d", cell["other"], cell["scalemark"]
    line = f"{cell['case']:56} {cell['beside']} {other:{form}} {cell['unit']}, scalemark {own:{form}} ({100 * (own / other - 1):+.3f} %)"
    if abs(cell.get("by_round", other) - other) > 0.002 * other:
        line += f"; posted round by round: {cell['by_round']:.6f}"
    return line + (f"; no goal: {cell['no_goal']}" if cell["no_goal"] else "" if cell["met"] else "; misses the goal")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scalemark", required=True, metavar="PROGRAM")
    parser.add_argument("--loggopsim", metavar="PROGRAM", help="a LogGOPSim with txt2bin beside it")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    arguments = parser.parse_args()
    loggopsim = [arguments.loggopsim, Path(arguments.loggopsim).with_name("txt2bin")] if arguments.loggopsim else []
    if missing := [str(name) for name in (arguments.scalemark, "smpicc", "smpirun", *loggopsim) if shutil.which(name) is None]:
        sys.exit(f"not found: {', '.join(missing)} (smpicc, smpirun: apt install libsimgrid-dev)")
    with tempfile.TemporaryDirectory() as temporary:
        cells = list(beside_simgrid(arguments.scalemark, Path(temporary)))
        if loggopsim:
            cells += beside_loggopsim(arguments.scalemark, Path(temporary), *loggopsim)
    print(json.dumps(cells, indent=1) if arguments.format == "json" else "\n".join(map(line_of, cells)))
    sys.exit(0 if all(cell["met"] or cell["no_goal"] for cell in cells) else 1)


if __name__ == "__main__":
    main()
