# SPDX-License-Identifier: Apache-2.0
"""Beside torchtune in Python on the same machine: fine-tuning steps of a 110m Llama3, alternating in one session.

    python3 tests/peers/torchtune_steps.py --scalemark build/cpu-release/suites/scalemark [--runs 5] [--method lora ...]
    python3 tests/peers/torchtune_steps.py --scalemark build/cpu-release/suites/scalemark --memory

The Python that runs this must have PyTorch 2.11, and torchtune 0.5.0 with torchao 0.7.0 (the studies' versions) or 0.6.1 with
0.15.0. Both sides work with one thread, in fp32, on batches of 2 rows (DPO: 2 pairs) of 64 tokens; the peer's step is that of
its recipes (single device for lora, full, qlora and dpo; quantisation-aware training without sharding), with fused AdamW,
without activation checkpointing, and reads the loss. The peer's steps are taken twice, as it comes and with a heap that keeps
freed memory. Machines are noisy: only the median of the paired ratios means anything; beside it the 95 % interval of that
median, from order statistics. --memory: largest sum of tensors' bytes in a step, in the peer's as its allocator tells PyTorch's
profiler.
"""
import argparse
import json
import os
import statistics
import tempfile
import time

from paired import KEPT_HEAP, head, in_child, ours, row

METHODS = {"lora": 12, "full": 12, "qlora": 8, "dpo": 8, "qat": 5}  # and steps of a run
WARM_UP, BATCH, SEQUENCE, VOCABULARY = 3, 2, 64, 32_000
SIZE = dict(vocab_size=VOCABULARY, num_layers=12, num_heads=12, num_kv_heads=4, embed_dim=768, max_seq_len=2048,
            intermediate_dim=2048)
ADAPTERS = dict(lora_attn_modules=["q_proj", "v_proj", "output_proj"], apply_lora_to_mlp=True, lora_rank=8, lora_alpha=16)
LONG = "every further word makes this row longer than what is kept of it "


def build(method):
    from torchtune.models import llama3

    if method in ("full", "qat"):
        model = llama3._component_builders.llama3(**SIZE)
    else:
        model = llama3._component_builders.lora_llama3(**ADAPTERS, **SIZE, quantize_base=method == "qlora")
        from torchtune.modules.peft import get_adapter_params, set_trainable_params

        set_trainable_params(model, get_adapter_params(model))
    if method == "qat":
        from torchtune.training.quantization import Int8DynActInt4WeightQATQuantizer

        model = Int8DynActInt4WeightQATQuantizer(groupsize=256).prepare(model)
    return model.train()


def language_loss(model, tokens, labels):
    """The recipes' sum over the labels, in 8 chunks."""
    import torch
    from torchtune.modules.loss import CEWithChunkedOutputLoss

    loss_of = CEWithChunkedOutputLoss()
    model.set_num_output_chunks(loss_of.num_output_chunks)
    ignored = torch.full((len(labels), 1), loss_of.ignore_index)

    def run():
        return loss_of(model(tokens=tokens), torch.hstack((labels[..., 1:], ignored)))

    return run


def preference_loss(model, tokens, labels):
    """lora_dpo's: the policy on chosen and rejected rows, and the same with the adapters off."""
    import torch
    from torchtune import rlhf
    from torchtune.modules.peft import disable_adapter
    from torchtune.rlhf.loss import DPOLoss

    loss_of = DPOLoss(beta=0.1)

    def log_probabilities():
        sums = rlhf.get_batch_log_probs(model(tokens), labels)
        return sums[:BATCH], sums[BATCH:]

    def run():
        policy = log_probabilities()
        with torch.no_grad(), disable_adapter(model):
            reference = log_probabilities()
        return loss_of(*policy, *reference)[0].mean()

    return run


def training(method):
    """The model, and a function that runs one of the peer's steps, batch in memory."""
    import torch
    from torchtune.training import scale_grads
    from torchtune.training.lr_schedulers import get_cosine_schedule_with_warmup

    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = build(method)
    rows = 2 * BATCH if method == "dpo" else BATCH
    tokens = torch.randint(VOCABULARY, (rows, SEQUENCE))
    loss_of = (preference_loss if method == "dpo" else language_loss)(model, tokens, tokens.clone())
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.01, fused=True)
    schedule = get_cosine_schedule_with_warmup(optimiser, num_warmup_steps=100, num_training_steps=1000)
    labels = tokens.numel()

    def step():
        if method == "dpo":
            loss = loss_of()
            loss.backward()
        else:
            loss = loss_of() * labels
            loss.backward()
            scale_grads(model, torch.tensor(1 / labels))
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        schedule.step()
        loss.item()

    return model, step


