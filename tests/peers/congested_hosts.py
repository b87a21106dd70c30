#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether `micro/congestion` says what others cost: eight hosts that are network namespaces of this machine, at 24 Mbit/s.

    tests/peers/congested_hosts.py --scalemark PROGRAM [--repeats 3]

Four hosts measure and four load the network, once with all hosts at one switch, where the groups share no link, and once with two
switches between which all share one link of that rate. Messages of 4 B load the processors of this machine, hardly the network. Prints
the slowdown of messages around a ring and of allreduces, of the mean and of the 99th percentile. Needs root, and takes five minutes a
repetition.
"""
import json
import subprocess

from fleet_hosts import HOSTS, two_switches
from predict_hosts import hosts, parser_of, result_folder

AXES = [f"ranks={HOSTS}", "memory=host", "share=0.5", "victim=ring,allreduce", "congestor=alltoall,incast", "bytes=8,16K",
        "congestor_bytes=4,16K"]


def measure(program, path, switches):
    with hosts(program, HOSTS, "24mbit") as run:
        if switches == 2:
            two_switches()
        run("^micro/congestion$", *(word for axis in AXES for word in ("-a", axis)), "-n", 10, "-o", path)


def slowdowns(program, path):
    """Of each case: victim, its bytes, congestor, its bytes, slowdown of the mean and of the tail."""
    shown = subprocess.run([program, "show", path, "--format", "json"], capture_output=True, text=True, check=True).stdout
    for case in json.loads(shown):
        value = {name: metric["median"] for name, metric in case["metrics"].items() if name.endswith("slowdown")}
        point = case["params"]
        yield (point["victim"], point["bytes"], point["congestor"], point.get("congestor_bytes", 4096),
               value["latency_slowdown"], value["tail_slowdown"])


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    with result_folder(arguments.keep) as kept:
        for number in range(arguments.repeats):
            for switches in (1, 2):
                path = kept / f"{switches}-{number}.h5"
                if not path.exists():
                    measure(arguments.scalemark, path, switches)
                for victim, size, congestor, load, mean, tail in slowdowns(arguments.scalemark, path):
                    print(f"{switches} switches, {victim} of {size} B beside {congestor} of {load} B: {mean:.2f} times, tail {tail:.2f}", flush=True)


if __name__ == "__main__":
    main()
