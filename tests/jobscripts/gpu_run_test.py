# SPDX-License-Identifier: Apache-2.0
"""tests/gpu/run.sh with a stub bundle and a stub nvidia-smi: steps, verdicts, what is left behind, going on. The arguments of
every measurement are planned by the real program."""
import json
import os
import shlex
import sys
import tarfile
import unittest

from support import ROOT, ScriptTest, start

RUN = os.path.join(ROOT, "tests", "gpu", "run.sh")
sys.path.insert(0, os.path.join(ROOT, "tests", "gpu"))
import verdicts  # noqa: E402


class GpuRun(ScriptTest):
    def setUp(self):
        super().setUp()
        self.bundle = self.path("bundle")
        for folder in ("tests", "golden", "bin"):
            os.makedirs(os.path.join(self.bundle, folder))
        self.write("bundle/VERSION", "stub\n")
        self.write("bundle/golden/one.json", "{}")
        # The launcher: notes what it starts, and does what files named after it say.
        self.write("bundle/run.sh", f'#!/bin/bash\necho "${{@@Q}}" >>{self.log}\ncase "$*" in\n'
                   f'  *"$(cat {self.path("failing")})"*) exit 6 ;;\n'
                   f'  *"$(cat {self.path("slow")})"*) sleep 30 ;;\n'
                   '  *tests/wants_8_gpus*) exit 77 ;;\n'
                   f'  *--probe*) exit "$(cat {self.path("probe")})" ;;\n'
                   f'  *--explain*rows-*) cat {self.path("explanation")} ;;\n'
                   f'  *--explain*) cat {self.path("commands")} >&2; [[ ! -s {self.path("commands")} ]] || exit 4 ;;\n'
                   f'  *" show "*) cat {self.path("shown")} ;;\n'
                   '  *--output*) cat >/dev/null; echo stub >"${@: -1}" ;;\nesac\n', 0o755)
        self.write("bin/nvidia-smi", '#!/bin/bash\ncase "$*" in *query-gpu*) echo "NVIDIA H200" ;; *) echo "GPU 0: a"; echo "GPU 1: b" ;; '
                   'esac\n', 0o755)
        self.write("bundle/tests/list", "gpu.one\tSCALEMARK_EXPECT_RANKS=1\tmpirun\t-n\t1\ttests/one\n"
                   "gpu.eight\tmpirun\t-n\t8\ttests/wants_8_gpus\n")
        for name in ("failing", "slow"):
            self.write(name, "nothing of this kind")
        self.write("probe", "4")
        self.write("shown", "")
        self.write("commands", "")
        self.write("explanation", "[]")

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def run_script(self, *arguments):
        return start(RUN, self.bundle, "--out", self.out, "--state", self.path("state"), *arguments,
                     env={"PATH": self.path("bin") + ":" + os.environ["PATH"]})

    def launches(self):
        return [" ".join(shlex.split(line)) for line in super().launches()]

    def verdict(self, step):
        with open(self.path("state", step + ".step"), encoding="ascii") as file:
            return file.read().split(",")[0]

    def table(self, part):
        with open(os.path.join(self.out, f"part-{part}.txt"), encoding="utf-8") as file:
            return file.read()

    def test_a_part_leaves_an_archive_and_a_table(self):
        self.expect(self.run_script("--part", "ab", "--libtorch", "/torch"), 0)
        self.assertEqual(self.files(), ["part-a.tar.gz", "part-a.txt", "part-b.tar.gz", "part-b.txt"])
        self.assertEqual([self.verdict("a/" + name) for name in ("machine", "gpu.one", "gpu.eight", "numbers", "device-memory")],
                         ["ok", "ok", "skipped", "ok", "skipped"])
        self.assertRegex(self.table("a"), r"gpu\.eight +skipped, \d+ s")
        self.assertRegex(self.table("b"), r"copies +ok")
        self.assertRegex(self.table("b"), r"memcpy h2d pinned 512 MiB +- +- +- +missing")
        with tarfile.open(os.path.join(self.out, "part-b.tar.gz")) as archive:
            self.assertLessEqual({"b/copies.h5", "b/copies.log", "b/verdicts.txt"}, set(archive.getnames()))
        measured = [line for line in self.launches() if "--output" in line]
        self.assertGreater(len(measured), 8)
        for line in measured:
            self.assertIn("--libtorch /torch ", line)
            self.assertIn(" --redact ", line)
        self.assertTrue(any("verify" in line and "one.json" in line and "--device cuda" in line for line in self.launches()))

    def test_a_step_is_explained_by_the_rows_that_it_asks_for(self):
        self.write("commands", "scalemark show: 2 rows are missing. To measure them:\n"
                   "  scalemark run '^micro/gemm$' -a shape=gate,query -o rows-1.h5\n"
                   "  scalemark run '^micro/(a|b)$' -a ranks=1 -o rows-2.h5\n")
        self.write("explanation", json.dumps([{"key": "llm/finetune model=8b", "step": 0.2, "explained": 0.19}]))
        self.expect(self.run_script("--part", "e"), 0)
        rows = [line for line in self.launches() if "rows-" in line and " run " in line]
        self.assertEqual(len(rows), 8)
        self.assertIn(" scalemark run ^micro/gemm$ -a shape=gate,query --max-time 150ms --redact --force --output ", rows[0])
        self.assertIn(" scalemark run ^micro/(a|b)$ -a ranks=1 --max-time 150ms ", rows[1])
        self.assertRegex(self.table("e"), r"lora-bf16: rows, of the step +190\.00 ms +200\.00 ms +0\.950 +ok")
        self.assertRegex(self.table("e"), r"qlora +ok")
        with tarfile.open(os.path.join(self.out, "part-e.tar.gz")) as archive:
            self.assertLessEqual({"e/qlora/training.h5", "e/qlora/rows-1.h5", "e/qlora.json"}, set(archive.getnames()))

    def test_a_failed_step_stops_no_other_and_is_run_again_when_asked(self):
        self.write("failing", "tests/one")
        done = self.run_script("--part", "a")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual((self.verdict("a/gpu.one"), self.verdict("a/numbers")), ("failed 6", "ok"))
        self.write("failing", "nothing of this kind")
        for more, code, tests in ((["--part", "a"], 1, 0), (["--part", "a", "--again"], 0, 1)):
            os.truncate(self.log, 0)
            self.assertEqual(self.run_script(*more).returncode, code)
            self.assertEqual(sum("tests/one" in line for line in self.launches()), tests)
            self.assertFalse(any("verify" in line for line in self.launches()), "it has passed")
        self.assertEqual(self.verdict("a/gpu.one"), "ok")

    def test_what_a_call_has_no_time_for_the_next_one_does(self):
        done = self.run_script("--part", "b", "--limit", 1)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"copies: left for a later call")
        self.assertFalse(any("--output" in line for line in self.launches()))
        self.expect(self.run_script("--part", "b"), 0)
        self.assertEqual(self.verdict("b/copies"), "ok")

    def test_a_step_that_the_end_of_the_call_cuts_off_is_left(self):
        self.write("slow", "micro/memcpy")
        done = self.run_script("--part", "b", "--limit", 6)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertFalse(os.path.exists(self.path("state", "b/copies.step")))

    def test_device_memory_goes_direct_where_the_probe_proves_it(self):
        for probe, shown, verdict in (("4", "", "skipped"), ("139", "", "failed 139"), ("6", "", "failed 6"), ("0", "", "failed 1"),
                                      ("0", '{"key": "micro/pingpong memory=device transfer=direct"}', "ok")):
            with self.subTest(probe=probe, shown=shown):
                os.truncate(self.log, 0)
                self.write("probe", probe)
                self.write("shown", shown)
                if os.path.exists(self.path("state")):
                    os.remove(self.path("state", "a/device-memory.step"))
                self.run_script("--part", "a", "--ranks", 1)
                self.assertEqual(self.verdict("a/device-memory"), verdict)
                self.assertTrue(any("mpirun -n 2 " in line and "--probe" in line for line in self.launches()))
                self.assertEqual(any("pingpong|allreduce|put" in line for line in self.launches()), probe == "0")

    def test_the_sanitizer_runs_where_it_is_installed(self):
        self.run_script("--part", "a")
        self.assertEqual(self.verdict("a/memcheck-copies"), "skipped")
        self.write("bin/compute-sanitizer", "#!/bin/bash\n", 0o755)
        os.remove(self.path("state", "a/memcheck-copies.step"))
        self.run_script("--part", "a")
        self.assertEqual(self.verdict("a/memcheck-copies"), "ok")
        self.assertTrue(any("compute-sanitizer --tool memcheck" in line for line in self.launches()))

    def test_presets_beside_the_parts(self):
        self.expect(self.run_script("--part", "", "--presets", "smoke quick", "--repeats", 2), 0)
        runs = [line for line in self.launches() if "scalemark run --preset" in line]
        self.assertEqual(len(runs), 4)
        self.assertTrue(all("mpirun -n 2 " in line and "--budget 8m" in line for line in runs))

    def test_ranks_that_share_a_card_are_told_apart_for_nccl(self):
        smi = '#!/bin/bash\ncase "$*" in *query-gpu*) echo "NVIDIA H200" ;; *) for k in $(seq {}); do echo "GPU $k: a"; done ;; esac\n'
        for gpus, told in ((1, True), (2, False)):
            self.write("bin/nvidia-smi", smi.format(gpus), 0o755)
            os.truncate(self.log, 0)
            self.run_script("--part", "b", "--again", "--state", self.path(f"state-{gpus}"))
            lines = [line for line in self.launches() if "--output" in line]
            over_nccl = [line for line in lines if "backend=nccl" in line]
            self.assertEqual(len(over_nccl), 4)
            self.assertEqual([line for line in lines if "NCCL_HOSTID" in line], over_nccl if told else [])

    def test_every_measurement_has_a_plan(self):
        """A misspelt axis or value shows here and not on the GPU."""
        self.write("bin/python3", "#!/bin/bash\necho '{\"median\": 1}'\n", 0o755)
        self.write("bin/compute-sanitizer", "#!/bin/bash\n", 0o755)
        self.write("probe", "0")
        self.run_script()
        lines = [shlex.split(line) for line in super().launches()]
        runs = [line[line.index("scalemark") + 1:] for line in lines if "scalemark" in line and "--output" in line]
        self.assertGreater(len(runs), 28)
        for arguments in runs:
            del arguments[arguments.index("--output"):]
            arguments = [word for word in arguments if word not in ("--redact", "--force")]
            with self.subTest(" ".join(arguments)):
                launcher = [] if "ranks=1" in arguments else ["mpirun", "-n", 2, "--oversubscribe"]
                done = start(*launcher, os.environ["SCALEMARK_PROGRAM"], *arguments, "--dry-run")
                self.assertEqual(done.returncode, 0, done.stderr)
                cases = [line for line in done.stdout.splitlines() if line.startswith(("micro/", "imaging/", "llm/"))]
                self.assertTrue(cases, "it measures nothing")

    def test_no_gpu(self):
        self.write("bin/nvidia-smi", "#!/bin/bash\nexit 9\n", 0o755)
        self.expect(self.run_script(), 3, "no GPU")

    def test_what_is_no_bundle(self):
        self.bundle = self.folder
        self.expect(self.run_script(), 3, "no bundle")
        self.bundle = RUN
        self.expect(self.run_script(), 3, "no archive")

    def test_bad_options(self):
        self.expect(self.run_script("--ranks", "many"), 2, "--ranks is 'many'")
        self.expect(self.run_script("--part", "xyz"), 2, "--part is 'xyz'")
        self.expect(self.run_script("--limit", "9m"), 2, "--limit is '9m'")
        self.expect(self.run_script("another"), 2, "another")
        self.expect(self.run_script("--nonsense"), 2, "--nonsense")


