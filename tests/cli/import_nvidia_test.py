# SPDX-License-Identifier: Apache-2.0
"""`import` of what nccl-tests and nvbandwidth print."""
import json
import pathlib
import re
import unittest

from harness import rows, run
from converting import NCCL_HEAD, RESULTS, Importing


class NcclTests(Importing):
    FOOT = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 1.5\n#\n"

    def text(self, program, *lines):
        return self.write(NCCL_HEAD.format(program) + "".join(line + "\n" for line in lines) + self.FOOT)

    def test_allreduce(self):
        found = self.take(self.text("all_reduce_perf", "8  2  float  sum  -1  17.08  0.01  0.02  0  16.76  0.03  0.04  0",
                                    "67108864 16777216 float sum -1 1.2e+05 0.56 0.57 0 119999 0.58 0.59 3"))
        base = "micro/allreduce backend=nccl bytes={} {}memory=device ranks=2 timing=pipelined"
        row = found[base.format(8, "")]
        for metric, want in (("latency", 17.08e-6), ("bandwidth", 0.01e9), ("bus_bandwidth", 0.02e9)):
            self.assertAlmostEqual(self.value(row, metric), want, delta=1e-12 * abs(want))
        self.assertAlmostEqual(self.value(found[base.format(8, "in_place=true ")]), 16.76e-6, delta=1e-17)
        self.assertAlmostEqual(self.value(found[base.format(67108864, "")]), 0.12, delta=1e-14)
        self.assertEqual(found[base.format(67108864, "in_place=true ")]["status"], "failed")
        self.assertEqual(row["verified"], {"done": True, "checked": 1, "wrong": 0})

    def test_sizes_are_those_of_osu(self):
        found = self.take(self.text("./build/all_gather_perf", "128 16 float none -1 20.0 1 0.5 0 21.0 1 0.5 N/A"))
        row = found["micro/allgather backend=nccl bytes=64 dtype=fp32 memory=device ranks=2 timing=pipelined"]
        self.assertEqual(row["facts"]["total_bytes"], 128)

    def test_our_own_text_comes_back(self):
        """Every row that `--to nccl` prints is read again, with its key, all of its digits and the ranks of the run."""
        file = RESULTS / "run-1.h5"
        text = run("export", file, "--to", "nccl").stdout
        self.assertTrue(text.startswith("# "))
        self.assertEqual(text, run("show", file, "--format", "nccl").stdout)
        done = run("import", self.write(text), "-o", self.path("out.h5"))
        self.expect(done, 0)
        self.assertEqual(done.stderr, "")
        found, measured = rows(self.path("out.h5")), rows(file)
        wanted = {key: row for key, row in measured.items() if re.match("micro/all(reduce|gather) ", key) and row["status"] == "ok"}
        self.assertEqual(set(found), set(wanted))
        self.assertGreater(len(found), 2)
        for key, row in found.items():
            self.assertEqual(row["facts"]["total_bytes"], wanted[key]["facts"]["total_bytes"])
            self.assertEqual(row["verified"]["wrong"], 0)
        printed = [line for line in text.splitlines() if re.match(r" *\d", line)]
        again = run("show", self.path("out.h5"), "--format", "nccl").stdout
        self.assertEqual([line for line in again.splitlines() if re.match(r" *\d", line)], printed)
        self.assertEqual(len(printed), len(found))  # in_place was not measured
        for broken, said in (("# Parameters of Scalemark: ranks=0", "number of ranks"), ("# Parameters of Scalemark: ranks", "pairs")):
            head = NCCL_HEAD.format("all_gather_perf").replace("#\n# Using", broken + "\n# Using", 1)
            self.take(self.write(head + "8 2 float none -1 1 1 1 0 1 1 1 0\n"), code=3, said=(said,))
        huge = NCCL_HEAD.format("reduce_scatter_perf").replace("#\n# Using", "# Parameters of Scalemark: ranks=99999999\n# Using", 1)
        self.take(self.write(huge + "8 1000000000000000 double sum -1 1 1 1 0 1 1 1 0\n"), code=3, said=("too many",))

    def test_a_hypercube_is_usually_in_place(self):
        found = self.take(self.text("hypercube_perf", "4000 1000 int8 -1 3.00 1.33 0.67 0 4.00 1.00 0.50 0"))
        key = "micro/hypercube backend=nccl bytes=2000 {}memory=device ranks=2 timing=pipelined"
        self.assertEqual({key: self.value(row) for key, row in found.items()}, {key.format("in_place=false "): 3e-6, key.format(""): 4e-6})
        for case, only in (("hypercube", found), ("in_place=false", [key.format("in_place=false ")])):
            shown = run("show", self.path("out.h5"), case, "--format", "nccl").stdout
            self.assertEqual(set(self.take(self.write(shown))), set(only))

    def test_what_was_not_measured_is_no_case(self):
        found = self.take(self.text("all_reduce_perf", "8 2 float sum -1 1.00 0.01 0.02 0 N/A N/A N/A N/A"))
        self.assertEqual(list(found), ["micro/allreduce backend=nccl bytes=8 memory=device ranks=2 timing=pipelined"])

    def test_a_cut_text_is_not_complete(self):
        self.take(self.write(NCCL_HEAD.format("reduce_perf") + "8 2 half max 1 17.08 0 0 0 16.76 0 0 0\n"))
        self.assertIn("op=max", " ".join(rows(self.path("out.h5"))))
        done = run("export", self.path("out.h5"), "--to", "fom")
        self.assertEqual(done.stdout.splitlines()[-1], "RESULT FAIL")

    def test_older_texts_need_the_program_and_tags_of_mpirun_are_taken_off(self):
        lines = NCCL_HEAD.split("\n", 2)[2].replace("#wrong", " error") + "8 2 float sum -1 1.5 0 0 0e+00 1.6 0 0 0e+00\n" + self.FOOT
        tagged = "".join(f"[1,0]<stdout>:{line}\n" for line in lines.splitlines())
        self.take(self.write(tagged), code=3, said=("--program",))
        found = self.take(self.write(tagged), "--program", "all_reduce_perf", "--ranks", 16)
        self.assertIn("micro/allreduce backend=nccl bytes=8 memory=device ranks=16 timing=pipelined", found)

    def test_settings_that_change_what_is_measured(self):
        """-m, -G and -u: of a text's third line; of JSON's config, but for -u, -R and -D."""
        path = self.text("all_reduce_perf", "8  2  float  sum  -1  17.08  0.01  0.02  0  16.76  0.03  0.04  0")
        said = pathlib.Path(path).read_text()
        others = said.replace("agg iters: 1 validation: 1 graph: 0", "agg iters: 4 validation: 1 graph: 2 unalign: 3")
        key = "micro/allreduce aggregate=4 backend=nccl bytes=8 graphs=true {}memory=device ranks=2 timing=pipelined unalign=3"
        found = self.take(self.write(others))
        self.assertEqual(set(found), {key.format(""), key.format("in_place=true ")})
        self.assertEqual({row["facts"]["iterations"] for row in found.values()}, {20})
        result = {"size": 8, "count": 2, "type": "float", "redop": "sum", "root": "-1", "out_of_place": {"time": 17, "alg_bw": 0.5, "bus_bw": 0.7}}
        document = {"args": ["all_reduce_perf", "-m", "4", "-u", "3", "-R", "2"], "config": {"aggregated_iterations": 4, "graph": 2}, "results": [result]}
        self.assertEqual(set(self.take(self.write(json.dumps(document)), "--ranks", 2)),
                         {key.format("").replace("timing", "registration=symmetric timing")})
        for kernel, moved in (("1", "lsa"), ("4", "multimem")):
            document["args"] = ["all_reduce_perf", "-R", "2", "-D", kernel]
            found = self.take(self.write(json.dumps(document)), "--ranks", 2)
            self.assertEqual({row["params"]["device_api"] for row in found.values()}, {moved})

    def test_json(self):
        group = {"time": 17.081234, "alg_bw": 0.5, "bus_bw": 0.75, "nwrong": 0.0}
        result = {"size": 1024, "count": 256, "type": "float", "redop": "sum", "root": "    -1", "out_of_place": group,
                  "in_place": None, "actual_iterations": 20, "experiment_name": "AllReduce", "surprise": 1,
                  "out_of_place_per_iter": {"times_us": [16.5, 18.25, 17.0], "p50_us": 17.0}}
        document = {"version": 1, "args": ["/opt/all_reduce_perf", "-b", "8"], "env": ["TOKEN=s3cret"], "nccl_version": 22803,
                    "config": {"devices": [{"rank": i, "hostname": "n1", "device_info": "NVIDIA H100"} for i in range(4)]},
                    "results": [result], "end_time": "2026-01-01 00:00:00"}
        path = self.write(json.dumps(document), "nccl.json")
        found = self.take(path, said=('"surprise" is not known',))
        row = found["micro/allreduce backend=nccl bytes=1024 memory=device ranks=4 timing=pipelined"]
        self.assertAlmostEqual(self.value(row), 17e-6, delta=1e-17)
        self.assertEqual(row["metrics"]["latency"]["n"], 3)
        self.assertAlmostEqual(self.value(row, "bus_bandwidth"), 0.75e9, delta=1e-3)
        with open(self.path("out.h5"), "rb") as file:
            self.assertNotIn(b"s3cret", file.read())
        result["out_of_place"] = {**group, "time": "fast"}
        self.take(self.write(json.dumps(document), "nccl.json"), code=3, said=("results[0].out_of_place", '"time"'))


