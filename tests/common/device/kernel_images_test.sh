#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# For which GPUs a program has kernels: kernel_images_test.sh CUOBJDUMP PROGRAM ARCHITECTURES
# ARCHITECTURES is CMake's list: "90-real;120" is machine code for both, and PTX for 120.
set -euo pipefail

cuobjdump=$1 program=$2
IFS=';' read -r -a wanted <<<"$3"
images=$("$cuobjdump" --list-elf "$program" 2>&1)
ptx=$("$cuobjdump" --list-ptx "$program" 2>&1) || true  # fails where there is none
failed=0
for one in "${wanted[@]}"; do
  if ! grep -q "sm_${one%-*}[.a]" <<<"$images"; then
    echo "no machine code for $one in: $images"
    failed=1
  fi
  if [[ $one != *-real ]] && ! grep -q "sm_${one%-*}[.a]" <<<"$ptx"; then
    echo "no PTX for $one in: $ptx"
    failed=1
  fi
done
exit "$failed"