def step_time(method, steps):
    """Median seconds of the peer's step."""
    step, times = training(method)[1], []
    for _ in range(steps + WARM_UP):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return statistics.median(times[WARM_UP:])


def bytes_of(tensor):
    """Also of a tensor that others make up, as one in NF4."""
    if not hasattr(tensor, "__tensor_flatten__"):
        return tensor.numel() * tensor.element_size()
    return sum(bytes_of(getattr(tensor, name)) for name in tensor.__tensor_flatten__()[0])


def peak_memory(method):
    """Bytes of parameters and the optimiser's moments, and of what a step adds to them at its peak."""
    from torch.profiler import ProfilerActivity, profile

    model, step = training(method)
    step()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as trace:
        step()
    now = peak = 0
    events = [event for event in trace.profiler.kineto_results.events() if event.name() == "[memory]"]
    for event in sorted(events, key=lambda event: event.start_ns()):
        now += event.nbytes()
        peak = max(peak, now)
    weights = [parameter.data for parameter in model.parameters()]
    moments = 2 * sum(parameter.numel() * parameter.element_size() for parameter in model.parameters() if parameter.requires_grad)
    return sum(bytes_of(weight) for weight in weights) + moments + peak


def write_rows(folder):
    """Rows that are longer than what is kept of them, in each data set's fields; their paths."""
    text = LONG * 20
    rows = {"alpaca": {"instruction": text, "input": "", "output": text},
            "preference": {"question": "Why?", "response_j": text, "response_k": text[5:]}}
    paths = {}
    for name, fields in rows.items():
        paths[name] = os.path.join(folder, name + ".jsonl")
        with open(paths[name], "w", encoding="ascii") as file:
            file.write((json.dumps(fields) + "\n") * 64)
    return paths


def our_metrics(program, method, mode, steps, paths, folder):
    dataset = "preference" if method == "dpo" else "alpaca"
    return ours(program, "llm/finetune",
                {"method": method, "mode": mode, "parallel": "single", "model": "110m", "dataset": dataset, "source": "file",
                 "batch": BATCH, "sequence": SEQUENCE, "rows": 64, "steps": steps + WARM_UP},
                folder, ("--data", f"{dataset}={paths[dataset]}"))


def compare_memory(arguments, paths, folder):
    print(f"{'MB':<20} {'peer':>8} {'measured':>9} {'predicted':>10} {'predicted / peer':>17}")
    for method in arguments.method:
        theirs = in_child("torchtune_steps", "peak_memory", method)
        for mode in arguments.mode:
            metrics = our_metrics(arguments.scalemark, method, mode, 1, paths, folder)
            measured = metrics["peak_device_memory"]["median"]
            predicted = measured * (1 + metrics["memory_prediction_error"]["median"])
            print(f"{method + ', ' + mode:<20} {theirs / 1e6:8.1f} {measured / 1e6:9.1f} {predicted / 1e6:10.1f} "
                  f"{predicted / theirs:17.3f}", flush=True)


def compare_times(arguments, paths, folder):
    head("torchtune", arguments.runs)
    for method in arguments.method:
        steps = METHODS[method]
        mine = {mode: [] for mode in arguments.mode}
        plain, kept = [], []
        for _ in range(arguments.runs):
            for mode, times in mine.items():
                metrics = our_metrics(arguments.scalemark, method, mode, steps, paths, folder)
                times.append(metrics["step_time"]["median"])
            plain.append(in_child("torchtune_steps", "step_time", method, steps))
            kept.append(in_child("torchtune_steps", "step_time", method, steps, environment=KEPT_HEAP))
        for mode, times in mine.items():
            row(f"{method}, {mode}", "s", times, plain)
            row(f"{method}, {mode}, kept heap", "s", times, kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scalemark", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--method", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--mode", nargs="+", choices=["paper", "tuned"], default=["paper", "tuned"])
    parser.add_argument("--memory", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = write_rows(folder)
        (compare_memory if arguments.memory else compare_times)(arguments, paths, folder)


if __name__ == "__main__":
    main()