class Verdicts(ScriptTest):
    """The table of figures, from rows as `show --format jsonl` prints them."""

    def part(self, name, steps):
        folder = self.path(name)
        os.makedirs(folder, exist_ok=True)
        for step, found in steps.items():
            with open(os.path.join(folder, step + ".jsonl"), "w", encoding="ascii") as file:
                for benchmark, params, metrics in found:
                    row = {"key": benchmark, "name": benchmark, "status": "ok", "reason": "", "params": params,
                           "metrics": {metric: {"median": value} for metric, value in metrics.items()}}
                    file.write(json.dumps(row) + "\n")
        done = start(sys.executable, verdicts.__file__, folder, "NVIDIA H200")
        self.expect(done, 0)
        return {cells[0]: cells[1:] for cells in (line.split("  ") for line in done.stdout.splitlines()) if len(cells) > 1
                for cells in [[cell.strip() for cell in cells if cell.strip()]]}

    def test_micro_beside_its_limits(self):
        def copy(direction, memory, engine):
            return {"direction": direction, "host_memory": memory, "engine": engine, "bytes": 512 << 20}
        def conv(layout, precision):
            return {"layer": "stem", "layout": layout, "precision": precision, "pass": "train", "autotune": True}
        table = self.part("b", {
            "copies": [("micro/memcpy", copy("h2d", "pinned", "copy_engine"), {"bandwidth": 55e9}),
                       ("micro/memcpy", copy("d2h", "pinned", "copy_engine"), {"bandwidth": 20e9}),
                       ("micro/memcpy", copy("d2d", "pinned", "kernel"), {"event_bandwidth": 2.1e12})],
            "products": [("micro/gemm", {"rows": 8192, "precision": "bf16", "fast_accumulation": False}, {"achieved_flops": 780e12})],
            "launches": [("micro/kernel_launch", {"graph_nodes": 0, "streams": 1}, {"launch_time": 2.5e-6, "start_latency": 30e-6})],
            "convolutions": [("micro/conv2d", conv("nhwc", "bf16"), {"time": 1e-3}), ("micro/conv2d", conv("nchw", "bf16"), {"time": 2e-3})]})
        self.assertEqual(table["memcpy h2d pinned 512 MiB"], ["55.0 GB/s", "63.0 GB/s", "0.873", "ok"])
        self.assertEqual(table["memcpy d2h pinned 512 MiB"][-1], "off")
        self.assertEqual(table["memcpy d2d kernel 512 MiB, read and written"], ["4200.0 GB/s", "4800.0 GB/s", "0.875", "ok"])
        self.assertEqual(table["gemm 8192 bf16, of others' measurement"][1:], ["788.0 TFLOP/s", "0.990", "ok"])
        self.assertEqual(table["gemm 8192 fp8, of the data sheet's"][-1], "missing")
        self.assertEqual([table["kernel_launch " + name][-1] for name in ("launch_time", "start_latency")], ["ok", "off"])
        self.assertEqual(table["conv2d NHWC/NCHW bf16 train, median layer"], ["0.500", "1.000", "0.500", "ok"])

    def test_training_beside_pytorch(self):
        os.makedirs(self.path("c"))
        for turn, theirs in ((1, 0.010), (2, 0.012)):
            with open(self.path("c", f"torch-{turn}.torch.jsonl"), "w", encoding="ascii") as file:
                for precision, median in (("tf32", 9), ("bf16", theirs)):
                    file.write(json.dumps({"image": 100, "layout": "nhwc", "precision": precision, "median": median}) + "\n")
        steps = {f"nhwc-{turn}": [("imaging/train", {"image": 100, "layout": "nhwc", "precision": precision}, {"compute_time": time})
                                  for precision, time in (("fp32", 9), ("bf16", ours))] for turn, ours in ((1, 0.011), (2, 0.0114))}
        self.assertEqual(self.part("c", steps)["MobileNetV2 100 px nhwc-bf16, a step beside PyTorch's"],
                         ["11.20 ms", "11.00 ms", "1.018", "ok"])

    def test_memory_beside_its_prediction(self):
        for error, verdict in ((0.04, "ok"), (-0.2, "off")):
            table = self.part("d", {"8b-paper": [("llm/finetune", {"mode": "paper"}, {"step_time": 0.5, "memory_prediction_error": error})]})
            self.assertEqual(table["8b-paper mode=paper: 1 + error of the predicted memory"][-1], verdict)


if __name__ == "__main__":
    unittest.main()
