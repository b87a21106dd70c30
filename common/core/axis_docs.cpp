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
    {"aggregate", "{operation}",
     "Operations started together: one group of NCCL, or nonblocking ones of others"},
    {"autotune", "", "cuDNN tries its algorithms first and keeps the fastest"},
    {"backend", "", "Communication library: mpi, nccl, gloo, or LibTorch's c10d over one of them"},
    {"batch", "{sample}", "Samples per rank and step"},
    {"broadcast_buffers", "", "DDP sends rank 0's batch-norm statistics to all ranks in each step"},
    {"buffers", "{buffer}",
     "Sets of buffers used in turn, so that data are not always in the cache"},
    {"bytes", "By", "Message size as OSU defines it for the operation"},
    {"cache", "", "State of the page cache: filled, emptied before (cold), or bypassed (direct)"},
    {"call", "", "How the operation is called: blocking, nonblocking with a wait, or persistent"},
    {"checkpointing", "",
     "Activations are computed again in the backward pass, which saves memory"},
    {"clip", "1", "Norm to which gradients are clipped; 0: no clipping"},
    {"compute", "us", "Arithmetic before each operation, not timed"},
    {"dataset", "", "Data set of text rows"},
    {"device", "", "Where the case computes: cpu or cuda"},
    {"device_api", "",
     "Kernels of ours move the data over NCCL's device API: by loads and stores (lsa), or with a "
     "switch that adds (multimem)"},
    {"devices", "", "Copies by one rank at a time, or by all ranks at once and then by each alone"},
    {"direction", "", "Direction between host (h) and device (d), or both ways at once"},
    {"dimensions", "{dimension}", "Dimensions of the periodic grid that the ranks are laid out in"},
    {"dtype", "", "Type of the elements"},
    {"engine", "", "What copies: the device's copy engine, or a kernel"},
    {"epochs", "{epoch}", "Passes over the data"},
    {"file_bytes", "By", "Size of the file, or of all small files together"},
    {"fused_optimizer", "", "AdamW as one fused kernel instead of a loop over the parameters"},
    {"graph_nodes", "{kernel}",
     "Kernels in a chain that one CUDA graph launches; 0: a plain launch"},
    {"graphs", "", "The operation or step is captured once and replayed as a CUDA graph"},
    {"grouping", "",
     "Which ranks form a group: neighbouring ones (blocks), or every nth (strided)"},
    {"groups", "{group}", "Groups of equal size that communicate at once, each on its own"},
    {"host_memory", "", "Kind of host memory"},
    {"image", "{pixel}", "Edge length of the square images"},
    {"images", "{image}", "Images of the data set; 0: all"},
    {"in_place", "", "The result replaces the input in the same buffer"},
    {"kind", "", "How the communicator is made: duplicated, split into halves, or initialised"},
    {"layer", "", "Convolution of MobileNetV2"},
    {"layout", "", "Order of the tensors' dimensions: nchw, or nhwc (channels last)"},
    {"loader", "", "What prepares batches: threads of the rank, DALI, or the device itself"},
    {"memory", "", "Where the buffers are: host or device"},
    {"method", "",
     "What is fine-tuned: adapters (lora, qlora, dpo) or all weights (full, qat, dpo_full)"},
    {"mode", "",
     "paper: operators as the studies' software calls them; tuned: fused ones of our own"},
    {"model", "", "Size of the Llama3 model"},
    {"numa", "", "NUMA node of the host's memory: the rank's own, the farthest one, or by number"},
    {"neighbors", "",
     "Ranks near in a periodic grid, or the edges of a graph (--data neighbors=FILE)"},
    {"offload", "", "Parameter shards, their gradients and moments stay in host memory"},
    {"op", "", "How values are reduced"},
    {"operation", "", "Call of the CUDA event interface, or wait"},
    {"packed", "", "Rows are packed up to the sequence length instead of being padded"},
    {"pad_multiple", "{token}",
     "Batch widths are padded to a multiple of it, so that few shapes occur"},
    {"pairs", "",
     "adjacent: rank i and i + n/2, all pairs at once; every pair of ranks; or the few that show "
     "slow ranks: of all, or of each rail"},
    {"parallel", "",
     "How ranks share the work: alone, copies of the model (ddp), or shards (fsdp)"},
    {"pass", "",
     "Forward as in inference, or in a training (forward_train), its gradients (backward), or both "
     "(train)"},
    {"pin_memory", "", "Batches go to the device from page-locked instead of pageable memory"},
    {"precision", "", "Number format of the computation"},
    {"prefetch", "{layer}", "Layers whose shards are gathered ahead of the one that computes"},
    {"probes", "{call}", "MPI_Test calls during the computation beside a nonblocking operation"},
    {"profile", "", "Records GPU copies, kernels and CUDA API calls, which slows the steps"},
    {"ranks", "{rank}", "Ranks that take part; the others sleep"},
    {"registration", "",
     "Memory that NCCL allocates and registers: of the rank alone (local), or symmetric"},
    {"replicas", "{device}", "Devices that one process drives (strategies data_parallel_*)"},
    {"reshard", "", "Gathered weights are released after the forward pass and gathered again"},
    {"radius", "{rank}", "Neighbors are ranks at most this far away in each dimension of the grid"},
    {"root", "1", "Rank that sends to all or receives from all"},
    {"rows", "{row}", "Rows of text; 0: all of a file"},
    {"save_every", "{step}", "Steps between two checkpoints; 0: one after each epoch"},
    {"scenario", "", "a: images from memory; b: 300x300 colour images from PNG files"},
    {"sequence", "{token}", "Tokens per row"},
    {"shape", "", "Square matrices, or those of a layer of the model"},
    {"source", "", "Where the rows come from: made up, built in, or a file (--data)"},
    {"span", "", "Which ranks take part: any, those of one node, or one of each node"},
    {"start", "", "Weights at the start: random, or from a file (--data weights=FILE)"},
    {"steps", "{step}", "Steps of the optimiser; 0: whole epochs"},
    {"storage", "",
     "Images from files are kept by each rank, once per NUMA node, or read again in each epoch"},
    {"stores", "", "How results are written: plain stores, or past the caches (non_temporal)"},
    {"strategy", "", "How the training is spread over ranks and devices"},
    {"streams", "{stream}", "CUDA streams used in turn for launches"},
    {"sync", "",
     "What completes a one-sided operation: a flush, a fence, an unlock, or complete and wait "
     "(pscw)"},
    {"template", "", "Prompt template of the rows; natural: that of the data set"},
    {"test_images", "{image}", "Test images after each epoch; 0: all"},
    {"threads", "{thread}", "Compute threads per rank"},
    {"timing", "", "Operations timed one by one, or 20 in a row (pipelined, as nccl-tests does)"},
    {"tokenizer", "", "Vocabulary: a small built-in one, single bytes, or a file (--data)"},
    {"unalign", "{element}", "Elements between the start of a buffer's memory and its data"},
    {"warmup_steps", "{step}", "Warm-up steps, in which the learning rate rises to its full value"},
    {"window", "{message}", "Messages in flight before a reply"},
    {"window_creation", "",
     "How MPI makes the window: with memory of its own, or on memory that exists (create, "
     "dynamic)"},
    {"workers", "{thread}", "Threads per rank that prepare batches; 0: only the rank's own thread"},
});

}  // namespace

const AxisDoc* axis_doc(std::string_view axis) {
  const auto* found = std::ranges::find(kAxes, axis, &AxisDoc::axis);
  return found == kAxes.end() ? nullptr : found;
}

}  // namespace scalemark
