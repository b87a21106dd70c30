// SPDX-License-Identifier: Apache-2.0
// The sentences of the axes that several benchmarks share, by name.
#include "common/core/axis_docs.hpp"

#include <algorithm>
#include <array>

namespace scalemark {
namespace {

constexpr auto kAxes = std::to_array<AxisDoc>({
    {"access", "", "How files are read: one in order, one at random places, or many small ones"},
    {"accumulation", "{batch}",
     "Micro-batches whose gradients are summed before the optimiser steps"},
    {"autotune", "", "cuDNN tries its algorithms first and keeps the fastest"},
    {"backend", "", "Library that communicates: mpi, nccl, gloo, or LibTorch's c10d over it"},
    {"batch", "{sample}", "Samples of a rank in one step"},
    {"broadcast_buffers", "", "DDP sends rank 0's batch-norm statistics to all ranks in each step"},
    {"buffers", "{buffer}",
     "Sets of buffers taken in turn, so that data are not always in the cache"},
    {"bytes", "By", "Message size as OSU defines it for the operation"},
    {"cache", "", "What the reads find: the page cache, an emptied one (cold), or none (direct)"},
    {"call", "", "How the operation is started: blocking, nonblocking with a wait, or persistent"},
    {"checkpointing", "",
     "Activations are computed again in the backward pass, which saves memory"},
    {"clip", "1", "Largest norm of the gradients; 0: no limit"},
    {"compute", "us", "Arithmetic before each operation, outside of its time"},
    {"dataset", "", "Rows that are trained on or read"},
    {"device", "", "Where the case computes: cpu or cuda"},
    {"devices", "", "Copies of one rank at a time, or of all ranks at once and then alone"},
    {"direction", "", "From where to where: host (h) and device (d), or both ways at once"},
    {"dtype", "", "Type of the elements"},
    {"engine", "", "Who copies: the device's copy engine, or a kernel"},
    {"epochs", "{epoch}", "Passes over the data"},
    {"file_bytes", "By", "Size of the file, or of all small files together"},
    {"fused_optimizer", "", "AdamW as one fused kernel instead of a loop over the parameters"},
    {"graph_nodes", "{kernel}",
     "Kernels in a chain that one CUDA graph launches; 0: a plain launch"},
    {"graphs", "", "The operation or step is captured once and replayed as a CUDA graph"},
    {"host_memory", "", "Kind of host memory"},
    {"image", "{pixel}", "Edge of the square pictures"},
    {"images", "{image}", "Pictures of the data set; 0: all"},
    {"in_place", "", "The result replaces the input in the same buffer"},
    {"kind", "", "How the communicator is made: duplicated, split into halves, or initialised"},
    {"layer", "", "Convolution of MobileNetV2"},
    {"layout", "", "Order of the tensors' dimensions: nchw, or nhwc (channels last)"},
    {"loader", "", "Who prepares batches: threads of the rank, DALI, or the device itself"},
    {"memory", "", "Where the buffers are: host or device"},
    {"method", "",
     "What is fine-tuned: adapters (lora, qlora, dpo) or all weights (full, qat, dpo_full)"},
    {"mode", "", "paper: as the studies' software did it; tuned: what the same machine can do"},
    {"model", "", "Size of the Llama3 model"},
    {"numa", "", "NUMA node of the host's memory: the rank's own, the farthest one, or by number"},
    {"offload", "", "Parameter shards, their gradients and moments stay in host memory"},
    {"op", "", "How values are reduced"},
    {"operation", "", "Call of the event interface, or wait"},
    {"packed", "", "Rows are joined up to the sequence length instead of being padded"},
    {"pad_multiple", "{token}",
     "Widths of batches are multiples of it, which keeps the shapes few"},
    {"pairs", "", "Ranks 0 and 1, or every rank with every other one"},
    {"parallel", "",
     "How ranks share the work: alone, copies of the model (ddp), or shards (fsdp)"},
    {"pass", "", "Forward alone, or forward and both gradients (train)"},
    {"pin_memory", "", "Batches go to the device from page-locked instead of pageable memory"},
    {"precision", "", "Number format that is computed in"},
    {"prefetch", "{layer}", "Layers whose shards are gathered ahead of the one that computes"},
    {"probes", "{call}",
     "How often the computing beside a nonblocking operation asks whether it is done"},
    {"profile", "", "GPU copies, kernels and CUDA API calls are recorded, which slows the steps"},
    {"ranks", "{rank}", "Ranks that take part; the others sleep"},
    {"replicas", "{device}", "Devices that one process drives (strategies data_parallel_*)"},
    {"reshard", "", "Gathered weights are released after the forward pass and gathered again"},
    {"root", "1", "Rank that sends to all or receives from all"},
    {"rows", "{row}", "Rows of text; 0: all of a file"},
    {"save_every", "{step}", "Steps between two checkpoints; 0: one after each epoch"},
    {"scenario", "", "a: pictures from memory; b: 300x300 colour pictures from PNG files"},
    {"sequence", "{token}", "Tokens of a row"},
    {"shape", "", "Square matrices, or those of a layer of the model"},
    {"source", "", "Where the rows come from: made up, built in, or a file (--data)"},
    {"span", "", "Which ranks take part: any, those of one node, or one of each node"},
    {"start", "", "Weights at the start: random, or from a file (--data weights=FILE)"},
    {"steps", "{step}", "Steps of the optimiser; 0: whole epochs"},
    {"storage", "", "Pictures from files are kept by each rank, or once per NUMA node"},
    {"stores", "", "How results are written: plain stores, or past the caches (non_temporal)"},
    {"strategy", "", "How the training is spread over ranks and devices"},
    {"streams", "{stream}", "CUDA streams that launches go to in turn"},
    {"sync", "", "What completes a one-sided operation: a flush, a fence, or an unlock"},
    {"template", "", "Prompt that rows are put into; natural: the one of the data set"},
    {"test_images", "{image}", "Pictures of the test after each epoch; 0: all"},
    {"threads", "{thread}", "Compute threads of a rank"},
    {"timing", "", "Operations timed one by one, or 20 in a row (pipelined, as nccl-tests does)"},
    {"tokenizer", "", "Vocabulary: a small built-in one, single bytes, or a file (--data)"},
    {"warmup_steps", "{step}", "Steps in which the learning rate rises to its full value"},
    {"window", "{message}", "Messages on their way at once before a reply"},
    {"workers", "{thread}", "Threads of a rank that prepare batches; 0: none besides its own"},
});

}  // namespace

const AxisDoc* axis_doc(std::string_view axis) {
  const auto* found = std::ranges::find(kAxes, axis, &AxisDoc::axis);
  return found == kAxes.end() ? nullptr : found;
}

}  // namespace scalemark
