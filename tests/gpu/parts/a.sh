# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2317  # sourced by run.sh, whose names these are; functions are called by step
# Part a: does it work here at all?

describe() {
  launch scalemark info || return
  nvidia-smi -q || return
  nvidia-smi topo -m || echo "nvidia-smi tells no topology"
}

# The libraries of which a process must have one only. The dynamic linker names each that it loads.
one_of_each() {
  local folder=$work/linker file library found broken=0
  rm -rf "$folder"
  mkdir "$folder"
  LD_DEBUG=files LD_DEBUG_OUTPUT=$folder/one launch scalemark run '^imaging/train$' --quick -a ranks=1 -a device=cuda \
    -a profile=true --redact --force --output "$folder/profile.h5" || return
  LD_DEBUG=files LD_DEBUG_OUTPUT=$folder/two launch scalemark run '^micro/allreduce$' -a backend=nccl -a memory=device \
    -a ranks=1 -b 8 -e 8 --redact --force --output "$folder/nccl.h5" || return
  for file in "$folder"/{one,two}.*; do
    for library in libcudart libnccl libcupti libcublasLt libcudnn libmpi libhdf5; do
      found=$(grep -oE "calling init: [^ ]*/$library\.so[^ ]*" "$file" | sort -u) || found=
      if [[ -z $found ]]; then continue; fi
      echo "$found"
      if (($(wc -l <<<"$found") > 1)); then
        echo "$library is loaded more than once"
        broken=1
      fi
    done
  done
  rm -f "$folder"/{one,two}.*
  return "$broken"
}

check_numbers() {
  local files
  mapfile -t files < <(find "$bundle/golden" -name '*.json' | sort)
  launch scalemark verify "${files[@]}" --device cuda
}

# On two ranks or more, which may share a GPU. 4: the MPI library says that it takes no device memory.
device_memory() {
  local code=0 file=$work/direct count=$((ranks < 2 ? 2 : ranks))
  launch mpirun -n "$count" --bind-to none --oversubscribe scalemark run --probe --force || code=$?
  if ((code == 4)); then return 77; fi
  ((code == 0)) || return "$code"
  measure_file "$file" "$count" '^micro/(pingpong|allreduce|put)$' -a backend=mpi -a memory=device -b 8 -e 4M -f 8 || return
  grep -q 'transfer=direct' "$file.jsonl" || {
    echo "no row went direct, though the probe has proved that it can"
    return 1
  }
}

# tests/list has a line for each test: name, settings, command. 77 means that all of it was skipped (it wants more GPUs).
one_test() { # settings and command
  (cd "$bundle" && launch env "$@")
}

sanitize() { # tool, command
  local tool=$1
  shift
  command -v compute-sanitizer >/dev/null || {
    echo "compute-sanitizer is not here"
    return 77
  }
  launch compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 1 --launch-timeout 60 "$@"
}

step machine 60 describe
step libraries 120 one_of_each
while IFS=$'\t' read -r -a words <&3; do
  step "${words[0]}" 120 one_test "${words[@]:1}"
done 3<"$bundle/tests/list"
step numbers 240 check_numbers
step device-memory 120 device_memory
for tool in memcheck racecheck initcheck; do
  # initcheck ends each kernel before the next call, so that none can hold others back as copies of pinned memory are timed.
  memory=pinned,pageable
  if [[ $tool == initcheck ]]; then memory=pageable; fi
  step "$tool-copies" 60 sanitize "$tool" scalemark run '^micro/memcpy$' --preset smoke -a ranks=1 -a host_memory="$memory" --redact --force --output "$work/$tool-copies.h5"
  step "$tool-launches" 60 sanitize "$tool" scalemark run '^micro/(kernel_launch|event)$' --preset smoke -a ranks=1 --redact --force --output "$work/$tool-launches.h5"
done
