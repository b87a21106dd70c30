#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes quant_seed7.json: the unit cases of golden topic "quant" by NumPy alone, for another seed and other shapes,
groups, ranks and inputs than the libraries' file has. Shares no code with Scalemark.

    python3 tests/golden/quant_seed7.py > tests/golden/quant_seed7.json
"""
import json
import math

import numpy as np

SEED, GAIN = 7, 2.0
CODEBOOK = [-1.0, -0.6962, -0.5251, -0.3949, -0.2844, -0.1848, -0.0911, 0.0,
            0.0796, 0.1609, 0.2461, 0.3379, 0.4407, 0.5626, 0.7230, 1.0]
FP32_EPSILON, BF16_EPSILON = np.float32(2.0**-23), np.float32(2.0**-7)


def mix(x):
    z = np.asarray(x, np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def sym(seed, stream, shape):
    """The filling rule: doubles in [-1, 1)."""
    index = np.arange(math.prod(shape), dtype=np.uint64)
    word = mix(mix(mix(seed) + np.uint64(stream)) + index)
    return ((word >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1).reshape(shape)


def rounding(precision):
    """Rounds to the precision; bf16 is kept in fp32."""
    def bf16(x):
        bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
        bits = bits + np.uint64(0x7FFF) + ((bits >> np.uint64(16)) & np.uint64(1))
        return (bits >> np.uint64(16) << np.uint64(16)).astype(np.uint32).view(np.float32)

    return {"fp64": lambda x: np.asarray(x, np.float64), "fp32": lambda x: np.asarray(x, np.float32),
            "bf16": bf16}[precision]


def numbers(values):
    return [float(value) for value in np.ravel(values)]


def digest(values):
    x = np.asarray(values, np.float64).ravel()
    weights = sym(0, 0, x.shape).astype(np.longdouble)
    return {"n": len(x), "sum": math.fsum(x), "abs_sum": math.fsum(abs(x)),
            "weighted_sum": math.fsum(x.astype(np.longdouble) * weights), "first": numbers(x[:8]),
            "last": numbers(x[-8:])}


def test_weight(shape):
    s, r = sym(SEED, 9, shape), sym(SEED, 11, shape[:1])
    rule = {"stream": 9, "row_stream": 11, "rule": "0.3 * (s*s*s) * (1 + 0.5 * r[row])", "shape": shape}
    return rule, 0.3 * (s * s * s) * (1 + 0.5 * r[:, None])


def nf4(weight, precision):
    """The weight after quantising, and what the file says of it."""
    rounded = rounding(precision)
    w = rounded(weight)
    blocks = w.reshape(-1, 64)
    largest = np.abs(blocks).max(1)
    scaled, book = rounded(blocks / largest[:, None]), rounded(np.array(CODEBOOK))
    code = np.argmin(np.stack([rounded(np.abs(rounded(scaled - value))) for value in book]), axis=0)
    mean = rounded(math.fsum(largest.astype(np.float64)) / len(largest))
    centred = rounded(largest - mean).reshape(-1, 256)
    factor = rounded(256 / rounded(2 * np.abs(centred).max(1)))
    scalers = np.clip(np.rint(rounded(centred * factor[:, None])), -128, 127)
    scales = rounded(rounded(rounded(scalers) / factor[:, None]).ravel() + mean)
    back = rounded(book[code] * scales[:, None]).reshape(w.shape)
    packed = code.ravel()[::2] * 16 + code.ravel()[1::2]
    error = np.linalg.norm(back.astype(np.float64) - w) / np.linalg.norm(w.astype(np.float64))
    return back, {
        "weight": digest(w), "codes": digest(code), "packed_first_32_bytes": [int(byte) for byte in packed[:32]],
        "packed_bytes": digest(packed), "code_histogram": np.bincount(code.ravel(), minlength=16).tolist(),
        "block_absmax": digest(largest), "scaler_mean": float(mean), "quantization_factor": numbers(factor),
        "int8_scalers": digest(scalers), "dequantised_scales": digest(scales), "dequantised_weight": digest(back),
        "quantisation_error_l2": float(error), "dequantised_row_7": numbers(back[7])}


def nf4_products(back, x, gradient, precision):
    rounded = rounding(precision)
    rows, width = back.shape
    rank, alpha = 4, 6
    w, x, gradient, a, b = (rounded(matrix).astype(np.float64) for matrix in (
        back, x, gradient, math.sqrt(GAIN / width) * sym(SEED, 11000, [rank, width]),
        math.sqrt(GAIN / rank) * sym(SEED, 11001, [rows, rank])))
    factor = alpha / rank
    return {"y": digest(x @ w.T), "x_gradient": digest(gradient @ w),
            "lora": {"rank": rank, "alpha": alpha, "adapter_streams": [11000, 11001],
                     "y": digest(x @ w.T + factor * (x @ a.T) @ b.T),
                     "x_gradient": digest(gradient @ w + factor * (gradient @ b) @ a),
                     "lora_a_gradient": digest(factor * (gradient @ b).T @ x),
                     "lora_b_gradient": digest(factor * gradient.T @ (x @ a.T))}}


def fake_quantised(weight, x, gradient, group, precision, older=False):
    """older: without the clip mask, and with fp32's floor of weight scales."""
    rounded = rounding(precision)
    w, x, gradient = rounded(weight), rounded(x), rounded(gradient).astype(np.float64)
    groups = w.reshape(-1, group)
    floor = BF16_EPSILON if precision == "bf16" and not older else FP32_EPSILON
    w_scale = np.maximum(rounded(np.abs(groups).max(1) / np.float32(7.5)), floor)
    w_raw = np.rint(groups * (np.float32(1) / w_scale)[:, None])
    w_code = np.clip(w_raw, -8, 7)
    w_values = rounded(w_code * w_scale[:, None]).reshape(w.shape).astype(np.float64)
    least, most = np.minimum(x.min(1), 0), np.maximum(x.max(1), 0)
    x_scale = np.maximum(rounded(rounded(most - least) / np.float32(255)), FP32_EPSILON)
    zero = np.clip(rounded(-128 - np.rint(rounded(least / x_scale))), -128, 127)
    x_raw = np.rint(x * (np.float32(1) / x_scale)[:, None]) + zero[:, None]
    x_code = np.clip(x_raw, -128, 127)
    x_values = rounded((x_code - zero[:, None]) * x_scale[:, None]).astype(np.float64)
    w_inside, x_inside = (w_raw == w_code).reshape(w.shape) | older, (x_raw == x_code) | older
    result = {
        "weight_scales": digest(w_scale), "weight_codes": digest(w_code),
        "weight_codes_clipped": int((w_raw != w_code).sum()), "fake_quantised_weight": digest(w_values),
        "activation_scales": numbers(x_scale), "activation_zero_points": numbers(zero),
        "activation_codes": digest(x_code), "fake_quantised_activations": digest(x_values),
        "y": digest(rounded(x_values @ w_values.T)), "x_gradient": digest(rounded(gradient @ w_values * x_inside)),
        "weight_gradient": digest(rounded(gradient.T @ x_values * w_inside)),
        "y_disabled": digest(rounded(x.astype(np.float64) @ w.astype(np.float64).T))}
    if precision == "fp32":
        result["weight_gradient_without_clip_mask"] = digest(gradient.T @ x_values)
        result["fake_quantised_weight_row0_first_group"] = numbers(w_values[0][:group])
    return result


