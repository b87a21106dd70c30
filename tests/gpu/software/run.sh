#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command on pretend GPUs: its CUDA calls reach threads and memory of the host. For tests; times mean nothing.
#
#   run.sh [-n DEVICES | -m MACHINE] [-b FOLDER] COMMAND...
#
#   -n DEVICES   how many pretend GPUs, 0 to 8 (default 1)
#   -m MACHINE   a machine and its GPUs, from hwloc's XML, such as tests/topologies/4xgh200.xml; nothing is bound then
#   -b FOLDER    the build folder of preset cuda-release (default: build/cuda-release of this clone)
#   -h, --help   this text
#
# The command is a program built by nvcc with the shared CUDA runtime and without LibTorch, or mpirun with one. Settings
# by environment, each off or as said by default:
#   SOFTWARE_GPU_MEMORY=N        memory per device, with MiB or GiB (4GiB)
#   SOFTWARE_GPU_QUEUE=N         entries of a stream's launch queue; a full one blocks the host (1024)
#   SOFTWARE_GPU_DELAYS=SEED[:MICROSECONDS]  a random wait before each piece of work, at most so long (200), so that
#                                races show
#   SOFTWARE_GPU_FAIL_ALLOCATION=N  the N-th allocation is out of memory
#   SOFTWARE_GPU_FAIL_CALL=N[:CODE] the N-th call breaks the device: all later calls fail with that CUDA error (700)
#   SOFTWARE_GPU_NO_KERNEL_IMAGE=1  no kernel fits the device
#   SOFTWARE_GPU_FAULT_RANK=R    only rank R gets the faults of memory, calls, kernels and NCCL
#   SOFTWARE_GPU_COMPUTE_CAPABILITY=N  the major compute capability of the devices (9)
#   SOFTWARE_GPU_OLD_DRIVER=1    the driver is too old
#   SOFTWARE_GPU_NCCL_VERSION=N  what ncclGetVersion() tells, such as 22005 (that of the build)
#   SOFTWARE_GPU_NCCL_SYMMETRIC=0  windows are not registered, as on GPUs that have no symmetric memory
#   SOFTWARE_GPU_NCCL_REACH=N    kernels load and store in the memory of N neighboring ranks only (all)
#   SOFTWARE_GPU_NCCL_TIMEOUT=N  seconds after which ranks that wait in vain report ncclInvalidUsage (60)
#   SOFTWARE_GPU_NCCL_FAIL_CALL=N[:CODE]  the N-th call of NCCL returns that code (2)
#   SOFTWARE_GPU_NCCL_FAIL_WORK=N[:CODE]  the N-th operation in a stream fails with that code (6)
#   SOFTWARE_GPU_NO_PROFILES=1   CUPTI lacks the permission to record
#   SOFTWARE_GPU_CUPTI_VERSION=N  what cuptiGetVersion() tells, such as 130000
#   SOFTWARE_GPU_NO_NVML=1       NVML cannot be initialised
#   SOFTWARE_GPU_NVLINKS=N:END   N NVLinks per device; END: switch, or peers for the other devices in turn (0)
#   SOFTWARE_GPU_C2C=1           a chip-to-chip link to the CPU, as Grace Hopper has
#   SOFTWARE_GPU_NO_PEERS=1      no device reaches the memory of another
#   SOFTWARE_GPU_SLOW_LINK=A-B[:MICROSECONDS]  a copy or kernel between devices A and B takes so much longer (1000), and a copy 1 ns a byte
#   SOFTWARE_GPU_MIG=N           each device is divided into N instances, at most 7
#   SOFTWARE_GPU_CLOCK_REASONS=N  the bits of nvmlClocksEventReasons, such as 64 for too hot; the clock is halved then
#   SOFTWARE_GPU_NO_FP8=1        cuBLASLt has no products of fp8
#   SOFTWARE_GPU_FAIL_PRODUCT=N  the N-th product of cuBLASLt fails
#   SOFTWARE_GPU_BAD_ALGORITHMS=N  the first N algorithms that it offers do not run
#   CUDA_VISIBLE_DEVICES         as CUDA reads it: numbers, UUIDs, which may be shortened, or UUIDs of instances
# Exit: that of the command; 2 usage.
set -euo pipefail

die() {
  echo "run.sh: $1" >&2
  exit 2
}

devices=1 machine='' build=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)/build/cuda-release
while (($#)); do
  case $1 in
    -n | -m | -b)
      [[ $# -ge 2 ]] || die "$1 needs a value (see --help)"
      case $1 in
        -n) devices=$2 ;;
        -m) machine=$2 ;;
        -b) build=$2 ;;
      esac
      shift 2
      ;;
    -h | --help)
      awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"
      exit 0
      ;;
    -*) die "unknown option '$1' (see --help)" ;;
    *) break ;;
  esac
done
(($#)) || die "a command is missing (see --help)"
if [[ -n $machine ]]; then
  [[ -r $machine ]] || die "-m: $machine cannot be read"
  # Display controllers (PCI class 03) of NVIDIA (vendor 10de).
  mapfile -t addresses < <(sed -n 's/.*type="PCIDev".* pci_busid="\([^"]*\)".* pci_type="03.. \[10de:.*/\1/p' "$machine" | sort)
  devices=${#addresses[@]} SOFTWARE_GPU_ADDRESSES=$(IFS=, && echo "${addresses[*]}")
  HWLOC_XMLFILE=$(realpath "$machine")
  if ((devices)); then export SOFTWARE_GPU_ADDRESSES; fi
  export HWLOC_XMLFILE
fi
[[ $devices =~ ^[0-8]$ ]] || die "$devices devices, allowed: 0 to 8"
libraries=$build/tests/gpu/software/lib
[[ -e $libraries/libcudart.so.13 ]] || die "$libraries has no libcudart.so.13: build target software_cudart"

export SOFTWARE_GPU_DEVICES=$devices
export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
exec "$@"
