# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # sourced by run.sh, whose names these are
# Part d: LoRA and inference of Llama3. The small model first: a fault shows there within seconds.

measure tiny 60 1 '^llm/finetune$' -a ranks=1 -a device=cuda -a model=tiny -a rows=16 -a steps=4 -a sequence=64 \
  -a method=lora,qlora,dpo,qat -a parallel=single
measure 1b 90 1 '^llm/finetune$' -a ranks=1 -a device=cuda -a model=1b -a dataset=alpaca -a rows=200 -a steps=20 \
  -a mode=paper,tuned -a parallel=single
measure 8b-paper 150 1 '^llm/finetune$' -a ranks=1 -a device=cuda -a model=8b -a dataset=alpaca -a rows=200 -a steps=20 \
  -a mode=paper -a parallel=single
measure 8b-tuned 120 1 '^llm/finetune$' -a ranks=1 -a device=cuda -a model=8b -a dataset=alpaca -a rows=2000 -a steps=12 \
  -a mode=tuned -a parallel=ddp -a pin_memory=true -a precision=bf16 -a packed=true -a sequence=4096 -a batch=1 -a graphs=false,true
measure 8b-methods 150 1 '^llm/finetune$' -a ranks=1 -a device=cuda -a model=8b -a dataset=alpaca -a rows=100 -a steps=8 \
  -a method=qlora,dpo,qat -a precision=bf16 -a parallel=single
measure inference 200 1 --preset inference