def nf4_case():
    shape, tokens = [96, 512], 4
    rule, weight = test_weight(shape)
    x, gradient = sym(SEED, 6, [tokens, shape[1]]), sym(SEED, 7, [tokens, shape[0]])
    linear = {"x": {"stream": 6, "rule": "symmetric", "shape": list(x.shape)},
              "output_gradient": {"stream": 7, "rule": "symmetric", "shape": list(gradient.shape)}}
    case = {"weight": rule, "block_size": 64, "scaler_block_size": 256, "codebook": CODEBOOK,
            "bits_per_parameter": 4 + 8 / 64 + 32 / (64 * 256), "linear": linear}
    for precision in ("fp64", "fp32", "bf16"):
        back, case[precision] = nf4(weight, precision)
        if precision != "bf16":
            linear[precision] = nf4_products(back, x, gradient, precision)
    return case


def main():
    np.seterr(over="ignore")
    shape, group, tokens = [40, 384], 128, 6
    rule, weight = test_weight(shape)
    x, gradient = 1.5 * sym(SEED, 6, [tokens, shape[1]]) + 0.125, sym(SEED, 7, [tokens, shape[0]])
    qat = {"weight": rule, "x": {"stream": 6, "rule": "1.5 * symmetric + 0.125", "shape": list(x.shape)},
           "output_gradient": {"stream": 7, "rule": "symmetric", "shape": list(gradient.shape)},
           "group_size": group, "clip_mask_in_weight_gradient": True}
    for precision in ("fp32", "bf16"):
        qat[precision] = fake_quantised(weight, x, gradient, group, precision)
    older = {"group_size": group, **fake_quantised(weight, x, gradient, group, "bf16", older=True)}
    versions = {"numpy": np.__version__}
    print(json.dumps({"topic": "quant", "seed": SEED, "gain": GAIN, "versions": versions, "nf4": [nf4_case()],
                      "qat": [qat], "older_torchao": {"versions": versions, "qat_bf16": [older]}}))


if __name__ == "__main__":
    main()
