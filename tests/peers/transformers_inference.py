# SPDX-License-Identifier: Apache-2.0
"""llm/inference beside transformers on the same machine: prompts, and tokens behind them, in turns.

    python3 tests/peers/transformers_inference.py --scalemark build/cpu-release/suites/scalemark [--runs 7]

The Python that runs this must have PyTorch 2.11 and transformers. Both sides have random weights in fp32, one thread, the
same shapes and a cache of keys and values. transformers computes the logits of the last token only, with LibTorch's own
attention (sdpa).
"""
import argparse
import statistics
import tempfile
import time

from paired import head, in_child, ours, row

MODELS = {
    "tiny": {"vocab_size": 4096, "hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2,
             "intermediate_size": 704, "max_position_embeddings": 2048},
    "110m": {"vocab_size": 32000, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "num_key_value_heads": 4,
             "intermediate_size": 2048, "max_position_embeddings": 2048},
}
CASES = [  # model, phase, batch, context
    ("tiny", "prefill", 1, 512),
    ("tiny", "decode", 1, 512),
    ("tiny", "decode", 16, 512),
    ("110m", "prefill", 1, 256),
    ("110m", "decode", 1, 256),
    ("110m", "decode", 8, 256),
]
METRIC = {"prefill": "time_to_first_token", "decode": "time_per_output_token"}


def transformers_time(model, phase, batch, context):
    """Median seconds of a prompt, or of a token behind it."""
    import torch
    from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

    torch.set_num_threads(1)
    torch.manual_seed(1)
    config = LlamaConfig(**MODELS[model], rms_norm_eps=1e-5, tie_word_embeddings=False, attn_implementation="sdpa",
                         rope_parameters={"rope_type": "default", "rope_theta": 500000.0})
    llama = LlamaForCausalLM(config).eval()
    tokens = torch.randint(config.vocab_size, (batch, context + 1))
    times = []
    with torch.inference_mode():
        cache = DynamicCache(config=config)
        llama(input_ids=tokens[:, :context], past_key_values=cache, logits_to_keep=1)
        deadline = time.perf_counter() + 3
        while len(times) < 5 or time.perf_counter() < deadline:
            start = time.perf_counter()
            if phase == "prefill":
                cache = DynamicCache(config=config)
            given = tokens[:, :context] if phase == "prefill" else tokens[:, context:]
            llama(input_ids=given, past_key_values=cache, logits_to_keep=1).logits[:, -1].argmax(1)
            times.append(time.perf_counter() - start)
            if phase == "decode":
                cache.crop(-1)
    return statistics.median(times[2:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scalemark", required=True)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    head("transformers", options.runs)
    with tempfile.TemporaryDirectory() as folder:
        for model, phase, batch, context in CASES:
            a, b = [], []
            for _ in range(options.runs):
                metrics = ours(options.scalemark, "llm/inference",
                               {"model": model, "phase": phase, "batch": batch, "context": context}, folder, ("--max-time", "3s"))
                a.append(metrics[METRIC[phase]]["median"])
                b.append(in_child("transformers_inference", "transformers_time", model, phase, batch, context))
            row(f"{phase}, {model}, {batch} x {context}", "s", a, b)


if __name__ == "__main__":
    main()
