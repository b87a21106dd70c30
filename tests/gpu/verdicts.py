# SPDX-License-Identifier: Apache-2.0
"""The tables of a part of tests/gpu/run.sh: each step with its verdict, each figure beside its limit or a peer's figure.

  verdicts.py FOLDER [GPU]

FOLDER has NAME.step and NAME.jsonl of the steps, or NAME.json where they explain one; GPU is the device's name (default: what nvidia-smi says). Verdicts of figures:
"ok" or "off" where a target is known for this GPU, else "-"; "missing" where the row is not there. A figure
off its target is a finding to look into, not a failure.
"""
import functools
import json
import pathlib
import statistics
import subprocess
import sys

# What a GPU can do at most, by NVIDIA's data sheets (dense, without sparsity), and what others measured. bf16 of the H200:
# 788 TFLOP/s on random numbers by cuBLASLt, 894 on zeros, which draw less power; copies within the device by nvbandwidth 0.8,
# read and written.
LIMITS = {
    "H200": {"memory": 4.8e12, "pcie": 63.0e9, "fp64": 67e12, "fp32": 67e12, "tf32": 495e12, "bf16": 989e12, "fp16": 989e12,
             "fp8": 1979e12},
    "H100": {"memory": 3.35e12, "pcie": 63.0e9, "fp64": 67e12, "fp32": 67e12, "tf32": 495e12, "bf16": 989e12, "fp16": 989e12,
             "fp8": 1979e12},
}
MEASURED = {"H200": {"bf16": 788e12, "d2d": 4164e9}}
MIB, GIB = 1 << 20, 1 << 30


@functools.cache
def rows(folder, name):
    file = folder / f"{name}.jsonl"
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("{")]


def medians(folder, step, metric, benchmark=None, **params):
    """Medians of the rows that ran, with these values of axes (an axis that a row leaves out has its default)."""
    found = []
    for row in rows(folder, step):
        if row["status"] != "ok" or (benchmark and row["name"] != benchmark) or metric not in row["metrics"]:
            continue
        if all(row["params"].get(axis) == value for axis, value in params.items()):
            found.append(row["metrics"][metric]["median"])
    return found


def median(folder, step, metric, benchmark=None, **params):
    found = medians(folder, step, metric, benchmark, **params)
    return statistics.median(found) if found else None


class Table:
    def __init__(self):
        self.lines = [("figure", "measured", "target", "ratio", "verdict")]

    def add(self, figure, value, unit, target=None, least=None, most=None):
        """A value beside a target; ok where value / target is at least `least`, or at most `most`."""
        if value is None:
            self.lines.append((figure, "-", "-", "-", "missing"))
            return
        ratio = value / target if target else None
        verdict = "-"
        if ratio is not None and (least or most):
            verdict = "ok" if (least is None or ratio >= least) and (most is None or ratio <= most) else "off"
        self.lines.append((figure, unit(value), unit(target) if target else "-", f"{ratio:.3f}" if target else "-", verdict))

    def text(self):
        widths = [max(len(line[i]) for line in self.lines) for i in range(5)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in self.lines)


def giga_bytes(value):
    return f"{value / 1e9:.1f} GB/s"


def tera_flops(value):
    return f"{value / 1e12:.1f} TFLOP/s"


def micro_seconds(value):
    return f"{value * 1e6:.2f} us"


def milli_seconds(value):
    return f"{value * 1e3:.2f} ms"


def plain(value):
    return f"{value:.3f}"


def micro(folder, limits, measured, table):
    for direction in ("h2d", "d2h", "bidirectional"):
        for memory in ("pinned", "pageable"):
            found = median(folder, "copies", "bandwidth", direction=direction, host_memory=memory, bytes=512 * MIB, engine="copy_engine")
            known = memory == "pinned" and direction != "bidirectional"
            table.add(f"memcpy {direction} {memory} 512 MiB", found, giga_bytes, limits.get("pcie") if known else None, least=0.85)
    for engine in ("copy_engine", "kernel"):
        found = median(folder, "copies", "event_bandwidth", direction="d2d", bytes=512 * MIB, engine=engine)
        # Each byte is read and written.
        moved = None if found is None else 2 * found
        table.add(f"memcpy d2d {engine} 512 MiB, read and written", moved, giga_bytes, limits.get("memory"), least=0.85)
        if engine == "copy_engine" and "d2d" in measured:
            table.add("memcpy d2d, of nvbandwidth's", moved, giga_bytes, measured["d2d"], least=0.98)
    for operation in ("copy", "triad"):
        found = median(folder, "device-stream", "bandwidth", operation=operation, bytes=GIB)
        table.add(f"stream {operation} 1 GiB", found, giga_bytes, limits.get("memory"), least=0.88)
    for precision in ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8"):
        found = median(folder, "products", "achieved_flops", precision=precision, rows=8192, fast_accumulation=False)
        table.add(f"gemm 8192 {precision}, of the data sheet's", found, tera_flops, limits.get(precision))
        if precision in measured:
            table.add(f"gemm 8192 {precision}, of others' measurement", found, tera_flops, measured[precision], least=0.95)
    found = median(folder, "products", "achieved_flops", precision="fp8", rows=8192, fast_accumulation=True)
    table.add("gemm 8192 fp8 with fast accumulation, of the data sheet's", found, tera_flops, limits.get("fp8"))
    for metric in ("launch_time", "start_latency", "queue_time"):
        found = median(folder, "launches", metric, benchmark="micro/kernel_launch", graph_nodes=0, streams=1)
        table.add(f"kernel_launch {metric}", found, micro_seconds, 10e-6, most=1)
    layouts(folder, table)


