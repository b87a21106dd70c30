# SPDX-License-Identifier: Apache-2.0
"""Screenings of pairs, and `scalemark fleet`. Which hosts it names is tested in common.fleet and common.analysis."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from harness import ProgramTest, SCALEMARK, rows, run

ROOT = Path(__file__).resolve().parents[2]

ALONE = ("--preset", "node", "-a", "micro/gemm:rows=64", "-a", "micro/stream:bytes=64K", "-a", "micro/memory_latency:bytes=16K",
         "-a", "micro/memcpy:bytes=64K", "-n", 3, "--max-time", "100ms")


class Fleet(ProgramTest):
    def screen(self, ranks, *more):
        path = self.path(f"screening-{ranks}.h5")
        done = run("run", "^micro/(pingpong|bandwidth)$", "-a", "pairs=screening", "-a", "bytes=64K", "-a", "memory=host", "-n", 7, "-o", path, *more,
                   ranks=ranks)
        self.expect(done, 0)
        return path, done.stdout

    def topology(self, host):
        path = self.path(f"{host}.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'[[switch]]\nname = "leaf"\n[[host]]\nname = "{host}"\nabove = "leaf"\nbandwidth = 1e9\n')
        return path

    def test_a_screening_measures_a_few_rounds_and_suspects_again(self):
        path, printed = self.screen(4)
        self.assertRegex(printed, r"(4 ranks: none is slow|of 4 ranks: rank)")
        with h5py.File(path) as file:
            self.assertEqual(len(file["pairs"]), 2)
            for table in file["pairs"].values():
                pairs = list(zip(table["round"][...], table["rank"][...], table["peer"][...]))
                screened = [(rank, peer) for number, rank, peer in pairs if number < 3]
                self.assertEqual(sorted(screened), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], "three rounds of two pairs")
                again = [(number, rank) for number, *both in pairs if number >= 3 for rank in both]
                self.assertEqual(len(again), len(set(again)), "pairs of a round are disjoint")
        for row in rows(path).values():
            self.assertEqual(row["facts"]["screening_rounds"], 3)
            self.assertTrue(row["verified"]["done"])
            self.assertEqual(row["verified"]["wrong"], 0)
            self.assertNotIn("slow_host", row)

        told = run("fleet", path, "--format", "json")
        fleet = json.loads(told.stdout)
        self.assertEqual(fleet["screenings"], 2)
        (host,) = fleet["hosts"]  # the worst of its ranks
        is_bad = host["verdict"] == "BAD"
        self.assertEqual(told.returncode, 1 if is_bad or fleet["links"] else 0)
        self.assertEqual(len(fleet["drain"]), is_bad)
        self.assertEqual(fleet["uplinks"], [], "without --topology")
        told = run("fleet", path, "--topology", self.topology(host["host"]), "--format", "json")
        self.assertEqual(json.loads(told.stdout)["uplinks"], [], "one switch")
        self.expect(run("fleet", path, "--topology", self.topology("other")), 3, f"--topology names no host '{host['host']}'")
        self.expect(run("fleet", path, "--topology", self.path("none.toml")), 2)
        text = run("fleet", path, "--all")
        self.assertEqual(text.returncode, told.returncode)
        self.assertIn("1 host, 2 screenings, 0 cases of each host by itself: ", text.stdout)
        self.assertRegex(text.stdout, rf"(?m)^{host['verdict']} +{host['host']} +network ")
        self.assertEqual("\nbad: " in text.stdout, is_bad)

    def on_hosts(self, ranks_each, domain=""):
        """A program whose ranks are on hosts node0, node1, ... of this domain, with so many each."""
        namespace = ["unshare", "--uts"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--uts"]
        if subprocess.run([*namespace, "hostname", "node0"], capture_output=True, check=False).returncode != 0:
            self.skipTest("this user may not name a host, not even in a namespace of its own")
        path = self.path(f"on-hosts-{ranks_each}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"""#!/bin/sh
