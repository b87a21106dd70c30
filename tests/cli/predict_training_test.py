# SPDX-License-Identifier: Apache-2.0
"""`scalemark predict` of training steps, from rows of the training and of its messages."""
import itertools
import json
import re
import shlex
import statistics
import unittest

import h5py

from header_edits import copy_of_another_machine, twice_as_long
from harness import ALL, ProgramTest, rows, run

TRAIN = ["run", "^imaging/train$", "-a", "device=cpu", "-a", "threads=1", "-a", "images=24", "-a", "batch=4", "-a", "image=28", "-a",
         "test_images=4", "-a", "mode=paper", "-a", "strategy=ddp_ds"]
SHARDED = ["run", "^llm/finetune$", "-a", "device=cpu", "-a", "threads=1", "-a", "parallel=fsdp", "-a", "model=tiny", "-a", "method=full",
           "-a", "sequence=16", "-a", "pad_multiple=16", "-a", "rows=8", "-a", "steps=3", "-a", "backend=mpi"]
PREDICT = ["--workload", "imaging/train"]


class PredictTraining(ProgramTest):
    def train(self, name, ranks, words=TRAIN):
        path = self.path(name)
        self.expect(run(*words, "-a", f"ranks={ranks}", "-o", path, program=ALL, ranks=ranks), 0)
        return path

    def measure_missing(self, done):
        """Runs the commands of a prediction that lacks rows. Returns the benchmarks and the files."""
        self.expect(done, 4, "rows of the messages of a step are missing")
        commands = [shlex.split(line)[5:] for line in done.stderr.splitlines() if line.startswith("  mpirun -n 8 scalemark run ")]
        for command in commands:
            words = ["ranks=2" if word == "ranks=2,4,8" else word for word in command]
            self.expect(run("run", *words, "-n", 5, program=ALL, ranks=2, cwd=self.folder), 0)
        return [command[0] for command in commands], [self.path(command[-1]) for command in commands]

    def steps(self, file):
        (row,) = rows(file).values()
        return row["metrics"]["step_loss"]["n"]

    def compare_messages(self, step, files):
        """The messages of a step with the rows that they are from. Returns their time."""
        measured = {(row["name"], row["params"]["bytes"]): row["metrics"]["latency"]["median"]
                    for file in files for row in rows(file).values()}
        found = {(one["benchmark"], one["bytes"]): one for one in step["messages"]}
        self.assertEqual(found.keys(), measured.keys())
        for key, message in found.items():
            self.assertAlmostEqual(message["seconds"] / measured[key], 1)
            self.assertEqual(message["source"], "measured")
        return sum(message["count"] * measured[key] for key, message in found.items())

    def predict(self, *words, **options):
        return run("predict", "--from", *words, program=ALL, **options)

    def test_a_step_is_the_slowest_rank_and_its_messages(self):
        one, two = self.train("one.h5", 1), self.train("two.h5", 2)
        names, messages = self.measure_missing(self.predict(one, *PREDICT, "-a", "ranks=2"))
        self.assertEqual(names, ["^micro/allreduce$", "^micro/broadcast$"])
        files = [one, two, *messages]

        done = self.predict(*files, *PREDICT, "-a", "ranks=2", "--format", "json")
        self.expect(done, 0)
        (step,) = json.loads(done.stdout)
        self.assertEqual(len(step["messages"]), 4)
        self.assertAlmostEqual(step["communication"], self.compare_messages(step, messages))
        self.assertAlmostEqual(step["step"], step["slowest"] + step["communication"])
        self.assertEqual(step["hidden"], 0, "MPI sends nothing while a rank computes")
        self.assertGreaterEqual(step["slowest"], step["computing"])
        (row,) = rows(two).values()
        self.assertAlmostEqual(step["measured"], row["metrics"]["step_time"]["median"])
        # Without communication on one rank.
        with h5py.File(one) as file:
            samples = file["cases/000000/metrics/step_time/samples"][()].reshape(-1) * 1e-9
            warmup = file["cases/000000/metrics/step_time/warmup_mask"][()]
        self.assertAlmostEqual(step["computing"], statistics.median(samples[warmup == 0]))
        self.assertEqual((step["from_ranks"], step["samples"]), (1, int((warmup == 0).sum())))

        # From two ranks to one, whose step has no messages.
        back = self.predict(*files[1:], *PREDICT, "-a", "ranks=1", "--format", "json")
        self.expect(back, 0)
        (alone,) = json.loads(back.stdout)
        self.assertEqual((alone["from_ranks"], alone["messages"], alone["communication"]), (2, [], 0))
        self.assertEqual(alone["step"], alone["slowest"])
        self.expect(self.predict(*files, *PREDICT, "-a", "ranks=0"), 2, "0 is not in 1 to")
        text = self.predict(*files, *PREDICT, "-a", "ranks=2")
        self.expect(text, 0)
        self.assertRegex(text.stdout, r"(?m)^ +2 +(>= )?[\d.]+ [mu]?s .* [+-][\d.]+ %$")
        self.assertRegex(text.stdout, r"(?m)^communication on 2 ranks:\n.*\ngradients +1 +1 MiB  micro/allreduce .* measured\n"
                                      r"gradients +1  7\.532 MiB  micro/allreduce ")

    def test_a_plan_has_trainings_on_other_ranks(self):
        one = self.train("one.h5", 1)
        words = ["plan", *TRAIN[1:], "--ranks", 2, "--ranks-per-node", 2, "--from"]
        _, messages = self.measure_missing(run(*words, one, "-a", "ranks=2", program=ALL))
        words = [*words[:-1], "-a", "ranks=1,2", "--from"]
        done = run(*words, one, *messages, "--format", "json", program=ALL)
        self.expect(done, 0)
        plan = json.loads(done.stdout)
        alone, new = plan["rows"]
        (step,) = json.loads(self.predict(one, *messages, *PREDICT, "-a", "ranks=2", "--format", "json").stdout)
        self.assertEqual(alone["predicted"], None)
        self.assertAlmostEqual(new["predicted"], step["step"])
        self.assertEqual(new["source"], "1 rank, measured")
        # Three of six batches on each of two ranks.
        self.assertEqual([self.steps(file) for file in (one, self.train("two.h5", 2))], [6, 3])
        rest = alone["seconds"] - 6 * alone["value"]
        self.assertAlmostEqual(new["predicted_seconds"], rest + 3 * step["step"])
        self.assertAlmostEqual(plan["predicted_seconds"], new["predicted_seconds"])
        self.assertEqual((plan["measured"], plan["predicted"], plan["unknown"]), (1, 1, 0))
        self.assertAlmostEqual(plan["plan"][0]["seconds"], 3 * (alone["seconds"] + new["predicted_seconds"]))
        text = run(*words, one, *messages, program=ALL)
        self.expect(text, 0)
        self.assertRegex(text.stdout, r"(?m)^ *~ (>= )?[\d.]+ [mu]?s  1 rank, measured .*imaging/train ")
        self.assertRegex(" ".join(text.stdout.split()), r"one run: \S+ s for 1 case timed before, about \S+ s for 1 training predicted\.")

    def test_a_plan_counts_the_steps_of_a_fine_tuning(self):
        two = self.train("two.h5", 2, SHARDED)
        plan = json.loads(run("plan", *SHARDED[1:], "-a", "ranks=1,2", "--from", two, "--format", "json", program=ALL).stdout)
        new, known = plan["rows"]
        (step,) = json.loads(self.predict(two, "--workload", "llm/finetune", "-a", "ranks=1", "--format", "json").stdout)
        self.assertAlmostEqual(new["predicted"], step["step"])
        self.assertEqual(new["source"], "2 ranks")
        # Eight rows: two steps of two rows on each of two ranks, and three of the four on one (steps=3).
        self.assertEqual([self.steps(file) for file in (two, self.train("one.h5", 1, SHARDED))], [2, 3])
        self.assertAlmostEqual(new["predicted_seconds"], known["seconds"] - 2 * known["value"] + 3 * step["step"])

    def test_gloo_sends_the_first_gradients_while_the_rank_computes(self):
        one = self.train("one.h5", 1, [*TRAIN, "-a", "backend=gloo"])
        _, messages = self.measure_missing(self.predict(one, *PREDICT, "-a", "ranks=2"))
        done = self.predict(one, *messages, *PREDICT, "-a", "ranks=2", "--format", "json")
        self.expect(done, 0)
        (step,) = json.loads(done.stdout)
        with h5py.File(one) as file:
            metrics = file["cases/000000/metrics"]
            ready, sizes = (metrics[name + "/samples"][()][0] for name in ("gradient_ready_time", "gradient_bucket_size"))
        first, second = (message["seconds"] for message in step["messages"] if message["component"] == "gradients")
        self.assertEqual(len(ready), 2)
        self.assertLess(abs(sizes[0] - (1 << 20)), sizes[1])
        end = max(ready[0] + first, ready[1]) + second
        self.assertAlmostEqual(step["hidden"], first + second - (end - ready[1]))
        self.assertGreater(step["hidden"], 0)
        self.assertAlmostEqual(step["step"], step["slowest"] + step["communication"] - step["hidden"])
        text = self.predict(one, *messages, *PREDICT, "-a", "ranks=2")
        self.expect(text, 0)
        self.assertRegex(text.stdout, r"(?m)^ranks .* communication +hidden +measured")
        self.assertIn("hidden: what gloo sends while the ranks compute", text.stdout)
        self.assertIn("rows of micro/overlap would tell", text.stdout)
        overlap = self.path("overlap.h5")
        self.expect(run("run", "^micro/overlap$", "-a", "backend=gloo", "-a", "memory=host", "-a", "device=cpu", "-a", "threads=1", "-a",
                        "bytes=1M", "-a", "rows=64", "-a", "ranks=2", "-n", 5, "-o", overlap, program=ALL, ranks=2), 0)
        (row,) = rows(overlap).values()
        ratio = min(1, max(0, row["metrics"]["overlap_ratio"]["median"]))
        (less,) = json.loads(self.predict(one, overlap, *messages, *PREDICT, "-a", "ranks=2", "--format", "json").stdout)
        self.assertAlmostEqual(less["overlap_ratio"], ratio)
        self.assertEqual(less["hidden"], step["hidden"])
        self.assertAlmostEqual(less["step"], step["step"] + (1 - ratio) * step["hidden"])
        (text,) = re.findall(r"A step wins (\d+) % of it, by rows of micro/overlap", self.predict(one, overlap, *messages, *PREDICT, "-a",
                                                                                                 "ranks=2").stdout)
        self.assertAlmostEqual(int(text), 100 * ratio, delta=0.51)

    def test_sharded_parameters_are_gathered_in_both_passes(self):
        one = self.train("one.h5", 1, SHARDED)
        predict = ["--workload", "llm/finetune", "-a", "ranks=2"]
        names, messages = self.measure_missing(self.predict(one, *predict))
        self.assertEqual(names, ["^micro/allgather$", "^micro/allreduce$", "^micro/reduce_scatter$"])
        done = self.predict(one, *messages, *predict, "-a", "accumulation=1", "--format", "json")
        self.expect(done, 0)
        (step,) = json.loads(done.stdout)
        self.assertAlmostEqual(step["communication"], self.compare_messages(step, messages))
        # Gathers: four layers twice; embedding, norm and head once. Reductions: each once.
        count = {name: sum(one["count"] for one in step["messages"] if one["benchmark"] == "micro/" + name)
                 for name in ("allgather", "reduce_scatter", "allreduce")}
        self.assertEqual(count, {"allgather": 4 * 2 + 3, "reduce_scatter": 4 + 3, "allreduce": 1})
        self.assertEqual(step["hidden"], 0, "MPI sends nothing while a rank computes")

    def test_gloo_gathers_layers_ahead(self):
        one = self.train("one.h5", 1, [*SHARDED, "-a", "backend=gloo"])
        predict = ["--workload", "llm/finetune", "-a", "ranks=2"]
        _, messages = self.measure_missing(self.predict(one, *predict))
        done = self.predict(one, *messages, *predict, "--format", "json")
        self.expect(done, 0)
        (step,) = json.loads(done.stdout)
        with h5py.File(one) as file:
            metrics = file["cases/000000/metrics"]
            events = []
            for prefix, benchmark, ranks in (("gather_", "micro/allgather", 2), ("reduction_", "micro/reduce_scatter", 1)):
                starts, needs, sizes = (metrics[f"{prefix}{name}/samples"][()][0] for name in ("start_time", "need_time", "size"))
                times = {message["bytes"] * ranks: message["seconds"] for message in step["messages"] if message["benchmark"] == benchmark}
                for start, need, size in zip(starts, needs, sizes):
                    seconds = times[min(times, key=lambda known: abs(known - size))]
                    events.extend([(start, 0, (prefix, start), seconds), (max(start, need), 1, (prefix, start), seconds)])
        arrived, last, waited, sent = {}, 0, 0, 0
        for at, is_need, message, seconds in sorted(events):
            if is_need:
                waited += max(0, arrived[message] - at - waited)
            else:
                last = arrived[message] = max(at + waited, last) + seconds
                sent += seconds
        self.assertAlmostEqual(step["hidden"], sent - waited)
        self.assertGreater(step["hidden"], 0)
        self.assertAlmostEqual(step["step"], step["slowest"] + step["communication"] - step["hidden"])
        # Of the collectives that have rows, that which takes longest says how much of it is won.
        total = {name: sum(message["count"] * message["seconds"] for message in step["messages"] if message["benchmark"] == "micro/" + name)
                 for name in ("allgather", "reduce_scatter")}
        for given in ({"allgather": 0.25}, {"reduce_scatter": 0.5}, {"allgather": 0.25, "reduce_scatter": 0.5}, {"allreduce": 0.75}):
            longest = max(given.keys() & total.keys(), key=total.get, default=None)
            (less,) = json.loads(self.predict(one, self.overlap_rows(given), *messages, *predict, "--format", "json").stdout)
            self.assertEqual(less["overlap_ratio"], given.get(longest), given)
            self.assertAlmostEqual(less["step"], step["step"] + (1 - given.get(longest, 1)) * step["hidden"])

    def overlap_rows(self, ratios):
        """Made-up rows of micro/overlap on two ranks."""
        cases = {f"micro/overlap backend=gloo bytes=1024 collective={name} memory=host ranks=2":
                 {"metric": "overlap_ratio", "unit": "1", "scale": 1e-2, "samples": [round(100 * ratio)]} for name, ratio in ratios.items()}
        with open(self.path("overlap.jsonl"), "w", encoding="utf-8") as file:
            file.write(json.dumps({"run": "overlap", "cases": cases}) + "\n")
        self.expect(run("import", self.path("overlap.jsonl"), "-o", self.path("overlap.h5"), "--force"), 0)
        return self.path("overlap.h5")

    def test_what_it_refuses(self):
        one = self.train("one.h5", 1)
        self.expect(self.predict(one, *PREDICT), 2, "-a ranks=... is missing")
        self.expect(self.predict(one, *PREDICT, "-a", "ranks=2", "-a", "bytes=8"), 2, "has an axis 'bytes'")
        self.expect(self.predict(one, *PREDICT, "-a", "ranks=2", "-a", "imag=28"), 2, "has an axis 'imag' (did you mean image")
        self.expect(self.predict(one, *PREDICT, "-a", "ranks=2", "-a", "mode=papr"), 2, "'papr'")
        self.expect(self.predict(one, *PREDICT, "-a", "ranks=2", "-a", "llm/finetune:batch=4"), 2, "--workload is 'imaging/train'")
        self.expect(self.predict(one, "--workload", "llm/finetune", "-a", "ranks=2"), 4, "no row of llm/finetune to start from")
        other = copy_of_another_machine(one, self.path("other.h5"))
        mixed = self.predict(one, other, *PREDICT, "-a", "ranks=2")
        self.expect(mixed, 3, f"{other} is of another machine: its cpu_model is Another CPU")
        self.assertEqual((mixed.stdout, len(mixed.stderr.splitlines())), ("", 1), mixed.stderr)
        done = self.predict(one, "--workload", "micro/gemm", "-a", "ranks=2")
        self.expect(done, 2)
        self.assertTrue(re.search(r"allowed: micro/allgather, .*imaging/train, llm/finetune", done.stderr), done.stderr)

    def message_rows(self, done, ranks):
        """Made-up rows of the messages that a prediction lacks, on these numbers of ranks: 10 us a step of a ring, 1 GB/s."""
        self.expect(done, 4, "rows of the messages of a step are missing")
        cases = {}
        for command in (shlex.split(line) for line in done.stderr.splitlines() if line.startswith("  mpirun -n 8 scalemark run ")):
            name = command[5].strip("^$")
            axes = dict(word.split("=") for word in command[6:] if "=" in word)
            for size, one in itertools.product(axes.pop("bytes").split(","), ranks):
                key = " ".join([name, *(f"{axis}={value}" for axis, value in {**axes, "bytes": size, "ranks": one}.items())])
                time = 2 * (one - 1) * 10_000 + 2 * (one - 1) / one * int(size)
                cases[key] = {"metric": "latency", "unit": "s", "scale": 1e-9, "samples": [round(time)]}
        with open(self.path("messages.jsonl"), "w", encoding="utf-8") as file:
            file.write(json.dumps({"run": "messages", "cases": cases}) + "\n")
        self.expect(run("import", self.path("messages.jsonl"), "-o", self.path("messages.h5")), 0)
        return self.path("messages.h5")

    def test_a_lower_bound_has_no_interval(self):
        longer = [*TRAIN, "-a", "images=48"]
        one = self.train("one.h5", 1, longer)
        messages = self.message_rows(self.predict(one, *PREDICT, "-a", "ranks=2"), [4, 8, 16])
        # An interval of 50 % needs the error of one other training on two ranks, whose messages are predicted, too.
        other = [*longer, "-a", "layout=nhwc"]
        files = [one, self.train("other-1.h5", 1, other), self.train("other-2.h5", 2, other), messages]
        axes = ["-a", "ranks=4096", "-a", "layout=nchw"]
        done = self.predict(*files, *PREDICT, *axes, "--level", 0.5)
        self.expect(done, 0)
        self.assertIn("No 50 % interval: of the slowest rank only a lower bound is known (>=).", done.stdout)
        self.assertNotIn("it takes", done.stdout)
        (step,) = json.loads(self.predict(*files, *PREDICT, *axes, "--level", 0.5, "--format", "json").stdout)
        self.assertEqual((step["is_bound"], step["low"], step["high"], step["level"]), (True, None, None, None))
        self.assertIn("it takes 9 trainings", self.predict(*files, *PREDICT, *axes).stdout)
        (two,) = json.loads(self.predict(*files, *PREDICT, "-a", "ranks=2", "-a", "layout=nchw", "--level", 0.5, "--format",
                                         "json").stdout)
        self.assertIsNotNone(two["low"], "the same training on two ranks has one")

    def test_it_says_how_far_beyond_the_rows_a_form_is_used(self):
        one = self.train("one.h5", 1)
        messages = self.message_rows(self.predict(one, *PREDICT, "-a", "ranks=2"), [2, 3, 4])
        far = self.predict(one, messages, *PREDICT, "-a", "ranks=2,4096")
        self.expect(far, 0)
        told = "Messages: 4096 ranks are 1024 times the most that was measured; the forms were tested over 1.3 times only."
        self.assertIn(told, " ".join(far.stdout.split()))
        steps = json.loads(self.predict(one, messages, *PREDICT, "-a", "ranks=2,4096", "--format", "json").stdout)
        self.assertEqual([step["beyond_measured_ranks"] for step in steps], [None, 1024])
        self.assertIn(f"What takes most of a step: {steps[0]['bound_by']} on 2 ranks, {steps[1]['bound_by']} on 4096 ranks."
                      if steps[0]["bound_by"] != steps[1]["bound_by"] else
                      f"What takes most of a step: {steps[0]['bound_by']} on 2 to 4096 ranks.", " ".join(far.stdout.split()))
        page = self.path("page.html")
        self.expect(self.predict(one, messages, *PREDICT, "-o", page), 0)
        with open(page, encoding="utf-8") as file:
            html = file.read()
        self.assertIn(told, html)
        # Below the figure: the messages on the most ranks, each with its source.
        self.assertIn("The table has the messages of a step on 4096 ranks.", html)
        for message in steps[1]["messages"]:
            self.assertRegex(html, rf"<td[^>]*>{message['component']}</td>.*<td[^>]*>{message['benchmark']}</td>.*"
                                   rf"<td[^>]*>{re.escape(message['source'])}</td>")
        self.assertEqual({message["source"] for message in steps[0]["messages"]}, {"measured"})
        self.assertNotIn("the most that was measured", self.predict(one, messages, *PREDICT, "-a", "ranks=2").stdout)

    def test_a_page_has_markers_where_trainings_were_measured(self):
        one, two = self.train("one.h5", 1), self.train("two.h5", 2)
        messages = self.message_rows(self.predict(one, *PREDICT, "-a", "ranks=2"), [2, 4, 8])
        page = self.path("page.html")
        self.expect(self.predict(one, two, messages, *PREDICT, "-o", page), 0)
        with open(page, encoding="utf-8") as file:
            html = file.read()
        every = [2**i for i in range(13)]
        steps = json.loads(self.predict(one, two, messages, *PREDICT, "-a", "ranks=" + ",".join(map(str, every)), "--format",
                                        "json").stdout)
        self.assertEqual([step["ranks"] for step in steps], every)
        markers = dict(re.findall(r"<title>(\d+): ([^<]*)</title>", html))
        self.assertEqual(markers.keys(), {"1", "2"})
        table = [re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)]
        by_ranks = {row[0]: row for row in table if row and row[0].isdigit()}
        self.assertEqual(list(by_ranks), [str(ranks) for ranks in every])
        for ranks, path in (("1", one), ("2", two)):
            (row,) = rows(path).values()
            measured = row["metrics"]["step_time"]["median"]
            for text in (markers[ranks], by_ranks[ranks][2]):
                value, unit = text.split()
                self.assertAlmostEqual(float(value) * {"us": 1e-6, "ms": 1e-3, "s": 1}[unit] / measured, 1, 3)
        self.assertEqual([row[2] for row in by_ranks.values()][2:], ["-"] * 11, "nothing was measured there")
        for step in steps:
            parts = {"computing": step["computing"], "waiting for the slowest rank": step["slowest"] - step["computing"],
                     "communication": step["communication"]}
            self.assertEqual(parts[step["bound_by"]], max(parts.values()))
        self.assertIn(f"What takes most of a step: {steps[0]['bound_by']} on 1", html)
        self.assertIn(steps[-1]["bound_by"] + " on ", html)

    def test_other_ranks_on_another_machine(self):
        one = self.train("one.h5", 1)
        _, messages = self.measure_missing(self.predict(one, *PREDICT, "-a", "ranks=2"))
        (here,) = json.loads(self.predict(one, *messages, *PREDICT, "-a", "ranks=2", "--format", "json").stdout)
        wanted = [*PREDICT, "-a", "ranks=2"]
        lacking = self.predict(one, "--machine", *messages, *wanted)
        self.expect(lacking, 4, "parts of a step are missing in the files of --from", "parts of a step are missing in the files of --machine")
        commands = [shlex.split(line) for line in lacking.stderr.splitlines() if line.startswith("  scalemark run ")]
        self.assertEqual([command[-1] for command in commands], [f"rows-{i + 1}.h5" for i in range(len(commands))])
        for command in commands[:len(commands) // 2]:  # those of --machine are the same
            self.expect(run(*command[1:], "-n", 3, "-w", 0, program=ALL, cwd=self.folder), 0)
        operations = [self.path(command[-1]) for command in commands[:len(commands) // 2]]
        unsent = self.predict(one, *operations, "--machine", *operations, *wanted, "--format", "json")
        self.expect(unsent, 4, "rows of the messages of a step are missing in the files of --machine")
        self.assertEqual(json.loads(unsent.stdout), [])
        slower = [twice_as_long(path, self.path(f"slower-{number}.h5")) for number, path in enumerate(operations)]
        for rows_there, factor in ((operations, 1), (slower, 2)):
            done = self.predict(one, *operations, "--machine", *rows_there, *messages, *wanted, "--format", "json")
            self.expect(done, 0)
            (there,) = json.loads(done.stdout)
            self.assertEqual((there["messages"], there["communication"]), (here["messages"], here["communication"]))
            self.assertIsNone(there["low"])
            self.assertIsNone(there["measured"])
            # The wait for input is taken as it was, so that with rows twice as long a step is not quite.
            self.assertAlmostEqual(there["factor"], factor, delta=0.05 * (factor - 1))
            for name in ("computing", "slowest"):
                self.assertAlmostEqual(there[name] / here[name] / there["factor"], 1)
        # What that machine took on as many ranks stands beside it.
        two = self.train("two.h5", 2)
        (beside,) = json.loads(self.predict(one, *operations, "--machine", two, *slower, *messages, *wanted, "--format", "json").stdout)
        (row,) = rows(two).values()
        self.assertAlmostEqual(beside["measured"], row["metrics"]["step_time"]["median"])
        self.assertEqual(beside["step"], there["step"])
        told = self.predict(one, *operations, "--machine", *slower, *messages, *wanted)
        self.expect(told, 0)
        self.assertRegex(told.stdout, r"steps take (1\.9\d*|2) times as long, as the rows of their operations")
        self.assertIn("No interval: how far off steps on other machines are is not known.", told.stdout)

    def test_commands_have_the_axes_that_were_asked_for(self):
        one = self.train("one.h5", 1)
        asked = ["-a", "ranks=2", "-a", "image=64", "-a", "imaging/train:images=1K"]
        self.expect(self.predict(one, *PREDICT, *asked), 4, "no row of imaging/train to start from",
                    "scalemark run '^imaging/train$' -a ranks=1 -a image=64 -a images=1024 -o training.h5")
        # As keys have it: the rows of image=28 are found under any name of the number.
        self.expect(self.predict(one, *PREDICT, "-a", "ranks=2", "-a", "imaging/train:image=28:28:+1"), 4, "rows of the messages")
        machine = [one, "--machine", one, *PREDICT]
        self.expect(self.predict(*machine, "-a", "image=64", "-a", "ranks=64"), 4, "no row of imaging/train to start from",
                    "scalemark run '^imaging/train$' -a ranks=1 -a image=64 -o training.h5")
        self.expect(self.predict(*machine, "-a", "image=64"), 4, "  scalemark run '^imaging/train$' -a image=64 -o training.h5")
        self.expect(self.predict(*machine, "-a", "imag=28"), 2, "has an axis 'imag' (did you mean image")
        self.expect(self.predict(*machine, "--level", 0.8), 2, "--machine excludes --level")
        # Rows of operations are missing, so that the training itself was found.
        self.expect(self.predict(*machine, "-a", "ranks=1"), 4, "parts of a step are missing")


if __name__ == "__main__":
    unittest.main()
