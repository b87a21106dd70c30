# SPDX-License-Identifier: Apache-2.0
"""`scalemark show --explain`: parts of a training's step, from rows of the same files."""
import json
import pathlib
import re
import shlex
import unittest

import h5py

from harness import ALL, ProgramTest, planned_keys, rows, run
from header_edits import times_as_long, twice_as_long, with_axes

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "results"
TRAIN = ["run", "^imaging/train$", "-a", "device=cpu", "-a", "threads=1", "-a", "strategy=single", "-a", "images=8", "-a", "batch=4",
         "-a", "image=28", "-a", "test_images=4", "-a", "mode=paper"]


class Explain(ProgramTest):
    def explain(self, *more):
        return run("show", "--explain", *more, program=ALL)

    def test_missing_rows_are_measured_by_the_commands_that_are_printed(self):
        train = self.path("train.h5")
        self.expect(run(*TRAIN, "-o", train, program=ALL), 0)
        first = self.explain(train)
        self.expect(first, 4, "rows of parts of a step are missing")
        # 30 distinct ones, forward and backward; some stand in two quarters of the network.
        needed = int(re.search(r"micro/conv2d: (\d+) of \1 rows are missing", first.stdout)[1])
        self.assertGreaterEqual(needed, 60)
        self.assertLess(needed, 80)
        self.assertIn("Rows are missing", first.stdout)
        commands = [shlex.split(line) for line in first.stderr.splitlines() if line.startswith("  scalemark run ")]
        for command in commands:
            self.expect(run(*command[1:], "-n", 3, "-w", 0, program=ALL, cwd=self.folder), 0)
        files = [train, *(self.path(command[command.index("-o") + 1]) for command in commands)]
        self.assertEqual(len(set(files)), len(files))

        table = self.explain(*files)
        self.expect(table, 0)
        self.assertRegex(table.stdout, r"(?m)^convolutions +104 +[\d.]+ [mu]?s +[\d.]+ % +micro/conv2d$")
        told = self.explain(*files, "--format", "json")
        self.expect(told, 0)
        (step,) = json.loads(told.stdout)
        self.assertEqual(step["missing"], [])
        parts = {part["name"]: part for part in step["components"]}
        self.assertEqual({name: part["operations"] for name, part in parts.items()},
                         {"convolutions": 104, "normalisations": 104, "residual sums": 10, "sums of gradients": 10, "batch counters": 52,
                          "classifier": 2, "optimiser": 1, "wait for input": 1})
        self.assertEqual({phase["name"]: phase["issued"] for phase in step["phases"]}, {"passes": 0, "update": 0}, "nothing is enqueued")
        self.assertAlmostEqual(sum(part["seconds"] for part in parts.values()), step["explained"])
        self.assertAlmostEqual(step["step"] - step["explained"], step["rest"])
        (row,) = rows(train).values()
        self.assertAlmostEqual(step["step"], row["metrics"]["step_time"]["median"])
        convolutions = [row for file in files[1:] for row in rows(file).values() if row["name"] == "micro/conv2d"]
        self.assertEqual(len(convolutions), needed)
        times = {}  # of each pass of a layer; all that differ are in other quarters
        for row in convolutions:
            times.setdefault((row["params"]["layer"], row["params"]["pass"]), []).append(
                row["metrics"]["time"]["median"] * row["facts"]["occurrences"])
        self.assertGreaterEqual(parts["convolutions"]["seconds"], sum(map(min, times.values())))
        self.assertLessEqual(parts["convolutions"]["seconds"], sum(map(max, times.values())))
        once = [one for one in times.values() if len(one) == 1]
        self.assertGreater(len(once), 40)
        longest = max(parts.values(), key=lambda part: part["seconds"])
        self.assertTrue(step["bound"].startswith(
            "More is not explained" if abs(step["rest"]) > longest["seconds"] else f"Bound by: {longest['name']} ("), step["bound"])
        self.assertTrue(table.stdout.splitlines()[-1].startswith(step["bound"]), table.stdout)
        self.on_another_machine(train, files, step)
        self.by_a_roofline(train, files, parts, needed)

    def by_a_roofline(self, train, files, parts, needed):
        """Without rows of the operations, from the rates of products and of memory."""
        roofs = self.path("roofs.h5")
        self.expect(run("run", "^micro/(gemm|stream)$", "-a", "device=cpu", "-a", "threads=1", "-a", "shape=square", "-a", "rows=64", "-a",
                        "operation=triad", "-a", "micro/stream:bytes=1M", "-a", "ranks=1", "-n", 3, "-o", roofs, program=ALL), 0)
        estimated = self.explain(train, roofs)
        self.expect(estimated, 0, "rows of parts of a step are estimated by a roofline")
        self.assertRegex(estimated.stdout, rf"(?m)^convolutions .* micro/conv2d: {needed} of {needed} by a roofline$")
        self.assertNotIn("of the rate of products", estimated.stdout, "it was estimated by that")
        (told,) = json.loads(self.explain(train, roofs, "--format", "json").stdout)
        found = {part["name"]: part for part in told["components"]}
        self.assertEqual((found["convolutions"]["estimated"], found["convolutions"]["rows"]), (needed, 0))
        self.assertTrue(told["estimated"] and not told["missing"])
        # SGD only moves memory: its bytes at the triad's rate.
        (triad,) = (row for row in rows(roofs).values() if row["name"] == "micro/stream")
        (own,) = (row for file in files for row in rows(file).values() if row["name"] == "micro/optimizer")
        moved = own["metrics"]["bandwidth"]["median"] * own["metrics"]["time"]["median"]
        self.assertAlmostEqual(found["optimiser"]["seconds"] / (moved / triad["metrics"]["bandwidth"]["median"]), 1)
        # Rows of the operations count where they are there.
        (mixed,) = json.loads(self.explain(*files, roofs, "--format", "json").stdout)
        self.assertEqual({part["name"]: part["seconds"] for part in mixed["components"]},
                         {name: part["seconds"] for name, part in parts.items()})
        self.assertRegex({part["name"]: part["reached"] for part in mixed["components"]}["convolutions"],
                         r"^\d+ % of the (rate of products|memory bandwidth)$")
        # With the rate of memory alone there are rows of both kinds, and no two commands write one file.
        memory = self.path("memory.h5")
        self.expect(run("run", "^micro/stream$", "-a", "device=cpu", "-a", "threads=1", "-a", "operation=triad", "-a", "bytes=1M", "-a",
                        "ranks=1", "-n", 3, "-o", memory, program=ALL), 0)
        both = self.explain(train, memory)
        self.expect(both, 4, "are estimated by a roofline")
        self.assertIn("rows of parts of a step are missing", both.stderr)
        written = [line.split()[-1] for line in both.stderr.splitlines() if line.startswith("  scalemark run ")]
        self.assertEqual(written, [f"rows-{i + 1}.h5" for i in range(len(written))])
        # On another machine without rows of the operations, times here are scaled by the rooflines: here of one machine.
        scaled = run("predict", "--from", *files, roofs, "--machine", roofs, "--workload", "imaging/train", "--format", "json", program=ALL)
        self.expect(scaled, 0)
        (step,) = json.loads(scaled.stdout)
        for part in step["components"]:
            self.assertAlmostEqual(part["there"], part["here"])
        self.assertEqual({part["name"]: part["scaled"] for part in step["components"]}["convolutions"], needed)
        self.assertAlmostEqual(step["step_by_roofs"], step["step"], msg="all operations were scaled by the roofs")
        self.by_the_roofs_alone(files, roofs)

    def by_the_roofs_alone(self, files, roofs):
        """A machine with the same roofs on which each operation takes twice as long: the roofs alone do not see that."""
        slow = [twice_as_long(file, self.path(f"slow-{number}.h5")) for number, file in enumerate(files[1:])]
        request = ["predict", "--from", *files, roofs, "--machine", *slow, roofs, "--workload", "imaging/train"]
        told = run(*request, "--format", "json", program=ALL)
        self.expect(told, 0)
        (step,) = json.loads(told.stdout)
        wait = sum(part["here"] for part in step["components"] if part["source"] == "loader_wait")
        self.assertAlmostEqual(step["rows_there"] - wait, 2 * (step["rows_here"] - wait), places=6)
        self.assertAlmostEqual(step["step_by_roofs"], step["step_here"], places=6)
        # One whose rates are half of those here, by rows that are equal.
        halved = twice_as_long(roofs, self.path("halved.h5"))
        other = run("predict", "--from", *files, roofs, "--machine", *files[1:], halved, "--workload", "imaging/train", "--format", "json",
                    program=ALL)
        self.expect(other, 0)
        (other,) = json.loads(other.stdout)
        self.assertAlmostEqual(other["step"], other["step_here"], places=6)
        self.assertAlmostEqual(other["step_by_roofs"] / other["step_here"], 2 - wait / other["rows_here"], places=6)
        text = run(*request, program=ALL)
        self.expect(text, 0)
        self.assertRegex(text.stdout, r"By the rates of products and memory alone it takes [\d.]+ m?s, -(4\d|50)\.\d % against the rows\.")

    def on_another_machine(self, train, files, step):
        """`predict --machine`, with the same machine as the other one."""
        def predict(machine, *more):
            return run("predict", "--from", *files, "--machine", *machine, "--workload", "imaging/train", *more, program=ALL)
        same = predict(files, "--format", "json")
        self.expect(same, 0)
        (told,) = json.loads(same.stdout)
        self.assertEqual([part["here"] for part in told["components"]], [part["seconds"] for part in step["components"]])
        self.assertEqual([part["there"] for part in told["components"]], [part["here"] for part in told["components"]])
        self.assertAlmostEqual(told["step"], step["step"])
        self.assertAlmostEqual(told["measured"], step["step"])
        self.assertEqual(told["rows_there"], step["explained"])
        text = predict(files)
        self.expect(text, 0)
        self.assertRegex(text.stdout, r"(?m)^convolutions +[\d.]+ [mu]?s +[\d.]+ [mu]?s +1\.00 +micro/conv2d$")
        self.assertIn("The prediction is +0.0 % off", text.stdout)
        # Rows without the training predict it, and nothing was measured there.
        self.assertNotIn("Measured there", predict(files[1:]).stdout)
        lacking = predict(files[2:])
        self.expect(lacking, 4, "of parts of a step are missing in the files of --machine. To measure them:")
        self.assertEqual(lacking.stdout, "")
        self.expect(predict(files, "-a", "image=32"), 4, "no row of imaging/train in the files of --from")
        self.expect(predict(files, "-o", self.path("page.html")), 2, "--machine prints, and --output writes a page")
        self.expect(predict(files, "--format", "csv"), 2)
        self.expect(run("predict", "--from", train, "--machine", train, "--workload", "micro/allreduce", program=ALL), 2,
                    "--machine needs the --workload of a training")
        self.expect(run("predict", "--machine", train, "--workload", "imaging/train", program=ALL), 2, "--from")

    def test_text_of_varying_widths(self):
        train, steps, batch = self.path("train.h5"), 12, 2
        self.expect(run("run", "^llm/finetune$", "-a", "device=cpu", "-a", "threads=1", "-a", "parallel=single", "-a", "model=tiny", "-a",
                        f"batch={batch}", "-a", "rows=100", "-a", f"steps={steps}", "-o", train, program=ALL), 0)
        with h5py.File(train) as file:
            metrics = file["cases/000000/metrics"]
            counted = metrics["step_time/warmup_mask"][()] == 0
            widths = sorted(metrics["step_width/samples"][0, counted])
            times = metrics["step_time/samples"][0, counted]
        self.assertGreater(len(set(widths)), 4)
        bounds = [len(widths) * i // 4 for i in range(5)]
        sizes = {round(sum(widths[low:high]) / (high - low)) for low, high in zip(bounds, bounds[1:])}

        told = self.explain(train, "--format", "json")
        self.expect(told, 4)
        (step,) = json.loads(told.stdout)
        self.assertAlmostEqual(step["step"], sum(times) / len(times) * 1e-9)
        commands = [shlex.split(command) for command in step["missing"]]
        tokens = {size for command in commands if "^micro/embedding$" in command for word in command if word.startswith("tokens=")
                  for size in word.removeprefix("tokens=").split(",")}
        self.assertEqual({int(size) for size in tokens}, {batch * size for size in sizes})

        planned = [run(*command[1:], "--dry-run", program=ALL) for command in commands]
        parts = {part["name"]: part for part in step["components"]}
        # Every command plans cases, and all together plan one for each row that is missing.
        self.assertTrue(all(planned_keys(plan) for plan in planned))
        self.assertIn(f"{sum(len(planned_keys(plan)) for plan in planned)} rows of parts of a step are missing", told.stderr)
        layers, passes = 4, 2
        self.assertAlmostEqual(parts["attention"]["operations"], passes * layers)
        self.assertAlmostEqual(parts["normalisations"]["operations"], passes * (2 * layers + 1))
        self.assertAlmostEqual(parts["optimiser"]["operations"], 1)
        self.assertEqual(parts["attention"]["missing"], passes * len(sizes))

    def test_every_operation_can_be_asked_for_alone(self):
        """A sum with a scaled adapter has one way only, whatever `fused` says."""
        for operation, is_by_operators in (("swiglu", False), ("scaled_add", True)):
            done = run("run", "^micro/elementwise$", "-a", f"operation={operation}", "-a", "model=tiny", "-a", "tokens=256", "--dry-run",
                       program=ALL)
            self.expect(done, 0)
            keys = planned_keys(done)
            self.assertEqual(len(keys), 2, "forward and train")
            self.assertEqual({"fused=false" in key for key in keys}, {is_by_operators})

    def test_steps_of_a_gpu(self):
        """The committed files of an H200: at least 80 % of both steps, most of it products. Some rows are missing."""
        for name, least in (("8b", 0.94), ("lora", 0.80)):
            done = self.explain(RESULTS / f"h200/explain-{name}.h5", RESULTS / f"h200/explain-{name}-rows", "--format", "json")
            self.expect(done, 4)
            (step,) = json.loads(done.stdout)
            parts = {part["name"]: part["seconds"] for part in step["components"]}
            self.assertAlmostEqual(sum(parts.values()), step["explained"], delta=1e-9)
            self.assertGreater(step["explained"] / step["step"], least, name)
            self.assertLess(step["explained"], step["step"], name)
            self.assertEqual(max(parts, key=parts.get), "products", name)

    def test_launches_take_as_long_by_the_roofs(self):
        """A step of an H200 whose launches take fifty times as long: on an equal machine, rows and roofs say the same."""
        slow = [times_as_long(path, self.path(path.name), 50, ["issue_time"]) for path in (RESULTS / "h200/explain-8b-rows").glob("*.h5")]
        # Sums of its gradients were not measured; those of activations stand for them.
        (step,) = json.loads(self.explain(RESULTS / "h200/explain-8b.h5", *slow, "--format", "json").stdout)
        (command,) = step["missing"]
        self.assertIn("operation=accumulate", command)
        (sizes,) = re.findall(r"elements=([\d,]+)", command)
        sums = {"operation": "accumulate", "pass": "forward", "model": "tiny", "tokens": 1}
        for elements in sizes.split(","):
            slow.append(with_axes(RESULTS / "h200/explain-8b-rows/3.h5", self.path(f"sum-{elements}.h5"), elements=int(elements), **sums))
        (step,) = json.loads(self.explain(RESULTS / "h200/explain-8b.h5", *slow, "--format", "json").stdout)
        launches = {part["name"]: part["seconds"] for part in step["components"]}["exposed launch time"]
        (passes, update) = step["phases"]
        self.assertEqual((passes["name"], update["name"], update["issued"]), ("passes", "update", 0), "in bf16 its AdamW has no rows")
        self.assertAlmostEqual(launches, passes["issued"] - passes["on_gpu"])
        roofs = [RESULTS / f"h200/{name}.h5" for name in ("products", "device-stream")]
        done = run("predict", "--from", RESULTS / "h200/explain-8b.h5", *slow, *roofs, "--machine", *slow, *roofs, "--workload",
                   "llm/finetune", "--format", "json", program=ALL)
        self.expect(done, 0)
        (told,) = json.loads(done.stdout)
        self.assertEqual({part["name"]: part["here"] for part in told["components"]}["exposed launch time"], launches)
        self.assertAlmostEqual(told["step_by_roofs"], told["step_here"])
        self.assertAlmostEqual(told["step"], told["step_here"])

    def test_what_it_refuses(self):
        copies = self.path("copies.h5")
        self.expect(run("run", "^micro/memcpy$", "-a", "direction=h2h", "-a", "bytes=8", "-n", 3, "-o", copies), 0)
        self.expect(self.explain(copies), 4, "no row here is of imaging/train or llm/finetune")
        self.expect(self.explain(RESULTS / "h100/explain-lora.h5", RESULTS / "h200/explain-8b-rows"), 3,
                    "is of another machine: its gpu_model is NVIDIA H200, that of the others NVIDIA H100")
        self.expect(self.explain(RESULTS / "h200/8b-tuned.h5"), 4,
                    "are not known: its rows hold several sequences, and it has no step_sequence")
        self.expect(self.explain(copies, "--format", "csv"), 2, "--explain prints --format table or json")
        self.expect(self.explain(copies, self.path("none.h5")), 3)


if __name__ == "__main__":
    unittest.main()
