#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Cuts the first images out of a full MNIST (four IDX files, gzip) into IDX files of the same format.
set -euo pipefail
if [[ $# -ne 2 ]]; then
  echo "usage: $0 DIR_WITH_FULL_MNIST OUTPUT_DIR" >&2
  exit 2
fi
full=$1 out=$2

# cut NAME HEADER_BYTES BYTES_PER_ITEM ITEMS: keeps the header but for the count, then ITEMS items.
cut_idx() {
  local name=$1 header=$2 item=$3 items=$4
  local count
  count=$(printf '\\x%02x' $((items >> 24 & 255)) $((items >> 16 & 255)) $((items >> 8 & 255)) $((items & 255)))
  {
    zcat "$full/$name.gz" | head -c 4 || true
    printf '%b' "$count"
    zcat "$full/$name.gz" | tail -c +9 | head -c $((header - 8 + items * item)) || true
  } | gzip -9 -n > "$out/$name.gz"
}

cut_idx train-images-idx3-ubyte 16 784 10000
cut_idx train-labels-idx1-ubyte 8 1 10000
cut_idx t10k-images-idx3-ubyte 16 784 2000
cut_idx t10k-labels-idx1-ubyte 8 1 2000
