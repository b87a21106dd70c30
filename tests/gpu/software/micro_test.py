# SPDX-License-Identifier: Apache-2.0
"""Device benchmarks of the micro suite on the software GPU: each copies, launches and waits rightly, and faults stay in their case."""
import os
import subprocess
import unittest

import h5py

from harness import SCALEMARK, ProgramTest, rows, run

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.sh")
LIBRARIES = {"LD_LIBRARY_PATH": os.environ["SOFTWARE_GPU_LIBRARIES"], "SOFTWARE_GPU_DEVICES": "2"}
KINDS = "pageable,pinned,registered,write_combined,managed,huge_pages"
COPIES = ["^micro/memcpy$", "-a", "direction=h2h,h2d,d2h,d2d,bidirectional", "-a", f"host_memory={KINDS}",
          "-a", "engine=copy_engine,kernel"]
CALLS = ["^micro/(kernel_launch|event|memory_registration)$", "-a", "micro/memory_registration:bytes=4097,1M",
         "-a", "micro/kernel_launch:streams=1,4", "-a", "micro/event:timing=true,false"]
STREAM = ["^micro/stream$", "-a", "device=cuda", "-a", "bytes=8,100000", "-a", "dtype=fp64,fp32"]
PRODUCTS = ["^micro/gemm$", "-a", "device=cuda", "-a", "rows=32", "-a", "precision=fp64,fp32,tf32,bf16,fp16,fp8", "-a",
            "fast_accumulation=false,true"]
FEW = ["^micro/(memcpy|event)$", "-a", "micro/memcpy:bytes=1M", "-a", "direction=h2d,d2h", "-a", "host_memory=pinned",
       "-a", "operation=record,elapsed"]

COLLECTIVES = ["^micro/(allreduce|allgather|alltoall|broadcast|latency)$", "-a", "backend=nccl", "-a", "memory=device", "-a", "bytes=8,64K"]
HYPERCUBE = ["^micro/hypercube$", "-a", "backend=nccl", "-a", "memory=device", "-a", "bytes=8,4097"]
TOGETHER = ["^micro/(allreduce|alltoall|broadcast)$", "-a", "backend=nccl", "-a", "memory=device", "-a", "bytes=4097", "-a", "graphs=false,true",
            "-a", "ranks=2", "-a", "aggregate=3", "-a", "unalign=0,1", "-a", "in_place=false,true", "-a", "buffers=2"]
PIPELINED = ["^micro/allreduce$", "-a", "backend=nccl", "-a", "memory=device", "-a", "bytes=8,64K", "-a", "graphs=false,true", "-a",
             "timing=single,pipelined"]


