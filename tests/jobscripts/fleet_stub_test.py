# SPDX-License-Identifier: Apache-2.0
"""jobscripts/fleet.sbatch and node-check.sh with stubs of Slurm and of the program: what is started where, and what happens to nodes
that hang or fail. A real Slurm is in fleet_slurm_test.py."""
import json
import os
import re
import shutil
import unittest

from support import ROOT, SCRIPTS, ScriptTest, start, tool

SRUN = """
nodes='' tasks=''
[[ $1 == --mpi=list ]] && { echo pmix; exit 0; }
while [[ $1 == -* ]]; do
  case $1 in
    --nodelist=*) nodes=${1#*=} ;;
    --ntasks=*) tasks=${1#*=} ;;
  esac
  shift
done
echo "$nodes tasks=$tasks ${*:2}" >>"$STUB_LOG"
[[ $nodes == hanging || $nodes == *,stuck* || $nodes == stuck,* ]] && exec sleep 100
[[ $nodes == *,lame* || $nodes == lame*,* ]] && exit 3
[[ $nodes == failing ]] && { echo 'no such GPU'; exit 9; }
STUB_NODE=$nodes exec "$@"
"""

PROGRAM = """
case $1 in
  run)
    [[ $2 == *bandwidth* && -n ${STUB_PAIRS_CODE:-} ]] && exit "$STUB_PAIRS_CODE"
    IFS=, read -r -a nodes <<<"${STUB_NODE:-}"
    [[ $2 == *allreduce* && ${#nodes[@]} -gt ${STUB_MOST:-100} ]] && exit "${STUB_CODE:-9}"
    while (($#)); do
      [[ $1 == --output ]] && echo "measured on ${STUB_NODE:-}" >"$2"
      shift
    done
    ;;
  export) # 8 MiB on nodes of which lazy ones are slow; ranks of a node count as one (two levels), or STUB_RANKS
    export STUB_RANKS=${STUB_RANKS:-1}
    read -r _ _ nodes <"$2"
    seconds=$(awk -v nodes="$nodes" 'BEGIN { n = split(nodes, all, ","); print (nodes ~ /lazy/ ? 0.02 : 0.01) * (1 - 1 / (n * ENVIRON["STUB_RANKS"])) }')
    echo "FOM micro/allreduce backend=mpi bytes=8M latency $seconds s"
    ;;
  fleet)
    echo "judged: $*"
    while [[ -d ${2:-} ]]; do
      compgen -G "$2/*.h5" >/dev/null || { echo "$2: no result files" >&2; exit 3; }
      folder=$2
      shift
    done
    set -- fleet "${folder%/together}" "$@"
    # Before the pairs: what the nodes are by themselves.
    if [[ -n ${STUB_SLOW:-} && ! -e $2/screening.h5 && $* == *" --hosts "* ]]; then printf 'BAD %s CPU\nSUSPECT n1 CPU\nUNTESTED n9 -\n' "$STUB_SLOW"; fi
    exit "${STUB_VERDICT:-0}"
    ;;
esac
"""


