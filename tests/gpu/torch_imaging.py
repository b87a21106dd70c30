# SPDX-License-Identifier: Apache-2.0
"""Times training steps of MobileNetV2 by PyTorch in Python: the peer of imaging/train.

Prints a JSON line for each size of image and kind: the settings, the number of parameters, and step_time, the seconds of each step
behind the warm-up.
The network is that of Sandler et al. 2018, Table 2, with ten classes; as in imaging/train, a step is the forward pass,
the mean cross-entropy, the backward pass and SGD with momentum 0.9. The batch lies on the device. A step ends when the
device has finished it.
"""
import argparse
import itertools
import json
import statistics
import time

import torch
from torch import nn

# As torchvision's mobilenet_v2 has with ten classes, and imaging/train.
PARAMETERS = 2236682
# Expansion, channels, repeats, stride of the bottlenecks.
BOTTLENECKS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


def convolution(inputs, outputs, size, stride=1, groups=1):
    return [nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]


class Bottleneck(nn.Module):
    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        hidden = inputs * expansion
        layers = [*convolution(inputs, hidden, 1), nn.ReLU6(inplace=True)] if expansion > 1 else []
        self.layers = nn.Sequential(*layers, *convolution(hidden, hidden, 3, stride, hidden), nn.ReLU6(inplace=True),
                                    *convolution(hidden, outputs, 1))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


def mobilenet_v2(classes=10):
    layers, inputs = [*convolution(3, 32, 3, 2), nn.ReLU6(inplace=True)], 32
    for expansion, outputs, repeats, stride in BOTTLENECKS:
        for k in range(repeats):
            layers.append(Bottleneck(inputs, outputs, stride if k == 0 else 1, expansion))
            inputs = outputs
    layers += [*convolution(inputs, 1280, 1), nn.ReLU6(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2),
               nn.Linear(1280, classes)]
    return nn.Sequential(*layers)


def train(options):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = options.precision == "tf32"
    torch.manual_seed(1)
    device = torch.device(options.device)
    order = torch.channels_last if options.layout == "nhwc" else torch.contiguous_format
    network = mobilenet_v2().to(device, memory_format=order)
    assert sum(p.numel() for p in network.parameters()) == PARAMETERS
    images = torch.rand(options.batch, 3, options.image, options.image, device=device).to(memory_format=order)
    labels = torch.randint(10, (options.batch,), device=device)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    loss_of = nn.CrossEntropyLoss()
    half = options.precision in ("bf16", "fp16")
    kind = torch.float16 if options.precision == "fp16" else torch.bfloat16
    scaler = torch.amp.GradScaler(options.device, enabled=options.precision == "fp16")
    synchronize = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    times = []
    for step in range(options.warmup + options.steps):
        synchronize()
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(options.device, dtype=kind, enabled=half):
            loss = loss_of(network(images), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        synchronize()
        if step >= options.warmup:
            times.append(time.perf_counter() - start)
    return {"torch": torch.__version__, "parameters": PARAMETERS, "loss": loss.item(),
            "median": statistics.median(times), "step_time": times}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    kinds = [f"{layout}-{precision}" for layout in ("nchw", "nhwc") for precision in ("fp32", "tf32", "bf16", "fp16")]
    parser.add_argument("--kind", nargs="+", choices=kinds, default=["nchw-fp32"], help="layouts and precisions (default nchw-fp32)")
    parser.add_argument("--image", nargs="+", type=int, default=[100], help="edge lengths in pixels (default 100)")
    parser.add_argument("--batch", type=int, default=32, help="images a step (default 32)")
    parser.add_argument("--steps", type=int, default=100, help="timed steps (default 100)")
    parser.add_argument("--warmup", type=int, default=10, help="steps before them (default 10)")
    given = vars(parser.parse_args())
    for image, kind in itertools.product(given.pop("image"), given.pop("kind")):
        layout, precision = kind.split("-")
        options = argparse.Namespace(**given, image=image, layout=layout, precision=precision)
        print(json.dumps({**vars(options), **train(options)}), flush=True)


if __name__ == "__main__":
    main()
