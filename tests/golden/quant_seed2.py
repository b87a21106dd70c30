#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes quant_seed2.json: part "qlora_model" of golden topic "quant" by PyTorch 2.11 and torchao 0.15's NF4, for a seed where
the fp32 and the fp64 weights get other codes. fp32 gradients are then 2e-3 to 4e-3 away from those in double, which is what
`fp32_relative_l2_error` says. Shares no code with Scalemark.

    python3 tests/golden/quant_seed2.py > tests/golden/quant_seed2.json
    python3 tests/golden/quant_seed2.py --check tests/golden/quant.json    # the libraries' own seed: does it come out alike?
"""
import argparse
import json
import math
import sys

import numpy as np
import torch
import torchao
from torch.nn.functional import cross_entropy, scaled_dot_product_attention, silu
from torchao.dtypes.nf4tensor import linear_nf4, to_nf4

SEED, GAIN, RANK, ALPHA, STEPS = 2, 3.0, 8, 16, 5
CONFIG = {"vocab_size": 512, "dim": 256, "layers": 2, "heads": 4, "kv_heads": 2, "ffn_dim": 512, "max_seq_len": 64,
          "rope_base": 500000, "norm_eps": 1e-05}
OPTIMIZER = {"name": "adamw", "learning_rate": 0.01, "beta1": 0.9, "beta2": 0.999, "eps": 1e-08, "weight_decay": 0.01}
ADAPTED = ("attn.q_proj", "attn.v_proj", "attn.output_proj", "mlp.w1", "mlp.w2", "mlp.w3")


def mix(x):
    z = np.asarray(x, np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def word(seed, stream, shape):
    return mix(mix(mix(seed) + np.uint64(stream)) + np.arange(math.prod(shape), dtype=np.uint64)).reshape(shape)


def sym(seed, stream, shape):
    return (word(seed, stream, shape) >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1


def digest(tensors, edge):
    x = np.concatenate([tensor.detach().double().numpy().ravel() for tensor in tensors])
    weighted = x.astype(np.longdouble) * sym(0, 0, x.shape).astype(np.longdouble)
    return {"n": len(x), "sum": math.fsum(x), "abs_sum": math.fsum(abs(x)), "weighted_sum": math.fsum(weighted),
            "first": x[:edge].tolist(), "last": x[-edge:].tolist()}


def relative_l2(got, want):
    difference = sum(float((a.detach().double() - b.detach()).square().sum()) for a, b in zip(got, want))
    return math.sqrt(difference / sum(float(b.detach().square().sum()) for b in want))


class Model:
    """Llama 3 with NF4 linear maps and LoRA adapters beside them, in one type."""

    def __init__(self, seed, dtype):
        self.seed, self.dtype, self.stream, self.weights, self.adapters = seed, dtype, 1000, {}, {}
        dim, kv, ffn = CONFIG["dim"], CONFIG["dim"] // CONFIG["heads"] * CONFIG["kv_heads"], CONFIG["ffn_dim"]
        shapes = {"attn.q_proj": (dim, dim), "attn.k_proj": (kv, dim), "attn.v_proj": (kv, dim), "attn.output_proj": (dim, dim),
                  "mlp.w1": (ffn, dim), "mlp.w2": (dim, ffn), "mlp.w3": (ffn, dim)}
        self.fill("tok_embeddings", (CONFIG["vocab_size"], dim))
        for layer in range(CONFIG["layers"]):
            for name, shape in shapes.items():
                self.fill(f"layers.{layer}.{name}", shape)
            self.fill(f"layers.{layer}.sa_norm", (dim,))
            self.fill(f"layers.{layer}.mlp_norm", (dim,))
        self.fill("norm", (dim,))
        self.fill("output", (CONFIG["vocab_size"], dim))
        self.quantised = [f"layers.{layer}.{name}" for layer in range(CONFIG["layers"]) for name in shapes]
        for name in self.quantised:
            self.weights[name] = to_nf4(self.weights[name])
        stream = 11000
        for layer in range(CONFIG["layers"]):
            for name in ADAPTED:
                out, width = shapes[name]
                a = math.sqrt(GAIN / width) * sym(seed, stream, (RANK, width))
                self.adapters[f"layers.{layer}.{name}.lora_a.weight"] = torch.tensor(a).to(dtype).requires_grad_()
                self.adapters[f"layers.{layer}.{name}.lora_b.weight"] = torch.zeros(out, RANK, dtype=dtype, requires_grad=True)
                stream += 2

    def fill(self, name, shape):
        s = sym(self.seed, self.stream, shape)
        self.stream += 1
        self.weights[name] = torch.tensor(1 + 0.1 * s if len(shape) == 1 else math.sqrt(GAIN / shape[1]) * s).to(self.dtype)

    def linear(self, name, x):
        y = linear_nf4(x, self.weights[name])
        if name.split(".", 2)[2] not in ADAPTED:
            return y
        a, b = (self.adapters[f"{name}.lora_{which}.weight"] for which in "ab")
        return y + (ALPHA / RANK) * ((x @ a.T) @ b.T)

    def norm(self, name, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + CONFIG["norm_eps"]) * self.weights[name]

    def rotate(self, x):
        pairs, length = x.shape[-1] // 2, x.shape[1]
        theta = 1.0 / (CONFIG["rope_base"] ** (torch.arange(0, 2 * pairs, 2, dtype=self.dtype) / (2 * pairs)))
        angle = (torch.arange(length, dtype=self.dtype)[:, None] * theta)[None, :, None, :]
        even, odd = x[..., 0::2], x[..., 1::2]
        turned = (even * angle.cos() - odd * angle.sin(), odd * angle.cos() + even * angle.sin())
        return torch.stack(turned, -1).flatten(-2)

    def attention(self, layer, x):
        batch, length, dim = x.shape
        width = dim // CONFIG["heads"]
        q, k, v = (self.linear(f"{layer}.attn.{name}_proj", x).view(batch, length, -1, width) for name in "qkv")
        repeat = CONFIG["heads"] // CONFIG["kv_heads"]
        k, v = (tensor.repeat_interleave(repeat, 2) for tensor in (self.rotate(k), v))
        out = scaled_dot_product_attention(*(tensor.transpose(1, 2) for tensor in (self.rotate(q), k, v)), is_causal=True)
        return self.linear(f"{layer}.attn.output_proj", out.transpose(1, 2).reshape(batch, length, dim))

    def logits(self, tokens):
        x = self.weights["tok_embeddings"][tokens]
        for number in range(CONFIG["layers"]):
            layer = f"layers.{number}"
            x = x + self.attention(layer, self.norm(f"{layer}.sa_norm", x))
            h = self.norm(f"{layer}.mlp_norm", x)
            x = x + self.linear(f"{layer}.mlp.w2", silu(self.linear(f"{layer}.mlp.w1", h)) * self.linear(f"{layer}.mlp.w3", h))
        return self.norm("norm", x) @ self.weights["output"].T

    def train(self, tokens, labels):
        rule = {key: OPTIMIZER[key] for key in ("eps", "weight_decay")}
        optimizer = torch.optim.AdamW(self.adapters.values(), lr=OPTIMIZER["learning_rate"],
                                      betas=(OPTIMIZER["beta1"], OPTIMIZER["beta2"]), **rule)
        shifted = torch.hstack((labels[:, 1:], torch.full((len(labels), 1), -100)))
        losses, norms, first = [], [], {}
        for step in range(STEPS):
            optimizer.zero_grad()
            loss = cross_entropy(self.logits(tokens).flatten(0, 1), shifted.flatten(), ignore_index=-100)
            loss.backward()
            losses.append(loss.item())
            gradients = {name: tensor.grad.clone() for name, tensor in self.adapters.items()}
            norms.append(math.sqrt(sum(float(one.double().square().sum()) for one in gradients.values())))
            first = gradients if step == 0 else first
            optimizer.step()
        return losses, norms, first


def qlora_part(seed, tokens, labels):
    part = {"config": CONFIG, "tokens": {"stream": 3, "rule": "word mod 512", "shape": list(tokens.shape),
                                         "values": tokens.tolist()},
            "labels": labels.tolist(), "rank": RANK, "alpha": ALPHA, "optimizer": OPTIMIZER}
    models, gradients = {}, {}
    for precision, dtype in (("fp64", torch.float64), ("fp32", torch.float32)):
        model = models[precision] = Model(seed, dtype)
        part["quantised_tensors"] = [name + ".weight" for name in model.quantised]
        part["trainable_parameters"] = sum(tensor.numel() for tensor in model.adapters.values())
        part["logits_" + precision] = digest([model.logits(tokens)], 8)
        part["losses_" + precision], part["gradient_norms_" + precision], gradients[precision] = model.train(tokens, labels)
    part["gradients_step0"] = {
        name: {**digest([want], 4), "fp32_relative_l2_error": relative_l2([gradients["fp32"][name]], [want])}
        for name, want in gradients["fp64"].items() if "lora_b" in name}
    after = [list(models[precision].adapters.values()) for precision in ("fp64", "fp32")]
    part[f"adapters_after_{STEPS}_steps_fp64"] = digest(after[0], 8)
    part[f"adapters_after_{STEPS}_steps_fp32_relative_l2_error"] = relative_l2(after[1], after[0])
    return part


def largest_difference(got, want):
    """Of numbers in the same places; relative above 1."""
    if isinstance(want, dict):
        return max(largest_difference(got[key], value) for key, value in want.items())
    if isinstance(want, list):
        assert len(got) == len(want)
        return max(map(largest_difference, got, want), default=0.0)
    if isinstance(want, str):
        return 0.0 if got == want else math.inf
    return abs(got - want) / max(1.0, abs(want))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", metavar="FILE")
    file = parser.parse_args().check
    np.seterr(over="ignore")
    torch.set_num_threads(1)
    if file:
        with open(file, encoding="utf-8") as stream:
            golden = json.load(stream)
        want = golden["qlora_model"]
        got = qlora_part(golden["seed"], torch.tensor(want["tokens"]["values"]), torch.tensor(want["labels"]))
        for key in want:
            print(f"{key}: {largest_difference(got[key], want[key]):.2g}")
        return
    shape = (2, 16)
    tokens = torch.tensor((word(SEED, 3, shape) % np.uint64(512)).astype(np.int64))
    labels = torch.where(torch.tensor(sym(SEED, 4, shape) > 0), tokens, -100)
    versions = {"torch": torch.__version__.split("+")[0], "torchao": torchao.__version__, "numpy": np.__version__}
    json.dump({"topic": "quant", "seed": SEED, "gain": GAIN, "versions": versions,
               "qlora_model": qlora_part(SEED, tokens, labels)}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