class FleetJob(ScriptTest):
    def setUp(self):
        super().setUp()
        self.tools = self.path("tools")
        os.mkdir(self.tools)
        tool(self.tools, "srun", SRUN)
        tool(self.tools, "scalemark", PROGRAM)
        tool(self.tools, "mpirun", 'if [[ $1 == --version ]]; then exit; fi; while [[ $1 != */scalemark ]]; do shift; done; exec "$@"')

    def environment(self, hosts, **more):
        tool(self.tools, "scontrol", f"printf '%s\\n' {hosts}")
        return {"PATH": f"{self.tools}:{os.environ['PATH']}", "SCALEMARK": os.path.join(self.tools, "scalemark"), "STUB_LOG": self.log,
                "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "any", "SCALEMARK_ROOT": ROOT, **more}

    def job(self, hosts, *arguments, **more):
        return start("bash", os.path.join(SCRIPTS, "fleet.sbatch"), "--output", self.out, *arguments, env=self.environment(hosts, **more))

    def test_each_node_by_itself_then_all_in_pairs(self):
        done = self.job("n1 n2 n3", "--bytes", "1M", SLURM_NTASKS_PER_NODE="4")
        self.expect(done, 0)
        launches = self.launches()
        self.assertEqual(sorted(launches[:3]), [f"n{i} tasks=4 run --preset node --output {self.out}/node-n{i}.h5" for i in (1, 2, 3)])
        carrier = "-a backend=mpi -a memory=host"
        self.assertEqual(launches[3:], [f"n1,n2,n3 tasks=12 run ^micro/allreduce$ -a bytes=8M -a ranks=12 {carrier} --output {self.out}/together/1.h5",
                                        f"n1,n2,n3 tasks=12 run ^micro/bandwidth$ -a pairs=rails -a bytes=1M {carrier} --output {self.out}/screening.h5"])
        self.assertEqual(done.stdout, f"judged: fleet {self.out} {self.out}/together --hosts {self.out}/hosts --failing {self.out}/failing "
                                      f"--only-together {self.out}/only-together\n")
        for name, words in (("fleet.json", f"--format json -o {self.out}/map.html --force"), ("fleet.prom", "--format openmetrics")):
            with open(os.path.join(self.out, name), encoding="ascii") as file:
                self.assertTrue(file.read().endswith(words + "\n"), name)
        with open(f"{self.out}/fleet.txt", encoding="ascii") as table:
            self.assertEqual(table.read(), done.stdout)
        with open(f"{self.out}/fleet.json", encoding="ascii") as text:
            self.assertIn("--format json", text.read())

    def test_peaks_of_the_machine(self):
        peaks = self.path("peaks.toml")
        self.expect(self.job("n1 n2", "--peak", peaks), 2, f"--peak is '{peaks}', which cannot be read")
        with open(peaks, "w", encoding="ascii") as file:
            file.write("[memory]\nhost = 2e11\n")
        self.expect(self.job("n1 n2", "--peak", peaks), 0)
        launches = self.launches()
        for line in launches[:2]:
            self.assertIn(f"run --preset node --peak {peaks} --output ", line)
        self.assertFalse([line for line in launches[2:] if "--peak" in line])

    def test_messages_between_gpus(self):
        self.expect(self.job("n1 n2", "--backend", "nccl"), 0)
        for line in self.launches()[2:]:
            self.assertIn(" -a backend=nccl -a memory=device ", line, "the allreduce and the pairs")

    def knowing(self, switches):
        """A scontrol that knows these switches, and expands lists without brackets."""
        environment = self.environment("")
        tool(self.tools, "scontrol", f"""
            case $2 in
              topology) printf '%s\\n' {switches} ;;
              hostnames) tr , '\\n' <<<"$3" ;;
            esac""")
        return environment | {"SLURM_JOB_NODELIST": "n1,n2,n3"}

    def test_pairs_are_spread_over_the_switches_that_slurm_knows(self):
        leaves = "'SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n1,n2' 'SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n3,n4'"
        top = "'SwitchName=top Level=1 LinkSpeed=1 Nodes=n1,n2,n3,n4 Switches=s1,s2'"
        job = ["bash", os.path.join(SCRIPTS, "fleet.sbatch"), "--output", self.out]
        done = start(*job, env=self.knowing(f"{leaves} {top}"))
        self.expect(done, 0)
        self.assertIn(f" --topology {self.out}/topology --output ", self.launches()[-1])
        self.assertTrue(done.stdout.endswith(f" --topology {self.out}/topology\n"), done.stdout)
        shutil.rmtree(self.out)
        for unknown in ("'SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n1,n2'", "''", "'No topology information available'"):
            done = start(*job, env=self.knowing(unknown))
            self.expect(done, 0)
            self.assertNotIn("--topology", self.launches()[-1] + done.stdout, "a host is missing there")
            shutil.rmtree(self.out)

    def test_nodes_without_a_result_are_named_and_left_out(self):
        done = self.job("n1 hanging failing n2", "--node-limit", 1)
        self.expect(done, 0, "hanging: no result within 1 s", "failing: no result, exit code 9", "Pairs of 2 nodes")
        self.assertTrue(self.launches()[-1].startswith("n1,n2 tasks=2 "), self.launches())
        with open(f"{self.out}/node-failing.log", encoding="ascii") as log:
            self.assertEqual(log.read(), "no such GPU\n")
        with open(f"{self.out}/hosts", encoding="ascii") as hosts:
            self.assertEqual(hosts.read().split(), ["n1", "hanging", "failing", "n2"], "what fleet calls untested")

    def test_slow_nodes_are_measured_again(self):
        done = self.job("n1 n2 n3", STUB_SLOW="n3")
        self.expect(done, 0, "Slow by themselves, measured again: n3 n1", "Pairs of 3 nodes")
        self.assertEqual(sorted(line.rsplit("/", 1)[1] for line in self.launches()[3:5]), ["again-n1.h5", "again-n3.h5"])
        self.assertTrue(self.launches()[-1].startswith("n1,n2,n3 tasks=3 "), self.launches())

    def groups(self):
        """Nodes of the allreduces, in the order of their numbers."""
        numbered = {}
        for line in self.launches():
            if match := re.match(r"(\S+) tasks=\d+ run \^micro/allreduce.*/together/(\d+).h5$", line):
                numbered[int(match[2])] = match[1]
        return [numbered[number] for number in sorted(numbered)]

    def failing(self):
        with open(f"{self.out}/failing", encoding="ascii") as names:
            return names.read().split()

    def test_a_node_that_hangs_with_others_is_found_by_halves(self):
        done = self.job("n1 n2 n3 stuck n5 n6 n7 n8", "--together-limit", 1, STUB_VERDICT="1")
        self.expect(done, 1, "It does not end with: stuck", "An allreduce of n1,n2,n3,stuck does not end within 1 s", "Pairs of 7 nodes")
        self.assertEqual(self.groups(), ["n1,n2,n3,stuck,n5,n6,n7,n8", "n1,n2,n3,stuck", "n5,n6,n7,n8", "n1,n2", "n3,stuck", "n3,n5", "stuck,n6"])
        self.assertEqual(self.failing(), ["stuck"])
        self.assertTrue(self.launches()[-1].startswith("n1,n2,n3,n5,n6,n7,n8 tasks=7 "), self.launches())

    def test_a_node_that_is_slow_with_others_is_found_by_halves(self):
        """Eighths of forty nodes have five; three fast ones are halved beside the slow one."""
        names = [f"n{i}" for i in range(1, 41)]
        names[13] = "lazy"
        self.expect(self.job(" ".join(names)), 0, "Pairs of 40 nodes")
        waves = self.groups()
        self.assertIn("n11,n12,n13,lazy,n15", waves[7:15])
        halved = waves[15:23]
        self.assertEqual(halved[:2], ["n11,n12,n13", "lazy,n15"])
        self.assertEqual([len(group.split(",")) for group in halved], [3, 2] * 4)
        first, second = waves[23:]
        self.assertTrue(first.startswith("lazy,") and second.startswith("n15,"), waves[23:])
        self.assertEqual(self.failing(), [])

    def test_each_of_three_slow_nodes_meets_a_fast_one(self):
        """Quarters of nine nodes have three and two."""
        for place in range(3):
            names = [f"n{i}" for i in range(1, 10)]
            names[place] = "lazy"
            self.out = self.path(f"out-{place}")
            self.expect(self.job(" ".join(names)), 0)
            waves = self.groups()
            self.assertEqual(waves[3], ",".join(names[:3]))
            self.assertEqual([group.split(",")[0] for group in waves[7:]], names[:3])
            self.assertLessEqual({group.split(",")[1] for group in waves[7:]}, set(names[3:]))
            open(self.log, "w", encoding="ascii").close()

    def test_parts_of_unequal_size_are_not_slow(self):
        """Eighths of 23 nodes have three and two: with eight ranks a node, two nodes send 1 / 2 of the bytes or 15 / 16."""
        for ranks in ("1", "8"):
            self.out = self.path(f"out-{ranks}")
            self.expect(self.job(" ".join(f"n{i}" for i in range(1, 24)), SLURM_NTASKS_PER_NODE="8", STUB_RANKS=ranks), 0)
            self.assertEqual(len(self.groups()), 1 + 2 + 4 + 8)
            open(self.log, "w", encoding="ascii").close()

    def test_equal_parts_are_not_halved_further(self):
        self.expect(self.job(" ".join(f"n{i}" for i in range(1, 23))), 0)
        sizes = [len(group.split(",")) for group in self.groups()]
        self.assertEqual(sorted(sizes), sorted([22, 11, 11, 6, 5, 6, 5, 3, 3, 3, 2, 3, 3, 3, 2]))

    def test_the_third_of_three_is_found_by_a_partner(self):
        self.expect(self.job("n1 n2 stuck", "--together-limit", 1), 0, "It does not end with: stuck")
        self.assertEqual(self.groups(), ["n1,n2,stuck", "n1,n2", "stuck", "n1,stuck"])

    def test_a_case_that_fails_is_told_from_one_that_does_not_end(self):
        done = self.job("n1 n2 lame n4", "--backend", "nccl")
        self.expect(done, 0, f"An allreduce of lame,n4 fails, exit code 3 ({self.out}/together/3.log)", "It fails with: lame")
        self.assertNotIn("not end", done.stderr)

    def test_nobody_is_blamed_where_no_two_nodes_communicate(self):
        for hosts in ("n1 n2", "n1 n2 n3", "n1 n2 n3 n4", "n1 n2 n3 n4 n5 n6 n7"):
            self.out = self.path(f"out-{len(hosts)}")
            done = self.job(hosts, STUB_MOST="1")
            self.expect(done, 3, "No pairs are measured")
            self.assertEqual(self.failing(), [])
            self.assertEqual(done.stdout.splitlines()[1:], ["No allreduce of two nodes or more ended well. No node is blamed."])
            with open(f"{self.out}/fleet.txt", encoding="ascii") as table:
                self.assertEqual(table.read(), done.stdout)
            self.assertNotIn("bandwidth", self.launches()[-1])
            self.assertEqual(len(self.groups()), len(set(self.groups())), "no group is tried twice")
            open(self.log, "w", encoding="ascii").close()

    def test_a_skipped_allreduce_did_not_end_well(self):
        """On one rank there is nobody to exchange with; on more, MPI or the nodes lack something."""
        self.expect(self.job("n1 n2 n3 n4", STUB_MOST="1", STUB_CODE="4"), 3, "fails, exit code 4", "No pairs are measured")
        self.out = self.path("single")
        self.expect(self.job("n1 n2 lame n4", STUB_MOST="2", STUB_CODE="4", SLURM_NTASKS_PER_NODE="1"), 0, "It fails with: lame")

    def test_a_bad_node_in_each_pair_of_four(self):
        for hosts in ("n1 lame1 n2 lame2", "n1 lame1 lame2 n2", "lame1 n1 n2 lame2"):
            self.out = self.path("out-" + hosts.replace(" ", "-"))
            self.expect(self.job(hosts), 0, "It fails with: lame1", "It fails with: lame2", "Pairs of 2 nodes")
            self.assertEqual(self.failing(), ["lame1", "lame2"])

    def only_together(self):
        with open(f"{self.out}/only-together", encoding="ascii") as groups:
            return groups.read().splitlines()

    def test_nodes_may_fail_only_together(self):
        done = self.job("n1 n2 n3 n4 n5", STUB_MOST="3")
        self.expect(done, 0)
        self.assertEqual(self.failing(), [])
        self.assertEqual(self.only_together(), ["n1 n2 n3 n4 n5"])
        with open(f"{self.out}/fleet.txt", encoding="ascii") as table:
            self.assertEqual(table.read(), done.stdout)

    def test_a_single_node_meets_nobody(self):
        done = self.job("n1")
        self.expect(done, 0, "Fewer than two nodes are left")
        self.assertEqual(len(self.launches()), 1)
        self.assertIn(f"judged: fleet {self.out} --hosts ", done.stdout, "there are no results in together/")

    def test_too_few_nodes_have_a_result(self):
        self.expect(self.job("n1 failing failing"), 3, "Fewer than two nodes are left")
        self.out = self.path("none")
        done = self.job("failing failing")
        self.expect(done, 3, "no node has a result", "failing: no result, exit code 9")
        self.assertEqual(done.stdout, "")

    @unittest.skipUnless("SCALEMARK_PROGRAM" in os.environ, "SCALEMARK_PROGRAM is not set")
    def test_the_program_judges_nodes_that_never_met(self):
        """MPI never starts in an allreduce, so that there is nothing in together/."""
        tool(self.tools, "scalemark", """
            [[ $1 == run ]] || exec "$SCALEMARK_PROGRAM" "$@"
            [[ $2 == *allreduce* ]] && exit 1
            exec "$SCALEMARK_PROGRAM" run '^micro/stream$' -a bytes=64K -n 3 "${@: -2}"  # the output""")
        here = os.uname().nodename
        for hosts in (f"{here} failing", f"{here} n2 failing"):
            self.out = self.path(f"out-{len(hosts)}")
            done = self.job(hosts)
            self.expect(done, 3)
            self.assertRegex(done.stdout, r"(?m)^UNTESTED +failing +- ")
            self.assertRegex(done.stdout, rf"(?m)^UNTESTED +{re.escape(here)} ")
            self.assertEqual("No allreduce of two nodes" in done.stdout, "n2" in hosts)
            with open(f"{self.out}/fleet.json", encoding="utf-8") as text:
                evidence = {one["host"]: one["evidence"] for one in json.load(text)["hosts"]}
            self.assertEqual(set(evidence), set(hosts.split()))
            self.assertIn(("network", "UNTESTED"), {(one["component"], one["verdict"]) for one in evidence[here]})
            self.assertTrue(os.path.getsize(f"{self.out}/fleet.prom") and os.path.getsize(f"{self.out}/map.html"))

    def test_the_exit_code(self):
        for pairs, verdict, expected in (("0", "1", 1), ("7", "0", 3), ("7", "1", 3), ("0", "4", 4)):
            self.out = self.path(f"out-{pairs}-{verdict}")
            done = self.job("n1 n2", STUB_PAIRS_CODE=pairs, STUB_VERDICT=verdict)
            self.expect(done, expected)
            self.assertEqual("The pairs ended with exit code 7" in done.stderr, pairs == "7")
            self.assertIn("judged: ", done.stdout, "whatever happened to the pairs")

    def test_nodes_are_started_in_groups(self):
        self.expect(self.job("n1 n2 n3 n4 n5", "--at-once", 2), 0)
        started = [re.match(r"(\S+) tasks=1 ", line).group(1) for line in self.launches()[:5]]
        self.assertEqual([sorted(group) for group in (started[:2], started[2:4], started[4:])], [["n1", "n2"], ["n3", "n4"], ["n5"]])

    def test_gpus_without_a_task_are_told_of(self):
        told = "Of the 8 GPUs of a node {} are measured: --ntasks-per-node=8 measures all\n"
        for tasks, is_said in (("4", True), ("8", False)):
            self.out = self.path(f"out-{tasks}")
            done = self.job("n1 n2", "--baseline", __file__, SLURM_NTASKS_PER_NODE=tasks, SLURM_GPUS_ON_NODE="8")
            self.expect(done, 0)
            self.assertEqual(told.format(tasks) in done.stderr, is_said, done.stderr)
            self.assertTrue(done.stdout.endswith(f" --baseline {__file__}\n"), done.stdout)

    def test_what_it_refuses(self):
        self.expect(self.job("n1", "--at-once", 0), 2, "--at-once is '0'")
        self.expect(self.job("n1", "--fast"), 2, "unknown option '--fast'")
        self.expect(self.job("n1", "--topology", self.path("none")), 2, "--topology is ")
        self.expect(self.job("n1", "--baseline", self.path("none")), 2, "--baseline is ")
        self.expect(self.job("n1"), 0)
        self.expect(self.job("n1"), 2, "which has results already")
        self.expect(self.job("n1", "--backend", "gloo"), 2, "--backend is 'gloo'; allowed: mpi, nccl")
        self.expect(start("bash", os.path.join(SCRIPTS, "fleet.sbatch"), cwd=ROOT, env={"SLURM_JOB_ID": ""}), 2, "this is no Slurm job")
        self.assertIn("sbatch -N 64", start("bash", os.path.join(SCRIPTS, "fleet.sbatch"), "--help", cwd=ROOT).stdout)

    def check(self, *arguments, **more):
        return start(os.path.join(SCRIPTS, "node-check.sh"), *arguments, env=self.environment("", **more))

    def test_a_node_is_checked_against_others(self):
        fleet, host = self.path("fleet"), os.uname().nodename
        os.mkdir(fleet)
        self.expect(self.check("--fleet", fleet), 4, "has no node-HOST.h5 of another host")
        for name in ("n1", "n2", host):
            open(os.path.join(fleet, f"node-{name}.h5"), "w", encoding="ascii").close()
        kept = self.path("kept.h5")
        done = self.check("--fleet", fleet, "--output", kept, STUB_VERDICT="1")
        self.expect(done, 1)
        words = done.stdout.split()
        self.assertEqual(sorted(words[2:4]), [f"{fleet}/node-n1.h5", f"{fleet}/node-n2.h5"], "its own older file is not compared with")
        self.assertEqual(words[5:], ["--only", host])
        self.assertFalse(os.path.exists(words[4]), "the measured file is removed")
        self.assertTrue(os.path.exists(kept))
        self.expect(self.check("--fleet", self.path("none")), 2, "which is no folder")
        self.expect(self.check(), 2, "--fleet, --baseline or both are needed")
        self.expect(self.check("--baseline", self.path("none")), 2, "--baseline is ", "which is no file")
        for more, files in (((), 1), (("--fleet", fleet), 3)):
            done = self.check("--baseline", kept, *more)
            self.expect(done, 0)
            words = done.stdout.split()
            self.assertEqual(words[2 + files:], ["--baseline", kept, "--only", host])
        tool(self.tools, "mpirun", "echo broken; exit 5")
        self.expect(self.check("--fleet", fleet), 3, "broken", "no result, exit code 5")
        tool(self.tools, "mpirun", "exec sleep 100")
        self.expect(self.check("--fleet", fleet, "--limit", 1), 3, "no result within 1 s")


if __name__ == "__main__":
    unittest.main()
