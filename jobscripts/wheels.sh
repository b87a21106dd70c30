# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions of setup.sh that download pinned wheels into the cache folder. To be sourced, not run. They use setup.sh's
# settings (here, cache, use_apt, offline, keep) and the variables of install_wheels.
# shellcheck disable=SC2154  # setup.sh sets them

find_pip() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -m pip --version >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# The downloaded wheel of a requirement line, if it exists and has the right hash.
find_wheel() { # line
  local name=${1%%==*} hash file
  local release=${1#*==}
  release=${release%% *}
  hash=${1#*sha256:}
  hash=${hash%% *}
  for file in "$wheels/${name//-/_}-$release"-*.whl; do
    [[ -f $file ]] || continue
    if [[ $(sha256sum <"$file") == "$hash"* ]]; then
      echo "$file"
      return
    fi
    say "Discarding $file: its hash is not the one in $list"
    rm -f "$file"
  done
  return 1
}

# pip checks the hash. It downloads to TMPDIR and moves complete files, so incomplete wheels are never used.
download_wheel() { # line
  local platforms=() platform
  for platform in manylinux_2_28 manylinux_2_27 manylinux_2_25 manylinux_2_18 manylinux_2_17 manylinux2014; do
    platforms+=(--platform "${platform}_x86_64")
  done
  printf '%s\n' "$1" >"$wheels/tmp/one.txt"
  TMPDIR=$wheels/tmp PIP_REQUIRE_VIRTUALENV=0 "$python" -m pip --disable-pip-version-check download \
    --no-cache-dir --no-deps --require-hashes --only-binary :all: --python-version 311 "${platforms[@]}" \
    --dest "$wheels" --requirement "$wheels/tmp/one.txt" >&2 ||
    die 4 "the download failed; finished parts are kept in $wheels, start again to go on. Without network: $otherwise"
}

check_space() { # needed MB
  local free
  free=$(df -Pm "$cache" | awk 'NR == 2 { print $4 }')
  ((free >= $1)) || die 3 "$cache has $free MB free, $what needs $1; set XDG_CACHE_HOME to a larger disk"
}

fetch_wheels() {
  local line n=0 absent=()
  for line in "${lines[@]}"; do
    n=$((n + 1))
    if find_wheel "$line" >/dev/null; then continue; fi
    if ((offline)); then
      absent+=("${line%% *}")
      continue
    fi
    if [[ -z $python ]]; then
      if ((use_apt)); then
        install_packages python3-pip
      fi
      python=$(find_pip) || die 3 "pip is missing, which downloads $what: apt-get install python3-pip, or $otherwise"
    fi
    say "Downloading part $n of ${#lines[@]}: ${line%% *} (${line##*# })"
    download_wheel "$line"
  done
  ((${#absent[@]} == 0)) || die 3 "--offline, and $what is not there: ${absent[*]}. Bring the folder $cache (or only \
$wheels, filled by setup.sh $option --keep-wheels) from a machine with network, or $otherwise"
}

unpack_wheels() { # target
  local line wheel files=()
  for line in "${lines[@]}"; do
    wheel=$(find_wheel "$line") || die 4 "the wheel of ${line%% *} is missing in $wheels"
    files+=("$wheel")
  done
  say "Unpacking ${#files[@]} wheels into $1"
  mkdir "$1.tmp.$$"
  printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -I{} python3 -m zipfile -e {} "$1.tmp.$$" ||
    die 4 "the wheels could not be unpacked into $1.tmp.$$"
  printf '%s\n' "$id" >"$1.tmp.$$/.complete"
  rm -rf "$1"
  mv "$1.tmp.$$" "$1"
  if ((!keep)); then rm -f "${files[@]}"; fi
}

# lock_cache: lets one process at a time change the cache folder, until this one, or the calling subshell, ends.
lock_cache() {
  exec 9>"$cache/lock"
  flock --nonblock 9 || { say "Waiting for another setup.sh" && flock 9; }
}

# The folder gets its name only when it is complete. Prints its path.
install_wheels() { # what, option that asks for it, what else can be done, folder, list, MB needed
  local what=$1 option=$2 otherwise=$3 target=$cache/$4 list=$here/$5 needed=$6 wheels=$cache/wheels python='' lines id
  id=$(sha256sum <"$list")
  if [[ $(cat "$target/.complete" 2>/dev/null || true) != "$id" ]]; then
    [[ $5 == headers.txt || $(uname -m) == x86_64 ]] || die 3 "there is no wheel of $what for $(uname -m) here: $otherwise"
    mkdir -p "$wheels" || die 3 "the cache folder $cache cannot be made; set XDG_CACHE_HOME"
    lock_cache
  fi
  if [[ $(cat "$target/.complete" 2>/dev/null || true) != "$id" ]]; then
    rm -rf "$wheels/tmp" "$target".tmp.*
    mkdir "$wheels/tmp"
    mapfile -t lines < <(grep -v '^#' "$list")
    check_space "$needed"
    fetch_wheels
    unpack_wheels "$target"
    rm -rf "$wheels/tmp"
  fi
  echo "$target"
}