exec {' '.join(namespace)} sh -c 'hostname "$0" && exec "$@"' node$((OMPI_COMM_WORLD_RANK / {ranks_each})){domain} '{SCALEMARK}' "$@"
""")
        os.chmod(path, 0o755)
        return path

    def test_rails_are_screened_one_after_the_other(self):
        path, topology = self.path("rails.h5"), self.path("topology.conf")
        with open(topology, "w", encoding="ascii") as file:
            file.write("SwitchName=left Nodes=node[0-1]\nSwitchName=right Nodes=node2\nSwitchName=top Switches=left,right\n")
        measure = ["run", "^micro/pingpong$", "-a", "pairs=rails", "-a", "bytes=8", "-a", "memory=host", "-n", 5]
        self.expect(run(*measure, "--topology", topology, "-o", path, program=self.on_hosts(2), ranks=6), 0)
        with h5py.File(path) as file:
            (table,) = file["pairs"].values()
            pairs = list(zip(*(table[name][...].tolist() for name in ("round", "rail", "rank", "peer"))))
        for number, rail, *both in pairs:
            self.assertEqual([rank % 2 for rank in both], [rail, rail], "both ranks are on the rail")
            if number < 6:
                self.assertEqual(rail, number // 3, "the first rail, then the second")
        screened = sorted(tuple(both) for number, _, *both in pairs if number < 6)
        self.assertEqual(screened, [(0, 2), (0, 4), (1, 3), (1, 5), (2, 4), (3, 5)], "hosts meet on each rail")
        told = run("fleet", path, "--topology", topology, "--format", "json")
        fleet = json.loads(told.stdout)
        self.assertEqual(sorted(host["host"] for host in fleet["hosts"]), ["node0", "node1", "node2"])
        for host in fleet["hosts"]:
            self.assertEqual(sorted(one["rail"] for one in host["evidence"]), [0, 1])
            self.assertRegex(host["reason"], r" rail ([01]) \(local rank \1 of each node\)$|all 2 rails$")
        with open(topology, "w", encoding="ascii") as file:
            file.write("SwitchName=left Nodes=node[0-1]\n")
        lacking = run(*measure, "--topology", topology, "-o", self.path("lacking.h5"), program=self.on_hosts(2), ranks=6)
        self.expect(lacking, 3)
        self.assertIn("--topology names no host 'node2'", lacking.stdout)
        with open(topology, "w", encoding="ascii") as file:
            file.write("SwitchName=left Nodes=node[0-\n")
        self.expect(run(*measure, "--topology", topology), 3, "topology.conf, line 1: 'node[0-' is no list of hosts")
        alone = run(*measure, "-o", self.path("one.h5"), ranks=2)
        self.expect(alone, 4)
        self.assertIn("pairs=rails needs ranks on two hosts", alone.stdout)

    def test_an_allreduce_of_all_hosts_is_compared_with_those_of_parts(self):
        program, paths = self.on_hosts(1), []
        for hosts in (2, 3, 4):
            paths.append(self.path(f"part-{hosts}.h5"))
            self.expect(run("run", "^micro/allreduce$", "-a", "bytes=64K", "-a", "memory=host", "-a", f"ranks={hosts}", "-n", 5, "-o", paths[-1],
                            program=program, ranks=hosts), 0)
        told = run("fleet", *paths, "--format", "json")
        self.expect(told, 0)
        (scale,) = json.loads(told.stdout)["scales"]
        self.assertEqual((scale["ranks"], scale["hosts"], scale["slow_parts"]), (4, 4, []))
        self.assertGreaterEqual(scale["high"], scale["predicted"])
        self.assertGreater(scale["predicted"], 0)
        text = run("fleet", *paths).stdout
        self.assertRegex(text, r"(?m)^allreduce of all 4 hosts \(4 ranks\): \S+ \ws, \d+\.\d\d times what its parts predict \(up to ")
        self.assertEqual("slow" in text.splitlines()[0], scale["slow"])
        self.assertEqual("the prediction is not checked" in text.splitlines()[0], not scale["tested"])
        self.assertIn("scalemark_fleet_scale_factor{", run("fleet", *paths, "--format", "openmetrics").stdout)
        page = self.path("scale.html")
        self.expect(run("fleet", *paths, "-o", page), 0)
        with open(page, encoding="utf-8") as file:
            self.assertIn("All hosts and parts of them", file.read())
        self.expect(run("fleet", paths[0]), 4, "no screening in these files")

    def test_hosts_have_the_names_of_the_list(self):
        """Ranks call their hosts node0.cluster and so on, Slurm node0."""
        path, hosts, topology = (self.path(name) for name in ("names.h5", "hosts", "topology.conf"))
        self.expect(run("run", "^micro/pingpong$", "-a", "pairs=screening", "-a", "bytes=8", "-a", "memory=host", "-n", 5, "-o", path,
                        program=self.on_hosts(1, ".cluster"), ranks=3), 0)
        for name, text in ((hosts, "node0 node1 node2"), (topology, "SwitchName=left Nodes=node[0-2]")):
            with open(name, "w", encoding="ascii") as file:
                file.write(text + "\n")
        self.assertIn("node0.cluster", run("fleet", path, "--all").stdout)
        for listed in ([], ["--hosts", hosts, "--failing", hosts]):
            page = self.path(f"names-{len(listed)}.html")
            told = run("fleet", path, *listed, "--topology", topology, "--all", "-o", page)
            self.assertEqual("node0.cluster" in told.stdout, not listed, told.stdout)
            with open(page, encoding="utf-8") as file:
                self.assertIn("left (3 hosts)", file.read())
        self.assertIn("scontrol update NodeName=node0 State=DRAIN", told.stdout)

    def test_hosts_that_fail_only_together_are_in_all_outputs(self):
        path, _ = self.screen(2)
        groups = self.path("only-together")
        with open(groups, "w", encoding="ascii") as file:
            file.write("\nnode1 node2 node3\n")
        judge = ["fleet", path, "--only-together", groups]
        told = run(*judge)
        self.expect(told, 1)
        self.assertIn("node[1-3]: operations of these 3 hosts together fail or do not end, those of each half alone succeed\n", told.stdout)
        self.assertEqual(json.loads(run(*judge, "--format", "json").stdout)["only_together"], ["node[1-3]"])
        self.assertIn('\nscalemark_fleet_only_together{hosts="node[1-3]"} 3\n', run(*judge, "--format", "openmetrics").stdout)
        page = self.path("together.html")
        self.expect(run(*judge, "-o", page), 1)
        with open(page, encoding="utf-8") as file:
            self.assertIn("Hosts that fail only together", file.read())
        self.expect(run(*judge, "--only", os.uname().nodename), 0)

    def test_two_ranks_have_one_pair(self):
        path, printed = self.screen(2)
        self.assertIn("2 ranks: none is slow", printed)
        done = run("fleet", path)
        self.expect(done, 0)
        self.assertIn("0 bad, 0 suspect, 0 untested, 0 slow links", done.stdout)

    def check_baseline(self, alone):
        """A host by itself cannot be compared with others, but with a baseline of its own runs."""
        again, base = self.path("again.h5"), self.path("base.h5")
        self.expect(run("run", *ALONE, "-o", again, ranks=1), 0)
        self.expect(run("baseline", alone, again, "-o", base), 0)
        done = run("fleet", alone, "--baseline", base, "--format", "json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        (judged,) = json.loads(done.stdout)["hosts"]
        compared = [one for one in judged["evidence"] if one.get("baseline_runs") == 2]
        self.assertEqual({one["key"] for one in compared}, {key for key, row in rows(alone).items() if row["status"] == "ok"})
        for one in compared:
            self.assertIn(one["verdict"], ("OK", "SUSPECT", "BAD"))
            self.assertIsNone(one["rank"], "it is of all ranks")
            self.assertIn("times as long as in the baseline of 2 runs", one["reason"])
        self.assertIn('than="baseline"', run("fleet", alone, "--baseline", base, "--format", "openmetrics").stdout)
        other = self.path("other.h5")
        self.expect(run("run", "^micro/stream$", "-a", "bytes=32K", "-n", 3, "-o", other, ranks=1), 0)
        self.expect(run("fleet", other, "--baseline", base), 4, "no host measured a case of --baseline by itself")
        part = self.path("part.h5")
        self.expect(run("run", "--preset", "node", "-a", "micro/stream:bytes=64K", *ALONE[-4:], "^micro/stream$", "-o", part, ranks=1), 0)
        done = run("fleet", part, "--baseline", base)
        self.expect(done, 1)
        self.assertIn("not measured, the baseline has it", done.stdout)
        self.expect(run("fleet", alone, "--baseline", again), 3, "--baseline: ", "is none: scalemark baseline makes one of two runs or more")

    def test_a_host_by_itself_and_hosts_without_a_result(self):
        alone, hosts = self.path("node.h5"), self.path("hosts")
        self.expect(run("run", *ALONE, "-o", alone, ranks=1), 0)
        with open(hosts, "w", encoding="ascii") as names:
            names.write("other1 other2\nother03\n")
        done = run("fleet", alone, "--hosts", hosts, "--format", "json")
        self.expect(done, 0)
        fleet = json.loads(done.stdout)
        self.assertEqual(fleet["screenings"], 0)
        self.assertGreaterEqual(fleet["lone_cases"], 2, "stream and latency; products only with LibTorch")
        self.assertEqual([one["verdict"] for one in fleet["hosts"]], ["UNTESTED"] * 4, "one host cannot be compared")
        self.assertEqual({one["host"]: one["reason"] for one in fleet["hosts"] if not one["key"]},
                         dict.fromkeys(("other1", "other2", "other03"), "in no file"))
        (host,) = [one for one in fleet["hosts"] if one["key"]]
        self.assertIn("host memory", {one["component"] for one in host["evidence"]})
        self.assertEqual((fleet["bad"], fleet["drain"]), ("", []))

        failing = self.path("failing")
        with open(failing, "w", encoding="ascii") as names:
            names.write("other2\n")
        done = run("fleet", alone, "--hosts", hosts, "--failing", failing)
        self.expect(done, 1)
        self.assertRegex(done.stdout, r"(?m)^BAD +other2 +network ")
        self.assertIn('\nbad: other2\nscontrol update NodeName=other2 State=DRAIN Reason="scalemark: network operations with it fail or do not end"\n',
                      done.stdout)

        self.check_openmetrics(alone, hosts, failing, host)
        page = self.path("map.html")
        done = run("fleet", alone, "--hosts", hosts, "--failing", failing, "--topology", self.topology(host["host"]), "-o", page)
        self.expect(done, 1, "map.html")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for said in ("other2: BAD, network", "leaf (1 host)", "switch not known (3 hosts)", "State=DRAIN"):
            self.assertIn(said, text)
        self.expect(run("fleet", alone, "-o", page), 2, "--force")
        self.expect(run("fleet", alone, "-o", page, "--force"), 0)
        self.expect(run("fleet", alone, "-o", alone, "--force"), 2)
        # Earlier runs of too few hosts say nothing; runs that are judged are no past.
        os.makedirs(os.path.join(self.path("past"), "older"))
        shutil.copy(alone, os.path.join(self.path("past"), "older"))
        done = run("fleet", alone, "--hosts", hosts, "--history", self.path("past"), "--format", "json")
        self.expect(done, 0)
        self.assertEqual(json.loads(done.stdout), fleet | {"changes": []})
        self.expect(run("fleet", alone, "--history", self.path("none")), 3, "no such file or folder")

        self.check_baseline(alone)
        text = run("fleet", alone, "--only", host["host"])
        self.expect(text, 0)
        self.assertNotIn("other1", text.stdout)
        self.assertIn("1 host, 0 screenings, ", text.stdout)
        self.expect(run("fleet", alone, "--only", "other1"), 3, "--only: no file has host 'other1'")
        with open(hosts, "w", encoding="ascii") as names:
            names.write("node1\nnode2;reboot\n")
        self.expect(run("fleet", alone, "--hosts", hosts), 3, "'node2;reboot' is no name of a host")
        self.expect(run("fleet", alone, "--hosts", self.path("none")), 3)

    def check_openmetrics(self, alone, hosts, failing, host):
        done = run("fleet", alone, "--hosts", hosts, "--failing", failing, "--format", "openmetrics")
        self.expect(done, 1)
        families = {family.name: family.samples for family in text_string_to_metric_families(done.stdout)}
        self.assertEqual({sample.labels["verdict"]: sample.value for sample in families["scalemark_fleet_hosts"]},
                         {"OK": 0, "UNTESTED": 3, "SUSPECT": 0, "BAD": 1})
        self.assertEqual({sample.labels["host"]: sample.value for sample in families["scalemark_fleet_host_verdict"]},
                         {host["host"]: 1, "other1": 1, "other2": 3, "other03": 1})
        factors = families["scalemark_fleet_host_factor"]
        self.assertEqual({(sample.labels["component"], sample.labels["key"], sample.labels["rank"]) for sample in factors},
                         {(one["component"], one["key"], str(one["rank"])) for one in host["evidence"] if one["key"]})
        self.assertEqual({sample.labels["than"] for sample in factors}, {"others"})
        parts = {(sample.labels["host"], sample.labels["component"]): sample.value for sample in families["scalemark_fleet_component_verdict"]}
        self.assertEqual(parts[("other2", "network")], 3, "which has no case and no factor")
        self.assertEqual({component for name, component in parts if name == host["host"]}, {one["component"] for one in host["evidence"]})

    def test_the_dashboard_asks_for_metrics_that_there_are(self):
        with open(os.path.join(ROOT, "packaging", "grafana", "scalemark.json"), encoding="utf-8") as file:
            board = json.load(file)
        alone = self.path("run.h5")
        self.expect(run("run", "^micro/pingpong$", "-a", "bytes=8", "-n", 3, "-o", alone, ranks=2), 0)
        known = {family.name for family in text_string_to_metric_families(run("export", alone, "--to", "openmetrics").stdout)}
        screening, _ = self.screen(2)
        fleet = {family.name for family in text_string_to_metric_families(run("fleet", screening, "--format", "openmetrics").stdout)}
        self.assertIn("scalemark_fleet_uplink_factor", fleet, "families without a value are there, too")
        known |= fleet
        panels = board["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        asked = set()
        for panel in panels:
            self.assertTrue(panel["title"] and panel["description"])
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24)
            for other in panels:
                at = other["gridPos"]
                apart = (at["x"] >= place["x"] + place["w"] or place["x"] >= at["x"] + at["w"] or
                         at["y"] >= place["y"] + place["h"] or place["y"] >= at["y"] + at["h"])
                self.assertTrue(other is panel or apart, f"{panel['title']} lies over {other['title']}")
            for target in panel["targets"]:
                asked |= set(re.findall(r"scalemark_[a-z_]+", target["expr"]))
        self.assertGreater(len(asked), 6)
        self.assertLessEqual(asked, known)
        (metric,) = [variable for variable in board["templating"]["list"] if variable["name"] == "metric"]
        pattern = re.fullmatch(r"metrics\((.+)\)", metric["query"]["query"]).group(1)
        offered = {name for name in known if re.fullmatch(pattern, name)}
        self.assertIn("scalemark_latency_seconds", offered)
        self.assertEqual([name for name in offered if "fleet" in name or "run_" in name], [])

    def test_what_it_refuses(self):
        other = self.path("other.h5")
        self.expect(run("run", "^micro/pingpong$", "-a", "bytes=8", "-o", other, ranks=1), 4, "needs two ranks")
        self.expect(run("fleet", other), 4, "no screening in these files, and nothing that hosts measured by themselves")
        self.expect(run("fleet"), 2)
        self.expect(run("fleet", self.path("none.h5")), 3)
        self.expect(run("fleet", other, "--format", "csv"), 2)


class HostsWithFaults(ProgramTest):
    """The exit code of tests/peers/fleet_hosts.py, with kept files and a stub in place of the program."""

    def judge(self, what, named, wanted=(), rounds=8, seconds=19.0, latency=0.0):
        """Its exit code for a screening of so many rounds of so long messages in so much time, where a program names this. Three of the
        rounds are the first look."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        kept = folder / f"{what}-0"
        kept.mkdir()
        (kept / "planted.json").write_text(json.dumps({"wanted": wanted, "seconds": seconds}), encoding="utf-8")
        with h5py.File(kept / "screening.h5", "w") as file:
            for name, values in (("round", range(rounds)), ("rank", [0] * rounds), ("peer", range(1, rounds + 1)), ("latency", [latency] * rounds)):
                file[f"pairs/one/{name}"] = list(values)
            file.create_group("cases/000000/facts").attrs["screening_rounds"] = 3
        program = folder / "program"
        program.write_text("#!/bin/sh\ncat <<'END'\n" + json.dumps({"hosts": [], "links": [], "uplinks": []} | named) + "\nEND\n", encoding="utf-8")
        program.chmod(0o755)
        done = subprocess.run([sys.executable, ROOT / "tests/peers/fleet_hosts.py", "--scalemark", program, "--repeats", "1", "--what", what, "--keep", folder],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertIn(f"{what}: ", done.stdout, done.stderr)
        return done.returncode

    def test_its_exit_code_says_whether_all_was_as_planted(self):
        bad = {"hosts": [{"host": "node1", "verdict": "BAD", "component": "network", "factor": 2.0}]}
        link = {"links": [{"host": "node1", "peer": "node2", "factor": 2.0}]}
        self.assertEqual(self.judge("quiet", {}), 0)
        self.assertEqual(self.judge("quiet", bad), 1, "it is not silent")
        self.assertEqual(self.judge("host", bad, ["node1"]), 0)
        self.assertEqual(self.judge("host", {}, ["node1"]), 1, "the fault is missed")
        self.assertEqual(self.judge("host", bad, ["node2"]), 1, "another host is named")
        self.assertEqual(self.judge("link", link, ["node1", "node2"]), 0)
        self.assertEqual(self.judge("link", {}, ["node1", "node2"]), 1)
        self.assertEqual(self.judge("quiet", {}, rounds=9), 1, "more than three rounds and five")
        self.assertEqual(self.judge("quiet", {}, seconds=20), 1, "too long outside of the rounds")
        # Three samples in each round, and the exchange that is checked in the first three: 27 there and back.
        self.assertEqual(self.judge("quiet", {}, latency=1.0, seconds=54 + 19.9), 0)
        self.assertEqual(self.judge("quiet", {}, latency=1.0, seconds=54 + 20.1), 1)


if __name__ == "__main__":
    unittest.main()
