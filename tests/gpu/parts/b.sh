# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # sourced by run.sh, whose names these are
# Part b: figures of the micro suite that have a limit or a peer's figure beside them.

measure copies 90 1 '^micro/memcpy$' -a ranks=1 -a direction=h2d,d2h,d2d,bidirectional -a host_memory=pinned,pageable \
  -a engine=copy_engine,kernel -a bytes=4,512M
measure launches 45 1 '^micro/(kernel_launch|event)$' -a ranks=1
measure products 60 1 '^micro/gemm$' -a ranks=1 -a device=cuda -a shape=square -a rows=8192 \
  -a precision=fp64,fp32,tf32,bf16,fp16,fp8 -a fast_accumulation=false,true
measure burn-in 60 1 '^micro/burn_in$' -a ranks=1 -a device=cuda -a rows=8192 -a precision=bf16,fp64 -a seconds=15
measure best-product 40 1 '^micro/gemm$' -a ranks=1 -a device=cuda -a shape=best -a rows=16384 -a precision=bf16,fp8
measure gradients 40 1 '^micro/gemm$' -a ranks=1 -a device=cuda -a shape=gate,feed_forward -a rows=4096 -a precision=bf16 \
  -a product=forward,input_gradient,weight_gradient
measure operations 90 1 '^micro/(normalization|attention|cross_entropy|elementwise|embedding|optimizer|quantized_linear)$' -a ranks=1 -a device=cuda
measure device-stream 40 1 '^micro/stream$' -a ranks=1 -a device=cuda -a bytes=128M,1G
measure convolutions 120 1 '^micro/conv2d$' -a ranks=1 -a device=cuda -a image=300 -a batch=32 \
  -a layer=stem,depthwise2,expand3,project8,head -a precision=fp32,tf32,bf16 -a autotune=false,true
measure conversions 30 1 '^micro/layout_conversion$' -a ranks=1 -a device=cuda
measure lora-step 45 1 '^micro/lora_step$' -a ranks=1 -a device=cuda -a precision=fp32,bf16
measure registration 40 1 '^micro/memory_registration$' -a ranks=1
# Two ranks may share a card where each is told that it is on a host of its own.
# shellcheck disable=SC2016,SC2034  # run.sh uses it; each rank's shell knows its number
if ((gpus < 2)); then each_rank=(bash -c 'NCCL_HOSTID=rank$OMPI_COMM_WORLD_RANK exec "$@"' rank); fi
measure nccl 60 2 '^micro/(allreduce|allgather|pingpong)$' -a backend=nccl -a memory=device -a ranks=2 -b 8 -e 256M -f 32
# One rank, too: its kernels run on any card. Two ranks need two cards that reach each other's memory.
measure device-allreduce 45 2 '^micro/allreduce$' -a backend=nccl -a memory=device -a ranks=1,2 -a registration=symmetric \
  -a device_api=none,lsa,multimem -b 8 -e 256M -f 32
measure device-alltoall 45 2 '^micro/alltoall$' -a backend=nccl -a memory=device -a ranks=1,2 -a registration=symmetric \
  -a device_api=none,lsa -b 8 -e 256M -f 32
measure overlap 60 2 '^micro/overlap$' -a backend=nccl -a memory=device -a ranks=2 -a rows=4096 -a bytes=1M,64M -a collective=allreduce,allgather