def layouts(folder, table):
    """NHWC / NCHW by precision and pass: the median over layers. Below 1: NHWC is faster, as tensor cores want it."""
    for precision in ("fp32", "tf32", "bf16"):
        for direction in ("forward", "train"):
            ratios = []
            for layer in {row["params"]["layer"] for row in rows(folder, "convolutions")}:
                pair = [median(folder, "convolutions", "time", layer=layer, layout=layout, precision=precision, autotune=True,
                               **{"pass": direction}) for layout in ("nhwc", "nchw")]
                if None not in pair:
                    ratios.append(pair[0] / pair[1])
            table.add(f"conv2d NHWC/NCHW {precision} {direction}, median layer", statistics.median(ratios) if ratios else None, plain, 1,
                      most=1 if precision == "bf16" else None)


def imaging(folder, _limits, _measured, table):
    """Ours divided by PyTorch's step, median over the turns."""
    for size in (100, 300):
        for kind in ("nchw-fp32", "nhwc-fp32", "nhwc-tf32", "nhwc-bf16"):
            layout, precision = kind.split("-")
            settings = {"image": size, "layout": layout, "precision": precision}
            ours, theirs = [], []
            for turn in (1, 2):
                ours += medians(folder, f"{layout}-{turn}", "compute_time", **settings)
                theirs += [line["median"] for line in rows(folder, f"torch-{turn}.torch") if settings.items() <= line.items()]
            both = ours and theirs
            table.add(f"MobileNetV2 {size} px {kind}, a step beside PyTorch's", statistics.median(ours) if both else None, milli_seconds,
                      statistics.median(theirs) if both else None, most=1.05)
    for pinned in (False, True):
        table.add(f"as the studies ran it, 300 px, pinned={str(pinned).lower()}", median(folder, "paper", "step_time", pin_memory=pinned),
                  milli_seconds)
    for size in (100, 300):
        for precision in ("fp32", "tf32", "bf16"):
            table.add(f"tuned with graphs, {size} px, {precision}",
                      median(folder, "graphs", "step_time", image=size, precision=precision), milli_seconds)


def llm(folder, _limits, _measured, table):
    for step in ("tiny", "1b", "8b-paper", "8b-tuned", "8b-methods"):
        for row in rows(folder, step):
            if row["status"] != "ok":
                table.lines.append((f"{step}: {row['key']}"[:80], "-", "-", "-", f"{row['status']}: {row['reason']}"[:60]))
                continue
            what = " ".join(f"{axis}={row['params'][axis]}" for axis in ("mode", "method", "precision", "packed", "graphs")
                            if axis in row["params"])
            metrics = {name: metric["median"] for name, metric in row["metrics"].items()}
            table.add(f"{step} {what}: step", metrics.get("step_time"), milli_seconds)
            table.add(f"{step} {what}: tokens/s", metrics.get("tokens_per_second"), plain)
            if "memory_prediction_error" in metrics:
                table.add(f"{step} {what}: 1 + error of the predicted memory", 1 + metrics["memory_prediction_error"], plain, 1,
                          least=0.9, most=1.1)


def steps(folder, _limits, _measured, table):
    """What the rows of its operations say of a step."""
    for file in sorted(folder.glob("*.json")):
        for step in json.loads(file.read_text(encoding="utf-8")):
            axes = dict(word.split("=", 1) for word in step["key"].split() if "=" in word)
            what = " ".join(f"{axis}={axes[axis]}" for axis in ("image", "layout") if axis in axes)
            table.add(f"{file.stem} {what}".strip() + ": rows, of the step", step["explained"], milli_seconds, step["step"], least=0.9, most=1.1)


FIGURES = {"b": micro, "c": imaging, "d": llm, "e": steps}


def name_of_gpu():
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, timeout=30,
                              check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout.splitlines() or [""])[0]


def main():
    if len(sys.argv) not in (2, 3) or not pathlib.Path(sys.argv[1]).is_dir():
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    folder = pathlib.Path(sys.argv[1])
    gpu = sys.argv[2] if len(sys.argv) == 3 else name_of_gpu()
    known = next((name for name in LIMITS if name in gpu), "")
    print(f"\nPart {folder.name} on {gpu or 'an unknown GPU'}{'' if known else ': no targets are known for it'}")
    for file in sorted(folder.glob("*.step"), key=lambda path: path.stat().st_mtime):
        print(f"  {file.stem:<36} {file.read_text(encoding='utf-8').strip()}")
    if folder.name in FIGURES:
        table = Table()
        FIGURES[folder.name](folder, LIMITS.get(known, {}), MEASURED.get(known, {}), table)
        print("\n" + table.text())


if __name__ == "__main__":
    main()
