# SPDX-License-Identifier: Apache-2.0
"""Beside PyTorch in Python on the same machine: training steps and data loading, alternating in one session.

    python3 tests/peers/pytorch.py --scalemark build/cpu-release/suites/scalemark [--runs 7] [--part step loader]

The Python that runs this must have PyTorch 2.11 and torchvision 0.26. Both sides work with one thread, on the same
shapes, layout and optimiser (MobileNetV2, SGD with momentum, fp32, the loss read in each step). PyTorch's steps are
taken twice, as it comes and with a heap that keeps freed memory. Machines are noisy: only the median of the paired
ratios means anything; beside it the 95 % interval of that median, from order statistics.
"""
import argparse
import pathlib
import statistics
import tempfile
import time

from paired import KEPT_HEAP, head, in_child, ours, row

STEPS = [  # mode, image, batch, layout, steps
    ("paper", 100, 32, "nchw", 12),
    ("paper", 100, 32, "nhwc", 12),
    ("paper", 32, 4, "nchw", 60),
    ("tuned", 100, 32, "nhwc", 12),
]
SUBSET = pathlib.Path(__file__).resolve().parents[2] / "suites" / "imaging" / "data" / "files"


def torch_setup():
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(1)
    return torch


def torch_step(image, batch, layout, steps):
    """Median seconds of a training step, batch in memory."""
    torch = torch_setup()
    import torchvision

    model = torchvision.models.mobilenet_v2(num_classes=10)
    images, labels = torch.randn(batch, 3, image, image), torch.randint(10, (batch,))
    if layout == "nhwc":
        model = model.to(memory_format=torch.channels_last)
        images = images.to(memory_format=torch.channels_last)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loss_of, times = torch.nn.CrossEntropyLoss(), []
    for _ in range(steps + 3):
        start = time.perf_counter()
        optimiser.zero_grad()
        loss = loss_of(model(images), labels)
        loss.backward()
        optimiser.step()
        loss.item()
        times.append(time.perf_counter() - start)
    return statistics.median(times[3:])


def torch_loader(kind, image, batch, batches):
    """Images per second of a core: `pil` is the usual torchvision chain, `tensor` the best of plain tensors."""
    torch = torch_setup()
    from torch.utils.data import DataLoader, Dataset
    from torchvision.datasets.mnist import read_image_file
    from torchvision import transforms
    import gzip

    raw = gzip.open(next(SUBSET.glob("train-images*.gz"))).read()
    with tempfile.NamedTemporaryFile(suffix="-images-idx3-ubyte") as file:
        file.write(raw)
        file.flush()
        pixels = read_image_file(file.name)
    chain = transforms.Compose([transforms.ToPILImage(), transforms.Grayscale(3), transforms.Resize((image, image)),
                                transforms.ToTensor(), transforms.Normalize((0.1307,) * 3, (0.3081,) * 3)])

    class Digits(Dataset):
        def __len__(self):
            return len(pixels)

        def __getitem__(self, index):
            return chain(pixels[index])

    def best():
        order = torch.randperm(len(pixels))
        for start in range(0, len(order) - batch + 1, batch):
            x = pixels[order[start:start + batch]].unsqueeze(1).float().div_(255).sub_(0.1307).div_(0.3081)
            yield torch.nn.functional.interpolate(x, size=(image, image), mode="bilinear").expand(-1, 3, -1, -1).contiguous()

    source = iter(DataLoader(Digits(), batch_size=batch, shuffle=True)) if kind == "pil" else best()
    next(source)
    start = time.perf_counter()
    for _ in range(batches):
        next(source)
    return batches * batch / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scalemark", required=True)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--part", nargs="+", choices=["step", "loader"], default=["step", "loader"])
    arguments = parser.parse_args()
    head("PyTorch", arguments.runs)
    with tempfile.TemporaryDirectory() as folder:
        for mode, image, batch, layout, steps in STEPS if "step" in arguments.part else []:
            a, plain, kept = [], [], []
            for _ in range(arguments.runs):
                metrics = ours(arguments.scalemark, "imaging/train",
                               {"strategy": "single", "mode": mode, "image": image, "batch": batch, "layout": layout,
                                "images": batch * (steps + 3), "test_images": 1}, folder)
                a.append(metrics["compute_time"]["median"])
                plain.append(in_child("pytorch", "torch_step", image, batch, layout, steps))
                kept.append(in_child("pytorch", "torch_step", image, batch, layout, steps, environment=KEPT_HEAP))
            label = f"step {image} px, batch {batch}, {layout}, {mode}"
            row(label, "s", a, plain)
            row(label + ", kept heap", "s", a, kept)
        for kind in ["pil", "tensor"] if "loader" in arguments.part else []:
            a, b = [], []
            for _ in range(arguments.runs):
                metrics = ours(arguments.scalemark, "imaging/loader",
                               {"loader": "threads", "image": 100, "batch": 32, "workers": 0}, folder, ("--max-time", "1s"))
                a.append(metrics["images_per_second"]["median"])
                b.append(in_child("pytorch", "torch_loader", kind, 100, 32, 40 if kind == "pil" else 200))
            row(f"loader 100 px, against {kind}", "image/s", a, b)


if __name__ == "__main__":
    main()
