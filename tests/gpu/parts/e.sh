# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2317  # sourced by run.sh, whose names these are; functions are called by step
# Part e: what a step of a training consists of. Each step measures a training, then the rows of its operations by the commands
# that show --explain prints, and explains it by them.

# explain NAME SECONDS ARGUMENT of run...: WORK/NAME/ with the files, and WORK/NAME.json with the explanation.
explain() {
  local name=$1 limit=$2
  shift 2
  step "$name" "$limit" explained "$name" "$@"
}

explained() { # name, arguments of run
  local folder=$work/$1 end=$((SECONDS + seconds)) name=$1 number=0 code=0 line words
  shift
  mkdir -p "$folder"
  measure_file "$folder/training" 1 "$@" || return
  # 4: rows are missing. Standard error has a command that measures some of them on each line.
  "${run[@]}" scalemark show --explain "$folder/training.h5" 2>"$folder/missing" || code=$?
  ((code == 0 || code == 4)) || return "$code"
  while read -r line <&3; do
    number=$((number + 1)) seconds=$((end - SECONDS))
    ((seconds > 0)) || return 124
    mapfile -t words < <(xargs -n 1 <<<"${line% -o *}")
    measure_file "$folder/rows-$number" 1 "${words[@]}" --max-time 150ms || return
  done 3< <(sed -n 's/^  scalemark run //p' "$folder/missing")
  "${run[@]}" scalemark show --explain "$folder"/*.h5 || return
  "${run[@]}" scalemark show --explain "$folder"/*.h5 --format json >"$work/$name.json"
}

alone=(-a ranks=1 -a device=cuda)
# shellcheck disable=SC2054  # lists of values have commas
explain mobilenet 150 '^imaging/train$' "${alone[@]}" -a mode=tuned -a loader=device -a broadcast_buffers=false -a strategy=single \
  -a graphs=false -a batch=32 -a images=3200 -a test_images=32 -a epochs=1 -a image=100,300 -a layout=nchw,nhwc -a precision=fp32
explain lora-bf16 150 '^llm/finetune$' "${alone[@]}" -a model=8b -a dataset=alpaca -a mode=tuned -a parallel=ddp -a pin_memory=true \
  -a precision=bf16 -a packed=true -a sequence=4096 -a batch=1 -a rows=2000 -a steps=12
explain lora-fp32 200 '^llm/finetune$' "${alone[@]}" -a model=8b -a dataset=alpaca -a mode=paper -a parallel=single -a precision=fp32 \
  -a method=lora -a rows=120
explain qlora 200 '^llm/finetune$' "${alone[@]}" -a model=8b -a dataset=alpaca -a mode=paper -a parallel=single -a precision=fp32 \
  -a method=qlora -a rows=80
