# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2317  # sourced by run.sh, whose names these are; functions are called by step
# Part c: MobileNetV2 training beside PyTorch in Python, in turns: ours, theirs, ours, theirs. Same network, batch, size of
# image, optimiser, precision and layout; images lie on the device on both sides, so that loading is no part of the ratio.

torch_training() { # file
  timeout --kill-after=10 "$seconds" python3 "$here/torch_imaging.py" --image 100 300 --batch 32 --steps 100 \
    --kind nchw-fp32 nhwc-fp32 nhwc-tf32 nhwc-bf16 >"$1" || return
  cat "$1"
}

# shellcheck disable=SC2054  # lists of values have commas
resident=(-a ranks=1 -a device=cuda -a mode=tuned -a loader=device -a broadcast_buffers=false -a strategy=single
  -a graphs=false -a batch=32 -a images=3200 -a test_images=32 -a epochs=1 -a image=100,300)
for turn in 1 2; do
  measure "nchw-$turn" 45 1 '^imaging/train$' "${resident[@]}" -a layout=nchw -a precision=fp32
  measure "nhwc-$turn" 60 1 '^imaging/train$' "${resident[@]}" -a layout=nhwc -a precision=fp32,tf32,bf16
  step "torch-$turn" 90 torch_training "$work/torch-$turn.torch.jsonl"
done
# As the studies ran it, and with the steps as one graph: what the causes of lost time cost.
measure paper 60 1 '^imaging/train$' -a ranks=1 -a device=cuda -a batch=32 -a workers=4 -a images=3200 -a test_images=320 \
  -a epochs=1 -a image=300 -a pin_memory=false,true
measure graphs 60 1 '^imaging/train$' -a ranks=1 -a device=cuda -a mode=tuned -a loader=device -a layout=nhwc \
  -a broadcast_buffers=false -a graphs=true -a batch=32 -a images=3200 -a test_images=320 -a epochs=1 -a image=100,300 \
  -a precision=fp32,tf32,bf16
