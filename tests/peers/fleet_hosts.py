#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether `scalemark fleet` names slow hosts and links: eight hosts that are network namespaces of this machine, at 24 Mbit/s.

    tests/peers/fleet_hosts.py --scalemark PROGRAM [--repeats 5] [--keep DIR]

Each repetition screens the hosts as they are, with one host at 16 Mbit/s, and with one link at 12. Prints what was named, and how
often that was right. Needs root, and takes two minutes a repetition.
"""
import json
import subprocess

from predict_hosts import hosts, parser_of, recipe, result_folder

HOSTS = 8
SCREEN = ["^micro/pingpong$", "-a", "pairs=screening", "-a", f"ranks={HOSTS}", "-a", "bytes=1M", "-a", "backend=mpi", "-a", "memory=host",
          "-n", "3", "--warmup", "0"]


def in_host(host, *words):
    return recipe("host-exec.sh", host, *words)


def slow_link(one, other):
    """Packets of one host to the other have half the rate; all others have that of the link."""
    address = in_host(one, "getent", "hosts", other).split()[0]
    for words in ("qdisc replace dev eth0 root handle 1: htb default 1",
                  "class add dev eth0 parent 1: classid 1:1 htb rate 24mbit burst 32kb",
                  "class add dev eth0 parent 1: classid 1:2 htb rate 12mbit burst 32kb",
                  f"filter add dev eth0 parent 1: protocol ip u32 match ip dst {address} flowid 1:2"):
        in_host(one, "tc", *words.split())


def plant(what, number):
    """Slows another host or link in each repetition; says what is to be named."""
    if what == "host":
        host = f"node{number % HOSTS + 1}"
        recipe("host-slow.sh", host, "--rate", "16mbit")
        return {host}
    if what == "link":
        # Screening rounds bring some pairs together; node 1 meets these in a fleet of eight.
        one, other = "node1", f"node{(8, 5, 2)[number % 3]}"
        slow_link(one, other)
        return {one, other}
    return set()


def named(program, path):
    done = subprocess.run([program, "fleet", path, "--format", "json"], capture_output=True, text=True, check=False)
    fleet = json.loads(done.stdout)
    return ({one["host"]: one["factor"] for one in fleet["hosts"] if one["verdict"] == "BAD"},
            [({one["host"], one["peer"]}, one["factor"]) for one in fleet["links"]])


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    program = arguments.scalemark
    right = dict.fromkeys(("quiet", "host", "link"), 0)
    with result_folder(arguments.keep) as folder:
        for number in range(arguments.repeats):
            for what in right:
                path = folder / f"{what}-{number}.h5"
                note = folder / f"{what}-{number}.json"
                if not path.exists():
                    with hosts(program, HOSTS, "24mbit") as run:
                        note.write_text(json.dumps(sorted(plant(what, number))), encoding="utf-8")
                        run(*SCREEN, "-o", path)
                wanted = set(json.loads(note.read_text(encoding="utf-8")))
                bad, links = named(program, path)
                right[what] += {"quiet": not bad and not links, "host": set(bad) == wanted and not links,
                                "link": not bad and [pair for pair, _ in links] == [wanted]}[what]
                words = [f"{host} {factor:.2f}" for host, factor in bad.items()] + [f"{' - '.join(sorted(pair))} {factor:.2f}" for pair, factor in links]
                print(f"{what} ({', '.join(sorted(wanted)) or 'nothing'} slow): named {', '.join(words) or 'nothing'}", flush=True)
    for what, count in right.items():
        print(f"{what}: {count} of {arguments.repeats} as planted")


if __name__ == "__main__":
    main()