class Micro(ProgramTest):
    def measure(self, what, ranks, code=0, warmup=("--warmup", "1"), **settings):
        out = self.path("out.h5")
        done = run("run", *what, "-n", "3", *warmup, "-o", out, "--force", ranks=ranks, timeout=280, env={**LIBRARIES, **settings})
        self.expect(done, code)
        return rows(out)

    def expect_ok(self, what, ranks, **settings):
        table = self.measure(what, ranks, **settings)
        for key, row in table.items():
            if row["params"].get("host_memory") in ("huge_pages", "locked") and row["status"] == "skipped":
                continue
            self.assertEqual(row["status"], "ok", f"{key}: {row['reason']}")
            if row["verified"]["done"]:
                self.assertEqual(row["verified"]["wrong"], 0, key)
        return table

    def test_copies(self):
        for ranks, size in ((1, "1M"), (2, "4097")):
            table = self.expect_ok([*COPIES, "-a", f"bytes={size}"], ranks)
            self.assertEqual({row["params"]["direction"] for row in table.values() if row["status"] == "ok"},
                             {"h2h", "h2d", "d2h", "d2d", "bidirectional"})
            self.assertTrue(all(row["verified"]["done"] for row in table.values() if row["status"] == "ok"))

    def test_copies_with_delays(self):
        self.expect_ok(FEW, 2, SOFTWARE_GPU_DELAYS="7:300")

    def test_calls(self):
        self.expect_ok(CALLS, 1)
        self.expect_ok([*CALLS, "-a", "micro/kernel_launch:graph_nodes=0,10"], 2)

    def test_operations_of_one_group(self):
        table = self.expect_ok(TOGETHER, 2)
        # No all-to-all in place.
        self.assertEqual(len(table), 3 * 2 * 2 * 2 - 2 * 2)
        self.assertTrue(all(row["verified"]["done"] for row in table.values()))

    def test_sums_of_fp8(self):
        # The software GPU adds by CUDA's own conversions.
        what = ["^micro/(allreduce|reduce_scatter|alltoall)$", "-a", "backend=nccl", "-a", "memory=device", "-a", "bytes=4100", "-a",
                "dtype=fp8_e4m3,fp8_e5m2"]
        every = [*what, *(text for name in ("allreduce", "reduce_scatter") for text in ("-a", f"micro/{name}:op=sum,prod,min,max,avg"))]
        for ranks in (2, 3):
            table = self.expect_ok([*every, "-a", f"ranks={ranks}"], ranks, SOFTWARE_GPU_DEVICES="3")
            self.assertEqual(len(table), 2 * (2 * 5 + 1))
            self.assertTrue(all(row["verified"]["done"] for row in table.values()))
        table = self.measure([*what, "-a", "ranks=2"], 2, SOFTWARE_GPU_COMPUTE_CAPABILITY="8")
        self.assertEqual({row["name"]: row["reason"] for row in table.values()},
                         {"micro/alltoall": "", **{f"micro/{name}": "NCCL reduces fp8 on GPUs of compute capability 9.0 and higher"
                                                   for name in ("allreduce", "reduce_scatter")}})

    def test_hypercube(self):
        for ranks in (2, 4):
            table = self.expect_ok([*HYPERCUBE, "-a", f"ranks={ranks}"], ranks, SOFTWARE_GPU_DEVICES="4")
            self.assertEqual([row["verified"]["done"] for row in table.values()], [True, True])

    def test_registered_memory(self):
        what = ["^micro/(allreduce|gather|reduce|allgatherv|reduce_scatter)$", "-a", "backend=nccl", "-a", "memory=device", "-a", "bytes=4100",
                "-a", "ranks=2", "-a", "in_place=false,true", "-a", "root=1"]
        table = self.expect_ok([*what, "-a", "registration=local,symmetric", "-a", "unalign=0,1"], 2)
        self.assertEqual(len(table), 5 * 2 * 2 * 2)
        self.assertTrue(all(row["verified"]["done"] for row in table.values()))
        table = self.measure([*what, "-a", "registration=symmetric"], 2, code=4, SOFTWARE_GPU_NCCL_SYMMETRIC="0")
        self.assertEqual({(row["status"], row["reason"]) for row in table.values()},
                         {("skipped", "NCCL has no symmetric memory on these GPUs")})

    def test_kernels_over_the_device_api(self):
        """Also buffers that are not aligned, elements behind the last 16 bytes, ranks without a share, threads with many, and graphs."""
        what = ["-a", "backend=nccl", "-a", "memory=device", "-a", "registration=symmetric", "-a", "device_api=lsa"]
        sums = ["^micro/allreduce$", *what, "-a", "bytes=4,1100004", "-a", "unalign=0,1", "-a"]
        for ranks, case, cases in ((2, [*sums, "in_place=false,true", "-a", "graphs=false,true"], 2 * 2 * 2 * 2),
                                   (3, [*sums, "dtype=fp32,fp16,bf16"], 2 * 2 * 3),
                                   (3, ["^micro/alltoall$", *what, "-a", "bytes=1,4099,600000", "-a", "unalign=0,1"], 3 * 2)):
            table = self.expect_ok([*case, "-a", f"ranks={ranks}"], ranks, SOFTWARE_GPU_DEVICES="3")
            self.assertEqual(len(table), cases)
            self.assertTrue(all(row["verified"]["done"] for row in table.values()))
        one = ["^micro/allreduce$", *what, "-a", "bytes=4100", "-a", "ranks=2"]

        def reason(*options, **how):
            return {row["reason"] for row in self.measure([*one, *options], 2, code=4, **how).values()}

        self.assertEqual(reason("-a", "device_api=multimem"), {"these GPUs have no switch that adds (multimem)"})
        self.assertEqual(reason(SOFTWARE_GPU_NCCL_REACH="1"), {"GPUs load and store in the memory of 1 of 2 ranks only"})
        self.assertEqual(reason(SOFTWARE_GPU_NCCL_VERSION="23007").pop().split(", ")[1], "not 2.30.7")

    def test_congestion(self):
        table = self.expect_ok(["^micro/congestion$", "-a", "backend=nccl", "-a", "memory=device", "-a", "bytes=8", "-a", "congestor=incast,alltoall",
                                "-a", "victim=ring,allreduce"], 4, SOFTWARE_GPU_DEVICES="4")
        self.assertEqual(len(table), 4)
        self.assertTrue(all(row["verified"]["done"] for row in table.values()))

    def test_computations_begin_when_the_clock_has_settled(self):
        product = ["^micro/gemm$", "-a", "device=cuda", "-a", "rows=16", "-a", "precision=fp32"]

        def seconds_of_warm_up(**options):
            self.measure(product, 2, **options)
            with h5py.File(self.path("out.h5")) as file:
                phases = file["phases/000000"]
                names = [name.decode() for name in phases["phase"][()]]
                begins = list(phases["t"][()])
                at = names.index("warm-up")
                return (begins[at + 1] - begins[at]) * 1e-9

        self.assertGreater(seconds_of_warm_up(warmup=()), 10 * seconds_of_warm_up())

    def test_stream(self):
        for ranks in (1, 2):
            table = self.expect_ok(STREAM, ranks)
            self.assertTrue(all(row["verified"]["done"] for row in table.values()))

    def test_products(self):
        for ranks, delays in ((1, {}), (2, {"SOFTWARE_GPU_DELAYS": "3:300"})):
            table = self.expect_ok(PRODUCTS, ranks, **delays)
            self.assertEqual(len(table), 7)
            for key, row in table.items():
                self.assertEqual((row["verified"]["done"], row["facts"]["algorithms"]), (True, 3), key)
                self.assertEqual(row["facts"]["timed_data"], "normal numbers")
                self.assertLess(row["metrics"]["issue_time"]["median"], row["metrics"]["time"]["median"], key)
                self.assertGreater(row["metrics"]["event_time"]["median"], 0, key)
                self.assertNotIn("waits_for_gpu", row["facts"])

    def test_products_of_gradients_and_of_whole_numbers(self):
        what = ["^micro/gemm$", "-a", "device=cuda", "-a", "shape=key_value", "-a", "model=tiny", "-a", "rows=16", "-a",
                "product=forward,input_gradient,weight_gradient", "-a", "precision=fp64,fp8"]
        table = self.expect_ok(what, 1)
        self.assertEqual(len(table), 4, "fp8 has no gradients")
        sizes = {(row["params"]["product"], row["facts"]["m"], row["facts"]["n"], row["facts"]["k"]) for row in table.values()}
        self.assertEqual(sizes, {("forward", 16, 64, 256), ("input_gradient", 16, 256, 64), ("weight_gradient", 64, 256, 16)})
        self.assertTrue(all(row["verified"]["done"] for row in table.values()))
        (row,) = self.expect_ok([*PRODUCTS[:3], "-a", "rows=16", "-a", "precision=fp32", "-a", "data=whole_numbers"], 1).values()
        self.assertEqual(row["facts"]["timed_data"], "whole numbers from -3 to 3")

    def test_products_of_a_batch(self):
        what = ["^micro/gemm$", "-a", "device=cuda", "-a", "shape=key_value", "-a", "model=tiny", "-a", "rows=16", "-a", "batch=2,3,16", "-a",
                "product=forward,input_gradient,weight_gradient", "-a", "precision=fp64,bf16,fp8"]
        table = self.expect_ok(what, 1)
        self.assertEqual(len(table), 8, "two products in two precisions; 16 rows are not three parts")
        self.assertTrue(all(row["verified"]["done"] for row in table.values()))

    def test_products_of_fp4(self):
        what = ["^micro/gemm$", "-a", "device=cuda", "-a", "precision=fp4", "-a"]
        table = self.expect_ok([*what, "rows=32,96,160"], 1, SOFTWARE_GPU_COMPUTE_CAPABILITY="10")
        self.assertEqual([row["verified"]["done"] for row in table.values()], [True] * 3)
        table = self.measure([*what, "rows=32,40"], 1, SOFTWARE_GPU_COMPUTE_CAPABILITY="10")
        self.assertEqual([row["reason"] for row in table.values()], ["", "cuBLASLt multiplies fp4 where k is a multiple of 32, not 40"])
        (row,) = self.measure([*what, "rows=32"], 1, code=4).values()
        self.assertEqual(row["reason"], "cuBLASLt has no fp4 product for this GPU")

    def test_the_fastest_shape(self):
        (row,) = self.expect_ok(["^micro/gemm$", "-a", "device=cuda", "-a", "shape=best", "-a", "rows=16", "-a", "precision=fp32"], 2).values()
        self.assertEqual(row["facts"]["shapes_tried"], 27)
        self.assertLessEqual({row["facts"][name] for name in "mnk"}, {4, 8, 16})
        self.assertGreater(row["facts"]["square_fraction"], 0)
        self.assertLessEqual(row["facts"]["square_fraction"], 1)
        what = ["^micro/gemm$", "-a", "device=cuda", "-a", "shape=best", "-a", "rows=64", "-a", "precision=fp4"]
        (row,) = self.expect_ok(what, 1, SOFTWARE_GPU_COMPUTE_CAPABILITY="10").values()
        self.assertEqual(row["facts"]["shapes_tried"], 18, "cuBLASLt has none whose k is 16")

    def test_products_that_the_library_does_not_have(self):
        table = self.measure(PRODUCTS, 1, SOFTWARE_GPU_NO_FP8="1")
        self.assertEqual({row["params"]["precision"]: (row["status"], row["reason"]) for row in table.values() if row["status"] != "ok"},
                         {"fp8": ("skipped", "cuBLASLt has no fp8 product for this GPU")})

    def test_algorithms_that_do_not_run_are_passed_over(self):
        self.expect_ok(PRODUCTS[:5], 1, SOFTWARE_GPU_BAD_ALGORITHMS="2")
        (row,) = self.measure([*PRODUCTS[:5], "-a", "precision=fp32"], 1, code=3, SOFTWARE_GPU_BAD_ALGORITHMS="3").values()
        self.assertEqual((row["status"], row["reason"]), ("failed", "rank 0: cuBLASLt: none of its algorithms ran"))

    def test_a_product_that_fails_fails_its_case(self):
        """Three algorithms are tried four times each; the next product is the first call of the first case."""
        table = self.measure(PRODUCTS, 1, code=3, SOFTWARE_GPU_FAIL_PRODUCT="13")
        self.assertEqual(sorted(row["status"] for row in table.values()), ["failed"] + ["ok"] * 6)
        self.assertIn("cuBLASLt: the function failed to launch", next(row["reason"] for row in table.values() if row["status"] == "failed"))

    def device_readings(self, column):
        with h5py.File(self.path("out.h5")) as file:
            return [set(case[column][()].tolist()) for case in file["telemetry/gpu"].values()]

    def test_telemetry_of_the_devices(self):
        self.expect_ok([*PRODUCTS[:5], "-a", "precision=fp32"], 2)
        self.assertEqual(self.device_readings("device"), [{b"0000:01:00.0", b"0000:02:00.0"}])
        self.assertEqual((self.device_readings("sm_clock"), self.device_readings("power")), ([{1980e6}], [{400}]))

    def test_samples_of_a_device_that_is_too_hot_are_marked(self):
        out = self.path("out.h5")
        self.expect(run("run", *PRODUCTS[:5], "-a", "precision=fp32", "--ci", "0.001", "--max-time", "1", "--telemetry", "0.1", "-o", out,
                        env={**LIBRARIES, "SOFTWARE_GPU_CLOCK_REASONS": "64"}), 0)
        self.assertEqual(self.device_readings("sm_clock"), [{990e6}])
        with h5py.File(out) as file:
            flags = file["cases/000000/metrics/time/flags"][()]
        self.assertGreater((flags & 1).sum(), 0, "throttled")

    def test_without_nvml_there_is_no_telemetry_of_devices(self):
        self.expect_ok([*PRODUCTS[:5], "-a", "precision=fp32"], 1, SOFTWARE_GPU_NO_NVML="1")
        with h5py.File(self.path("out.h5")) as file:
            self.assertNotIn("gpu", file["telemetry"])

    def test_collectives(self):
        for what in (COLLECTIVES, PIPELINED):
            table = self.expect_ok(what, 2)
            self.assertTrue(all(row["verified"]["done"] for row in table.values()))
            for key, row in table.items():
                is_predicted = row["params"]["ranks"] > 1 and row["name"].removeprefix("micro/") in ("allreduce", "allgather", "broadcast")
                self.assertEqual("library_prediction" in row["metrics"], is_predicted, key)
                if is_predicted:  # 5 us and 1 ns a byte, as this NCCL says
                    self.assertAlmostEqual(row["metrics"]["library_prediction"]["median"], 5e-6 + 1e-9 * row["params"]["bytes"], 9)

    def expect_one_failure(self, what, reason, **settings):
        """One rank fails while the other waits for it in NCCL or in a barrier: its case fails with that rank's reason, the others run."""
        table = self.measure([*what, "--timeout", "60"], 2, code=3, **settings)
        failed = [row for row in table.values() if row["status"] != "ok"]
        self.assertEqual([row["status"] for row in failed], ["failed"], settings)
        self.assertIn(reason, failed[0]["reason"])
        return next(key for key, row in table.items() if row["status"] != "ok")

    def test_a_call_of_nccl_fails_on_one_rank(self):
        failed = {self.expect_one_failure(PIPELINED, f"rank {rank}: NCCL: invalid argument", SOFTWARE_GPU_FAULT_RANK=str(rank),
                                          SOFTWARE_GPU_NCCL_FAIL_CALL=f"{number}:4")
                  for rank, number in ((0, 20), (1, 250))}
        self.assertGreater(len(failed), 1, "in several cases")

    def test_an_operation_of_nccl_fails_on_one_rank(self):
        for rank, number in ((0, 5), (1, 250)):
            self.expect_one_failure(PIPELINED, f"rank {rank}: NCCL: unhandled system error", SOFTWARE_GPU_FAULT_RANK=str(rank),
                                    SOFTWARE_GPU_NCCL_FAIL_WORK=f"{number}:2")

    def test_one_allocation_fails(self):
        table = self.measure(FEW, 2, SOFTWARE_GPU_FAIL_ALLOCATION="2", SOFTWARE_GPU_FAULT_RANK="1")
        states = sorted(row["status"] for row in table.values())
        self.assertEqual(states, ["ok", "ok", "ok", "oom"])
        reasons = [row["reason"] for row in table.values() if row["status"] == "oom"]
        self.assertIn("rank 1: CUDA cudaErrorMemoryAllocation: out of memory", reasons[0])

    def test_a_broken_device_fails_all_later_cases(self):
        table = self.measure(FEW, 2, code=3, SOFTWARE_GPU_FAIL_CALL="100", SOFTWARE_GPU_FAULT_RANK="1")
        self.assertIn("failed", {row["status"] for row in table.values()})
        for row in table.values():
            if row["status"] != "ok":
                self.assertIn("rank 1: CUDA cudaErrorIllegalAddress", row["reason"])

    def test_why_there_is_none(self):
        for reason, settings in {"is older than this build's runtime": {"SOFTWARE_GPU_OLD_DRIVER": "1"},
                                 "no CUDA device": {"CUDA_VISIBLE_DEVICES": ""}}.items():
            table = self.measure(FEW, 2, code=4, **settings)
            for row in table.values():
                self.assertEqual(row["status"], "skipped")
                self.assertIn(reason, row["reason"])

    def test_its_times_are_not_compared(self):
        self.expect_ok(FEW, 1)
        file, page = self.path("out.h5"), self.path("page.html")
        for words in (["compare", file, "--against", file], ["report", file, "-o", page], ["export", file, "--to", "csv"],
                      ["baseline", file, "-o", self.path("baseline.h5")]):
            done = run(*words)
            self.expect(done, 3)
            self.assertIn("was measured on the software GPU of the tests; its times mean nothing", done.stderr)
        self.assertFalse(os.path.exists(page))
        done = run("show", file)
        self.expect(done, 0)
        self.assertIn("software GPU", done.stderr)

    def test_no_code_for_this_gpu_is_no_failure(self):
        table = self.measure(["^micro/(stream|kernel_launch)$", "-a", "device=cuda", "-a", "bytes=4096", "-a", "graph_nodes=0,10"], 1, code=4,
                             SOFTWARE_GPU_NO_KERNEL_IMAGE="1")
        for key, row in table.items():
            self.assertEqual(row["status"], "skipped", key)
            self.assertIn("no kernel image is available", row["reason"])

    def devices(self, count, **settings):
        done = subprocess.run([RUN, "-n", str(count), "-b", os.environ["BUILD"], SCALEMARK, "info"], capture_output=True, text=True,
                              timeout=60, env={**os.environ, **settings}, check=True)
        return [line.split(": ")[1] for line in done.stdout.splitlines() if "CUDA devices: " in line]

    def test_visible_devices(self):
        self.assertEqual(self.devices(8), ["8"])
        self.assertEqual(self.devices(8, CUDA_VISIBLE_DEVICES="7,1"), ["2"])
        self.assertEqual(self.devices(8, CUDA_VISIBLE_DEVICES="3,-1,4"), ["1"], "the list ends before a number that is none")
        self.assertEqual(self.devices(8, CUDA_VISIBLE_DEVICES="GPU-736f6674-7761-7265-2047-505520000002"), ["1"])

    def test_the_script_refuses(self):
        for words, text in {("-n", "9", "true"): "allowed: 0 to 8", (): "a command is missing", ("-b", "/nowhere", "true"): "libcudart.so.13"}.items():
            done = subprocess.run([RUN, *words], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