class Nvbandwidth(Importing):
    def document(self, *tests, **more):
        return self.write(json.dumps({"nvbandwidth": {"version": "v0.8", "git_version": "v0.8", "CUDA Runtime Version": 13000,
                                                      "Driver Version": "580.95.05", "testcases": list(tests), **more}}))

    def test_matrices(self):
        copy = {"name": "host_to_device_memcpy_ce", "status": "Passed", "sum": 111.0,
                "bandwidth_description": "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
                "bandwidth_matrix": [["55.25", "55.75"]]}
        peers = {"name": "device_to_device_memcpy_read_ce", "status": "Passed", "sum": 700.5,
                 "bandwidth_description": "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)",
                 "bandwidth_matrix": [["N/A", "350"], ["350.5", "N/A"]]}
        latency = {"name": "device_to_device_latency_sm", "status": "Passed", "bandwidth_matrix": [["N/A", "700.5"]],
                   "bandwidth_description": "memory latency SM GPU(row) <-> GPU(column) (ns)"}
        waived = {"name": "multinode_device_to_device_memcpy_read_ce", "status": "Waived"}
        found = self.take(self.document(copy, peers, latency, waived))
        row = found["micro/memcpy direction=h2d host_memory=pinned ranks=1"]
        for metric, want in (("bandwidth", 55.5e9), ("bandwidth_min", 55.25e9), ("total_bandwidth", 111e9)):
            self.assertAlmostEqual(self.value(row, metric), want, delta=1)
        row = found["nvbandwidth/device_to_device_memcpy_read_ce ranks=1"]
        self.assertAlmostEqual(self.value(row, "bandwidth"), 350.25e9, delta=1)
        row = found["nvbandwidth/device_to_device_latency_sm ranks=1"]
        self.assertAlmostEqual(self.value(row), 700.5e-9, delta=1e-18)
        self.assertEqual(row["metrics"]["latency"]["better"], "lower")
        self.assertEqual(found["nvbandwidth/multinode_device_to_device_memcpy_read_ce ranks=1"]["status"], "skipped")

    def test_what_is_wrong_is_named(self):
        good = {"name": "x", "status": "Passed", "bandwidth_matrix": [["1"]]}
        for change, said in (({"bandwidth_matrix": [["fast"]]}, "numbers"), ({"bandwidth_matrix": [1]}, "lists"),
                             ({"bandwidth_matrix": []}, "passed"), ({"name": 7}, '"name"'), ({"name": "y" * 300}, "200 bytes")):
            self.take(self.document({**good, **change}), code=3, said=("testcases[0]", said))
        self.take(self.document(good, good), code=3, said=("occurs twice",))
        self.take(self.document({"name": "x", "status": "Error", "error": "ASSERT failed"}, error="it ended"))
        self.assertEqual(next(iter(rows(self.path("out.h5")).values()))["status"], "failed")


if __name__ == "__main__":
    unittest.main()
