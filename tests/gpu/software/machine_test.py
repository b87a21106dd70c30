# SPDX-License-Identifier: Apache-2.0
"""The software GPU as the GPUs of a machine: addresses, links, and instances that NVML, CUDA and hwloc must agree on."""
import json
import os
import subprocess
import unittest

import h5py

from harness import MPIRUN, SCALEMARK, ProgramTest, rows, run

HERE = os.path.dirname(os.path.abspath(__file__))
RUN = [os.path.join(HERE, "run.sh"), "-b", os.environ["BUILD"]]
COPY = ["run", "^micro/memcpy$", "-a", "bytes=64K", "-a", "direction=h2d", "-a", "host_memory=pinned", "-n", "2", "--force"]
PEER = ["run", "^micro/memcpy$", "-a", "direction=peer", "-a", "host_memory=pageable", "-n", "3", "--force"]
# Addresses of the GPUs and the NUMA nodes nearest to them, as the description of each machine says.
MACHINES = {
    "2xepyc9334-4xh100": (["0000:01:00.0", "0000:41:00.0", "0000:81:00.0", "0000:c1:00.0"], [0, 0, 1, 1]),
    "2xepyc7402-nps4-4xa100": (["0000:03:00.0", "0000:44:00.0", "0000:84:00.0", "0000:c4:00.0"], [3, 1, 7, 5]),
    "4xgh200": (["0009:01:00.0", "0019:01:00.0", "0029:01:00.0", "0039:01:00.0"], [0, 1, 2, 3]),
    "dgx-h100": ([f"0000:{bus}:00.0" for bus in ("1b", "43", "52", "61", "9d", "c3", "d1", "df")], [0, 0, 0, 0, 1, 1, 1, 1]),
    "laptop": ([], []),
}


def of_machine(name):
    return ["-m", os.path.join(HERE, "../../topologies", name + ".xml")]


def instance(device, number):
    return f"MIG-736f6674-7761-7265-2047-50552000{number + 1:02x}{device:02x}"


