# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Finds the nodes that keep an operation of all nodes from ending, by halves. To be sourced, not run.
#
# The caller defines try_group NUMBER HOST..., which returns 0 if the operation of these hosts ended well. Groups of one
# wave are tried at the same time.

# try_groups: tries each of the array groups (names of hosts, separated by blanks); sets codes to their exit codes.
try_groups() {
  local i pids=()
  codes=()
  for i in "${!groups[@]}"; do
    tries=$((tries + 1))
    # shellcheck disable=SC2086  # words
    try_group "$tries" ${groups[i]} &
    pids+=($!)
  done
  for i in "${!groups[@]}"; do
    codes[i]=0
    wait "${pids[i]}" || codes[i]=$?
  done
}

# Sets groups to the halves of the groups in failed.
halve() {
  local group hosts middle
  groups=()
  for group in "${failed[@]}"; do
    read -r -a hosts <<<"$group"
    middle=$(((${#hosts[@]} + 1) / 2))
    groups+=("${hosts[*]:0:middle}" "${hosts[*]:middle}")
  done
}

# try_parts HOST...: tries halves, then quarters and eighths of the hosts, as long as each part has two.
try_parts() {
  local failed=("$*") smallest=$#
  for _ in halves quarters eighths; do
    smallest=$((smallest / 2))
    if ((smallest < 2)); then break; fi
    halve
    try_groups
    failed=("${groups[@]}")
  done
}

# Which of two hosts fails: each is tried with a host that ended well with others. Both, if there is none. If both end
# well then, only their pair fails.
blame_pair() { # host, host
  local outcome
  if ((${#proven[@]} == 0)); then
    failing+=("$1" "$2")
    return
  fi
  if ((${#proven[@]} > 1)); then
    groups=("$1 ${proven[0]}" "$2 ${proven[1]}")
    try_groups
    outcome=("${codes[@]}")
  else
    groups=("$1 ${proven[0]}")
    try_groups
    outcome=("${codes[0]}")
    groups=("$2 ${proven[0]}")
    try_groups
    outcome+=("${codes[0]}")
  fi
  if ((outcome[0] == 0 && outcome[1] == 0)); then only_together+=("$1 $2"); fi
  if ((outcome[0] != 0)); then failing+=("$1"); fi
  if ((outcome[1] != 0)); then failing+=("$2"); fi
}

# Three hosts fail, but neither the first two nor the third alone: the third is tried with the first.
blame_third() { # host, host, host
  groups=("$1 $3")
  try_groups
  if ((codes[0] == 0)); then only_together+=("$*"); else failing+=("$3"); fi
}

# find_failing HOST...: sets failing to the hosts that fail with others, and only_together to groups (as in groups) that
# fail, but whose halves do not. Both are empty if the operation of all hosts ends well. Takes a wave for each halving.
find_failing() {
  local failed parents hosts i pairs=() thirds=() singles=()
  tries=0 failing=() only_together=() proven=()
  groups=("$*")
  try_groups
  if ((codes[0] == 0)); then return; fi
  failed=("$*")
  while ((${#failed[@]})); do
    parents=("${failed[@]}")
    halve
    try_groups
    failed=()
    for i in "${!parents[@]}"; do
      if ((codes[2 * i] == 0 && codes[2 * i + 1] == 0)); then
        read -r -a hosts <<<"${parents[i]}"
        if ((${#hosts[@]} == 3)); then thirds+=("${parents[i]}"); else only_together+=("${parents[i]}"); fi
      fi
    done
    for i in "${!groups[@]}"; do
      read -r -a hosts <<<"${groups[i]}"
      if ((${#hosts[@]} == 1)); then
        # Alone it meets nobody.
        if ((codes[i] == 0)); then singles+=("${hosts[@]}"); else failing+=("${hosts[@]}"); fi
      elif ((codes[i] == 0)); then
        proven+=("${hosts[@]}")
      elif ((${#hosts[@]} > 2)); then
        failed+=("${groups[i]}")
      else
        pairs+=("${groups[i]}")
      fi
    done
  done
  if ((${#proven[@]} == 0)); then proven=("${singles[@]}"); fi
  for i in "${!thirds[@]}"; do
    # shellcheck disable=SC2086  # words
    blame_third ${thirds[i]}
  done
  for i in "${!pairs[@]}"; do
    # shellcheck disable=SC2086  # words
    blame_pair ${pairs[i]}
  done
}
