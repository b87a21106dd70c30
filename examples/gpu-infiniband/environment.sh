# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Environment of the jobs on a node with eight GPUs and four InfiniBand adapters. Sourced before a submission: Slurm
# copies it into the job. `ibdev2netdev` and `nvidia-smi topo -m` show the names; the result file keeps these variables.

# Which adapters NCCL uses, with their port. Without it, NCCL takes all that are up, also those of the storage.
export NCCL_IB_HCA="=mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1"
# NCCL finds the other ranks over this interface.
export NCCL_SOCKET_IFNAME=ib0

# The same adapters for MPI through UCX, and where it starts ranks.
export UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1
export OMPI_MCA_pml=ucx