class Machine(ProgramTest):
    def on_devices(self, where, *command, code=0, **settings):
        done = subprocess.run([*RUN, *where, *command], capture_output=True, text=True, timeout=120, env={**os.environ, **settings}, check=False)
        self.expect(done, code)
        return done

    def info(self, where, **settings):
        return json.loads(self.on_devices(where, SCALEMARK, "info", "--json", **settings).stdout)

    def measure(self, where, ranks, settings=({},)):
        """Each rank with settings of its own; what the file says of the ranks."""
        out = self.path("out.h5")
        parts = []
        for rank in range(ranks):
            own = [word for name, value in settings[rank % len(settings)].items() for word in ("-x", f"{name}={value}")]
            parts += [*([":"] if rank else []), "-n", "1", "--oversubscribe", "--bind-to", "none", *own, SCALEMARK, *COPY, "-o", out]
        done = self.on_devices(where, MPIRUN, *parts, **({"SOFTWARE_GPU_MIG": "2"} if settings[0] else {}))
        with h5py.File(out) as file:
            table = {name: data[()].tolist() for name, data in file["topology/ranks"].items()}
            self.assertEqual([file[f"cases/{case}"].attrs["status"] for case in file["cases"]], [b"ok"])
        return table, done.stderr

    def test_ranks_lie_near_their_devices(self):
        for name, (addresses, nodes) in MACHINES.items():
            found = self.info(of_machine(name))
            self.assertEqual([gpu["pci_bus_id"] for gpu in found["machine"]["gpus"]], addresses, name)
            self.assertEqual(found["machine"]["cuda_devices"], len(addresses), name)
            if addresses:
                self.assertEqual([rank["gpu"] for rank in found["placement"]], list(range(len(addresses))), name)
                self.assertEqual([rank["numa"] for rank in found["placement"]], nodes, name)

    def test_a_run_stores_where_its_ranks_were(self):
        for name in ("4xgh200", "2xepyc7402-nps4-4xa100"):
            addresses, _ = MACHINES[name]
            table, _ = self.measure(of_machine(name), 4)
            self.assertEqual([address.decode() for address in table["gpu_pci"]], addresses)

    def test_the_machine_must_be_there(self):
        done = subprocess.run([*RUN, "-m", "/nowhere.xml", "true"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, "run.sh: -m: /nowhere.xml cannot be read\n"))

    def test_links_between_devices(self):
        def links(count, value):
            return [gpu["nvlink"] for gpu in self.info(["-n", str(count)], SOFTWARE_GPU_NVLINKS=value)["machine"]["gpus"]]
        for count, value in ((2, "18:switch"), (4, "18:peers")):
            for link in links(count, value):
                self.assertEqual(link["source"], "NVLink 18 x 26.562 GB/s, theoretical")
                self.assertAlmostEqual(link["bytes_per_second"], 18 * 26.562e9, delta=1)
        for link in links(1, "18:peers") + links(2, "0:switch"):
            self.assertEqual(link, {"missing": "the GPU has no NVLink that is up"})
        refused = subprocess.run([*RUN, SCALEMARK, "info"], capture_output=True, text=True, timeout=60, check=False,
                                 env={**os.environ, "SOFTWARE_GPU_NVLINKS": "18"})
        self.assertIn("SOFTWARE_GPU_NVLINKS is '18', allowed: N:switch or N:peers", refused.stderr)

    def test_the_matrix_of_paths(self):
        def paths(count, value):
            return self.info(["-n", str(count)], SOFTWARE_GPU_NVLINKS=value)["machine"]["gpu_paths"]
        self.assertEqual(paths(2, "18:switch"), [["X", "NV18"], ["NV18", "X"]])
        self.assertEqual(paths(4, "18:peers"), [["X" if i == j else "NV6" for j in range(4)] for i in range(4)])
        without = paths(2, "0:switch")
        self.assertEqual((without[0][0], without[0][1]), ("X", without[1][0]))
        self.assertNotIn("NV", without[0][1])
        out = self.path("paths.h5")
        self.on_devices(["-n", "2"], SCALEMARK, "run", "micro/memcpy", "-a", "direction=h2d", "-a", "bytes=4096", "-n", "3", "-o", out,
                        SOFTWARE_GPU_NVLINKS="18:switch")
        shown = run("show", out).stdout
        self.assertIn("Paths between GPUs:", shown)
        self.assertIn("  GPU 1   NV18    X", shown)
        with h5py.File(out) as file:
            self.assertEqual(file["env/common"].attrs["gpu_nvlinks"], b"NVLink 18 x 26.562 GB/s, theoretical")

    def test_a_link_to_the_processor(self):
        (gpu,) = self.info([], SOFTWARE_GPU_C2C="1")["machine"]["gpus"]
        self.assertEqual(gpu["host_link"], {"missing": "NVLink-C2C to the CPU, at an unknown rate"})

    def test_ranks_on_instances_of_divided_devices(self):
        own = [{"CUDA_VISIBLE_DEVICES": instance(device, number)} for device, number in ((0, 0), (0, 1), (1, 1))]
        table, messages = self.measure(["-n", "2"], 3, own)
        self.assertEqual([address.decode() for address in table["gpu_pci"]], ["0000:01:00.0", "0000:01:00.0", "0000:02:00.0"])
        self.assertNotIn("CUDA_VISIBLE_DEVICES", messages)

    def test_a_process_sees_one_instance(self):
        for visible in ({}, {"CUDA_VISIBLE_DEVICES": "0,1"}, {"CUDA_VISIBLE_DEVICES": f"{instance(0, 1)},{instance(1, 0)}"}):
            found = self.info(["-n", "2"], SOFTWARE_GPU_MIG="2", **visible)
            self.assertEqual((found["machine"]["cuda_devices"], len(found["machine"]["gpus"])), (1, 2))
            self.assertEqual([rank["gpu"] for rank in found["placement"]], [0, 0])
            self.assertEqual(found["machine"]["gpus"][0]["memory"], {"missing": "the GPU is divided (MIG)"})

    def peers(self, devices, *axes, code=0, **settings):
        out = self.path("peers.h5")
        words = [word for axis in axes for word in ("-a", axis)]
        self.on_devices(["-n", str(devices)], SCALEMARK, *PEER, *words, "-o", out, code=code, **settings)
        return rows(out)

    def test_copies_between_devices(self):
        table = self.peers(3, "bytes=1,4097,1M", "pattern=pair,both_ways,one_to_all,all_to_one,all_pairs", "peer_operation=write,read",
                           "engine=copy_engine,kernel", SOFTWARE_GPU_DELAYS="5:100")
        self.assertEqual(len(table), 3 * 5 * 2 * 2)
        for key, row in table.items():
            self.assertEqual((row["status"], row["verified"]["done"], row["verified"]["wrong"]), ("ok", True, 0), f"{key}: {row['reason']}")
            paths = {"pair": 1, "both_ways": 2, "one_to_all": 2, "all_to_one": 2, "all_pairs": 6}[row["params"].get("pattern", "pair")]
            # Before the samples and after them.
            self.assertEqual(row["verified"]["checked"], 2 * row["params"]["bytes"] * paths, key)
            self.assertIn("event_time", row["metrics"], key)

    def test_access_between_devices_may_be_refused(self):
        table = self.peers(2, "bytes=4K", "pattern=pair,all_pairs", "peer_access=true,false", SOFTWARE_GPU_NO_PEERS="1")
        self.assertEqual({(row["params"].get("peer_access", True), row["status"], row["reason"]) for row in table.values()},
                         {(True, "skipped", "GPU 0 cannot access the memory of GPU 1"), (False, "ok", "")})
        for row in table.values():
            self.assertNotIn("event_time", row["metrics"], "the host takes part")
        (row,) = self.peers(1, "bytes=4K", "pattern=pair", code=4).values()
        self.assertEqual((row["status"], row["reason"]), ("skipped", "needs two GPUs in one process, 1 is visible"))

    def test_a_device_that_breaks_down_beside_another_fails_its_case(self):
        for number in ("60", "200"):
            (row,) = self.peers(2, "bytes=4K", "pattern=pair", code=3, SOFTWARE_GPU_FAIL_CALL=number).values()
            self.assertEqual(row["status"], "failed", number)
            self.assertIn("rank 0: CUDA cudaErrorIllegalAddress", row["reason"])

    def test_a_slow_link_is_named(self):
        for _ in range(5):  # something else on the machine may slow other pairs down, so that more are named, or none
            (row,) = self.peers(4, "bytes=4K", "pattern=all_pairs", SOFTWARE_GPU_SLOW_LINK="1-3:20000").values()
            if "slow_link" in row and row["slow_link"]["slow"] == 2:
                break
        self.assertIn("slow_link", row)
        self.assertEqual({row["slow_link"]["from"], row["slow_link"]["to"]}, {1, 3})
        self.assertEqual((row["slow_link"]["slow"], row["slow_link"]["pairs"]), (2, 12))
        self.assertGreater(row["slow_link"]["factor"], 2)
        self.assertRegex(run("show", self.path("peers.h5")).stdout, "GPU [13] to GPU [13] takes .* times as long as the median of 12 pairs")

    def latencies(self, devices, *axes, code=0, **settings):
        out = self.path("latencies.h5")
        words = [word for axis in axes for word in ("-a", axis)]
        self.on_devices(["-n", str(devices)], SCALEMARK, "run", "^micro/memory_latency$", "-a", "device=cuda", *words, "-n", "3", "--force",
                        "-o", out, code=code, **settings)
        return rows(out)

    def pairs(self, file):
        """Table `pairs` of each case, by key."""
        with h5py.File(self.path(file)) as opened:
            return {case.attrs["key"].decode(): {name: data[()].tolist() for name, data in opened["pairs"][number].items()}
                    for number, case in opened["cases"].items()}

    def test_loads_of_every_memory(self):
        table = self.latencies(3, "bytes=64,4K,1M", "place=host,device,peer", "host_memory=pageable,pinned", SOFTWARE_GPU_DELAYS="5:100")
        self.assertEqual({(row["params"].get("place", "host"), row["params"].get("host_memory", "pageable")) for row in table.values()},
                         {("host", "pinned"), ("device", "pageable"), ("peer", "pageable")})
        self.assertEqual(len(table), 9)
        for key, row in table.items():
            self.assertEqual((row["status"], row["verified"]["wrong"]), ("ok", 0), f"{key}: {row['reason']}")
            self.assertEqual(row["verified"]["checked"], 2 * (6 if row["params"].get("place") == "peer" else 1), key)
            self.assertEqual(row["facts"]["discarded_samples"], 0, key)

    def test_loads_by_pairs(self):
        """Pair 2-1 is slow both ways. A kernel of 4,000 loads waits at least 40 ms, so a load 10 us."""
        (row,) = self.latencies(4, "bytes=4K", "place=peer", SOFTWARE_GPU_SLOW_LINK="2-1:40000").values()
        self.assertGreaterEqual(row["metrics"]["load_latency"]["median"], 9.99e-6)
        self.assertEqual({row["slow_link"]["from"], row["slow_link"]["to"]}, {1, 2})
        (pairs,) = self.pairs("latencies.h5").values()
        ordered = sorted(zip(pairs["latency"], pairs["from_gpu"], pairs["to_gpu"]))
        self.assertEqual(len(ordered), 12)
        self.assertEqual({one[1:] for one in ordered[-2:]}, {(1, 2), (2, 1)})
        self.assertGreaterEqual(ordered[-2][0], 9.99e-6)
        # The same numbers, in nanoseconds and by nvbandwidth's rule: a row is the GPU that loads.
        shown = run("show", self.path("latencies.h5"), "--format", "nvbandwidth").stdout
        (test,) = json.loads(shown)["nvbandwidth"]["testcases"]
        self.assertEqual((test["name"], test["status"]), ("device_to_device_latency_sm", "Passed"))
        for memory, gpu, latency in zip(pairs["from_gpu"], pairs["to_gpu"], pairs["latency"]):
            self.assertAlmostEqual(float(test["bandwidth_matrix"][gpu][memory]) / (latency * 1e9), 1, delta=1e-9)
        self.assertEqual([test["bandwidth_matrix"][gpu][gpu] for gpu in range(4)], ["N/A"] * 4)

    def test_pairs_have_the_names_of_nvbandwidth(self):
        table = self.peers(3, "bytes=64K", "pattern=all_pairs", "peer_operation=write,read", "engine=copy_engine,kernel")
        self.assertEqual(len(table), 4)
        tests = json.loads(run("show", self.path("peers.h5"), "--format", "nvbandwidth").stdout)["nvbandwidth"]["testcases"]
        self.assertEqual({one["name"] for one in tests},
                         {f"device_to_device_memcpy_{what}_{how}" for what in ("read", "write") for how in ("ce", "sm")})
        stored = self.pairs("peers.h5")
        for one in tests:
            pairs = stored[one["scalemark_key"]]
            for source, target, rate in zip(pairs["from_gpu"], pairs["to_gpu"], pairs["event_bandwidth"]):
                row, column = (target, source) if "read" in one["name"] else (source, target)
                self.assertAlmostEqual(float(one["bandwidth_matrix"][row][column]) * 1e9 / rate, 1, delta=1e-9)

    def test_a_gpu_without_peers_has_no_latency_of_them(self):
        (row,) = self.latencies(1, "bytes=4K", "place=peer", code=4).values()
        self.assertEqual((row["status"], row["reason"]), ("skipped", "needs two GPUs in one process, 1 is visible"))
        (row,) = self.latencies(2, "bytes=4K", "place=peer", code=4, SOFTWARE_GPU_NO_PEERS="1").values()
        self.assertEqual((row["status"], row["reason"]), ("skipped", "GPU 0 cannot access the memory of GPU 1"))


if __name__ == "__main__":
    unittest.main()
