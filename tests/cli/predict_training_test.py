# SPDX-License-Identifier: Apache-2.0
"""`scalemark predict` of training steps, from rows of the training and of its messages."""
import json
import re
import shlex
import statistics
import unittest

import h5py

from harness import ALL, ProgramTest, rows, run

TRAIN = ["run", "^imaging/train$", "-a", "device=cpu", "-a", "threads=1", "-a", "images=24", "-a", "batch=4", "-a", "image=28", "-a",
         "test_images=4", "-a", "mode=paper", "-a", "strategy=ddp_ds"]
PREDICT = ["--workload", "imaging/train"]


class PredictTraining(ProgramTest):
    def train(self, name, ranks):
        path = self.path(name)
        self.expect(run(*TRAIN, "-a", f"ranks={ranks}", "-o", path, program=ALL, ranks=ranks), 0)
        return path

    def predict(self, *words, **options):
        return run("predict", "--from", *words, program=ALL, **options)

    def test_a_step_is_the_slowest_rank_and_its_messages(self):
        one, two = self.train("one.h5", 1), self.train("two.h5", 2)
        lacking = self.predict(one, *PREDICT, "-a", "ranks=2")
        self.expect(lacking, 4, "rows of the messages of a step are missing")
        commands = [shlex.split(line)[5:] for line in lacking.stderr.splitlines() if line.startswith("  mpirun -n 8 scalemark run ")]
        self.assertEqual([command[0] for command in commands], ["^micro/allreduce$", "^micro/broadcast$"])
        files = [one, two]
        for command in commands:
            words = ["ranks=2" if word == "ranks=2,4,8" else word for word in command]
            self.expect(run("run", *words, "-n", 5, program=ALL, ranks=2, cwd=self.folder), 0)
            files.append(self.path(words[-1]))

        done = self.predict(*files, *PREDICT, "-a", "ranks=2", "--format", "json")
        self.expect(done, 0)
        (step,) = json.loads(done.stdout)
        measured = {(row["name"], row["params"]["bytes"]): row["metrics"]["latency"]["median"]
                    for file in files[2:] for row in rows(file).values()}
        self.assertEqual(len(measured), 4)
        found = {(one["benchmark"], one["bytes"]): one for one in step["messages"]}
        self.assertEqual(found.keys(), measured.keys())
        for key, message in found.items():
            self.assertAlmostEqual(message["seconds"] / measured[key], 1)
            self.assertEqual(message["source"], "measured")
        self.assertAlmostEqual(step["communication"], sum(measured.values()))
        self.assertAlmostEqual(step["step"], step["slowest"] + step["communication"])
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
        back = self.predict(*files[1:], *PREDICT, "-a", "ranks=1")
        self.expect(back, 2, "1 is not in 2 to")
        text = self.predict(*files, *PREDICT, "-a", "ranks=2")
        self.expect(text, 0)
        self.assertRegex(text.stdout, r"(?m)^ +2 +(>= )?[\d.]+ [mu]?s .* [+-][\d.]+ %$")
        self.assertRegex(text.stdout, r"communication on 2 ranks: gradients 1 MiB by micro/allreduce \(measured\), gradients 7\.532 MiB")

    def test_what_it_refuses(self):
        one = self.train("one.h5", 1)
        self.expect(self.predict(one, *PREDICT), 2, "-a ranks=... is missing")
        self.expect(self.predict(one, *PREDICT, "-a", "ranks=2", "-a", "bytes=8"), 2, "-a bytes=... is for collectives only")
        self.expect(self.predict(one, *PREDICT, "-a", "ranks=2", "-a", "image=64"), 4, "no row of imaging/train there")
        self.expect(self.predict(one, "--workload", "llm/finetune", "-a", "ranks=2"), 4, "no row of llm/finetune there")
        done = self.predict(one, "--workload", "micro/gemm", "-a", "ranks=2")
        self.expect(done, 2)
        self.assertTrue(re.search(r"allowed: micro/allgather, .*imaging/train, llm/finetune", done.stderr), done.stderr)


if __name__ == "__main__":
    unittest.main()
