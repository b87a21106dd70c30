# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Finds the nodes that keep an operation of all nodes from ending, or that make it slow, by halves. To be sourced, not run.
#
# The caller defines try_group NUMBER HOST..., which returns 0 if the operation of these hosts ended well, seconds_of NUMBER,
# which prints how long it then took, and ranks, the number of ranks on a host. Groups of one wave are tried at the same time.

# try_groups: tries each of the array groups (names of hosts, separated by blanks); sets codes to their exit codes, and met to
# 1 if one of two hosts or more ended well.
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
    if [[ ${codes[i]} == 0 && ${groups[i]} == *' '* ]]; then met=1; fi
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

# Sets order to the groups of the last wave that ended well, the slowest first. Whether that one takes a quarter longer than the median
# of three or more. Sizes may differ by a host. In an allreduce a rank sends 1 - 1 / ranks of the bytes, or with an algorithm of two
# levels 1 - 1 / hosts: the one that makes a group look faster counts.
has_slow_group() {
  local i hosts scores
  local -x LC_ALL=C # numbers have points
  # shellcheck disable=SC2154  # ranks is the caller's
  scores=$(for i in "${!groups[@]}"; do
    read -r -a hosts <<<"${groups[i]}"
    if ((codes[i] == 0 && ${#hosts[@]} > 1)); then echo "$(seconds_of $((tries - ${#groups[@]} + 1 + i))) ${#hosts[@]} $i"; fi
  done | awk -v ranks="$ranks" '
    function median(of,   i, j, sorted) {
      for (i = 1; i <= count; i++) {
        for (j = i - 1; j >= 1 && sorted[j] > of[i]; j--) sorted[j + 1] = sorted[j]
        sorted[j + 1] = of[i]
      }
      return (sorted[int((count + 1) / 2)] + sorted[int(count / 2) + 1]) / 2
    }
    NF == 3 && $1 > 0 {
      group[++count] = $3
      flat[count] = $1 / (1 - 1 / ($2 * ranks))
      levels[count] = $1 / (1 - 1 / $2)
    }
    END {
      if (count == 0) exit
      of_flat = median(flat)
      of_levels = median(levels)
      for (i = 1; i <= count; i++) {
        a = flat[i] / of_flat
        b = levels[i] / of_levels
        print (a < b ? a : b), group[i]
      }
    }' | sort -rg)
  mapfile -t order < <(awk '{ print $2 }' <<<"$scores")
  ((${#order[@]} > 2)) && awk -v factor="${scores%% *}" 'BEGIN { exit !(factor > 1.25) }'
}

# find_slow: after try_parts. A slow part is halved, beside the three fastest parts, until it has two or three hosts. Each of
# these then meets a fast one.
find_slow() {
  local failed hosts fast order i
  while has_slow_group; do
    read -r -a hosts <<<"${groups[order[0]]}"
    if ((${#hosts[@]} <= 3)); then
      read -r -a fast <<<"${groups[order[-1]]} ${groups[order[-2]]}"
      groups=()
      for i in "${!hosts[@]}"; do groups+=("${hosts[i]} ${fast[i]}"); done
      try_groups
      return
    fi
    failed=("${groups[order[0]]}" "${groups[order[-1]]}" "${groups[order[-2]]}")
    if ((${#order[@]} > 3)); then failed+=("${groups[order[-3]]}"); fi
    halve
    try_groups
  done
}

# blame HOST CODE: the host fails; the operation ended with this code.
blame() { failing+=("$1") failing_codes+=("$2"); }

# blame_pair HOST HOST: which of two hosts fails. Those that did not end well with others yet are tried with hosts that did,
# in one wave if there is a partner for each. If they end well there, only the pair fails.
blame_pair() {
  local host i outcome=() suspects=() partners=() found=0
  for host in "$@"; do [[ " ${proven[*]} " == *" $host "* ]] || suspects+=("$host"); done
  for host in "${proven[@]}"; do [[ " $* " == *" $host "* ]] || partners+=("$host"); done
  if ((${#partners[@]} == 0)); then return; fi
  groups=()
  for i in "${!suspects[@]}"; do
    groups+=("${suspects[i]} ${partners[i % ${#partners[@]}]}")
    if ((${#partners[@]} > 1 && i + 1 < ${#suspects[@]})); then continue; fi
    try_groups
    outcome+=("${codes[@]}")
    groups=()
  done
  for i in "${!suspects[@]}"; do
    if ((outcome[i] != 0)); then found=1 && blame "${suspects[i]}" "${outcome[i]}"; fi
  done
  if ((!found)); then only_together+=("$*"); fi
}

# Three hosts fail, but neither the first two nor the third alone: the third is tried with the first.
blame_third() { # host, host, host
  groups=("$1 $3")
  try_groups
  if ((codes[0] == 0)); then only_together+=("$*"); else blame "$3" "${codes[0]}"; fi
}

# No two hosts ended well together so far: those of neighbouring pairs are tried crosswise, which for four hosts makes all
# pairs. Sets proven to those that end well.
try_crosswise() {
  local turn group i one other
  for turn in 0 1; do
    groups=()
    for ((i = 0; i + 1 < ${#pairs[@]}; i += 2)); do
      read -r -a one <<<"${pairs[i]}"
      read -r -a other <<<"${pairs[i + 1]}"
      groups+=("${one[0]} ${other[turn]}" "${one[1]} ${other[1 - turn]}")
    done
    try_groups
    for i in "${!groups[@]}"; do
      read -r -a group <<<"${groups[i]}"
      if ((codes[i] == 0)); then proven+=("${group[@]}"); fi
    done
    if ((${#proven[@]})); then return; fi
  done
}

# Sorts the groups of a wave, the halves of the groups in parents, by their codes.
sort_halves() {
  local i hosts
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
      if ((codes[i] == 0)); then singles+=("${hosts[@]}"); else blame "${hosts[0]}" "${codes[i]}"; fi
    elif ((codes[i] == 0)); then
      proven+=("${hosts[@]}")
    elif ((${#hosts[@]} > 2)); then
      failed+=("${groups[i]}")
    else
      pairs+=("${groups[i]}")
    fi
  done
}

# find_failing HOST...: sets failing to the hosts that fail with others, failing_codes to the exit codes, and only_together
# to groups (as in groups) that fail, but whose halves do not. All are empty if the operation of all hosts ends well, and if
# that of no two or more does: then met is 0, and nothing says which host is to blame. Takes a wave for each halving.
find_failing() {
  local failed parents i pairs=() thirds=() singles=()
  tries=0 met=0 failing=() failing_codes=() only_together=() proven=()
  groups=("$*")
  try_groups
  if ((met)); then return; fi
  failed=("$*")
  while ((${#failed[@]})); do
    parents=("${failed[@]}")
    halve
    try_groups
    sort_halves
  done
  if ((${#proven[@]} == 0)); then try_crosswise; fi
  if ((${#proven[@]} == 0)); then proven=("${singles[@]}"); fi
  for i in "${!thirds[@]}"; do
    # shellcheck disable=SC2086  # words
    blame_third ${thirds[i]}
  done
  for i in "${!pairs[@]}"; do
    # shellcheck disable=SC2086  # words
    blame_pair ${pairs[i]}
  done
  if ((!met)); then failing=() failing_codes=() only_together=(); fi
}
