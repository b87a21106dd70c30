# SPDX-License-Identifier: Apache-2.0
"""Weights and adapters beside transformers and PEFT: the same loss from the same files.

    python3 tests/peers/hugging_face.py --scalemark build/cpu-release/suites/scalemark

The Python that runs this must have PyTorch, transformers and peft. transformers makes a small Llama with random weights and
saves it, in one file and in shards; llm/finetune starts from it, trains adapters on equal rows, and leaves them for PEFT.
The loss of the first step must be transformers', and that of a step after the adapters were left must be PEFT's.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import torch
from peft import PeftModel
from transformers import LlamaConfig, LlamaForCausalLM

TINY = {"vocab_size": 4096, "hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2,
        "intermediate_size": 704, "max_position_embeddings": 2048, "rms_norm_eps": 1e-5, "tie_word_embeddings": False,
        "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}, "initializer_range": 0.1}
QUESTION, ANSWER = "Why is the sky blue?", "Short waves are scattered more than long ones."
BEGIN, END, START_HEADER, END_HEADER, END_OF_TURN = 256, 257, 262, 263, 265  # behind the 256 bytes
STEPS = 9  # `loss` is the mean of the last ten steps
TOLERANCE = 2e-5  # relative, fp32


def tokens():
    """The row of bytes, and its labels: the answer's turn."""
    def turn(role, text):
        return [START_HEADER, *role.encode(), END_HEADER, *b"\n\n", *text.encode(), END_OF_TURN]
    asked, answered = turn("user", QUESTION), turn("assistant", ANSWER)
    ids = [BEGIN, *asked, *answered, END]
    labels = [-100] * (1 + len(asked)) + answered + [-100]
    return torch.tensor([ids]), torch.tensor([labels])


def loss_of(model):
    ids, labels = tokens()
    with torch.no_grad():
        return model(input_ids=ids, labels=labels).loss.item()


def finetune(program, weights, rows, steps, out, adapters):
    command = [program, "run", "llm/finetune", "--format", "jsonl", "--quiet", "-o", out, "--force",
               "--data", f"weights={weights}", "--data", f"slimorca={rows}", "--data", f"adapters={adapters}"]
    for axis in ("model=tiny", "start=weights", "parallel=single", "dataset=slimorca", "source=file", "tokenizer=bytes",
                 "rows=0", "warmup_steps=20", f"steps={steps}", "device=cpu", "threads=1"):
        command += ["-a", axis]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    shown = subprocess.run([program, "show", out, "--format", "json"], capture_output=True, text=True, timeout=60, check=True)
    row, = json.loads(shown.stdout)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scalemark", required=True)
    program = parser.parse_args().scalemark
    torch.manual_seed(1)
    model = LlamaForCausalLM(LlamaConfig(**TINY)).eval()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)  # noqa: E731
        model.save_pretrained(path("one"))
        model.save_pretrained(path("many"), max_shard_size="5MB")
        row = {"conversations": [{"from": "human", "value": QUESTION}, {"from": "gpt", "value": ANSWER}]}
        with open(path("rows.jsonl"), "w", encoding="utf-8") as file:
            file.write((json.dumps(row) + "\n") * 2 * (STEPS + 1))
        files = {"one file": path("one/model.safetensors"), "shards": path("many/model.safetensors.index.json")}
        for what, weights in files.items():
            done = finetune(program, weights, path("rows.jsonl"), STEPS, path("a.h5"), path("adapters"))
            first = done["metrics"]["first_loss"]["median"]
            results.append((f"base from {what}", first, loss_of(model)))
        left, = os.listdir(path("adapters"))
        adapted = PeftModel.from_pretrained(model, path("adapters/" + left))
        last = finetune(program, weights, path("rows.jsonl"), STEPS + 1, path("b.h5"), path("adapters"))
        loss = [case["metrics"]["loss"]["median"] for case in (done, last)]
        results.append(("adapters", (STEPS + 1) * loss[1] - STEPS * loss[0], loss_of(adapted)))
    for what, ours, theirs in results:
        good = abs(ours / theirs - 1) < TOLERANCE
        print(f"{what}: loss {ours:.7f}, transformers and PEFT {theirs:.7f}: {'good' if good else 'WRONG'}")
    moved = abs(results[-1][2] / results[0][2] - 1)
    print(f"the adapters move the loss by {moved:.2e} of it")
    sys.exit(0 if moved > 100 * TOLERANCE and all(abs(o / t - 1) < TOLERANCE for _, o, t in results) else 1)


if __name__ == "__main__":
    main()
