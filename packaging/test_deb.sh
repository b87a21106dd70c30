#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries a package on a bare Debian 12: installs it in a new root made by debootstrap, runs the smoke preset on two
# ranks as an ordinary user, reads the manual page and the completion, measures in it as a container whose ranks this machine's
# mpirun starts (Charliecloud), removes the package, and looks for what it left.
#
#   packaging/test_deb.sh PACKAGE.deb
#
# Needs root, debootstrap, Charliecloud, Open MPI and a Debian mirror. Exit: 0 all well, 1 something was wrong, 2 usage, 3 missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/../jobscripts/lib.sh"
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  print_help "$0"
  exit 0
fi
[[ $# == 1 && -f $1 ]] || die 2 "give one package (see --help)"
[[ $(id -u) == 0 ]] || die 3 "debootstrap and chroot need root"
command -v debootstrap >/dev/null || die 3 "debootstrap was not found: apt-get install debootstrap"
command -v ch-run >/dev/null || die 3 "ch-run was not found: apt-get install charliecloud"

# The mirror and proxy that this machine uses: other sources of packages do not have bash.
mirror=$(apt-cache policy bash | grep -oE 'https?://[^ ]+' | grep -v security | head -n 1) || mirror=
new=$(mktemp -d)
chmod 755 "$new"
# shellcheck disable=SC2317  # called by the trap
clean_up() {
  umount "$new/dev/shm" "$new/sys" "$new/proc" 2>/dev/null || :
  rm -rf --one-file-system "$new" "$new.out"
}
trap clean_up EXIT

inside() { chroot "$new" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
files() { (cd "$new" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys -o -path ./tmp -o -path ./run -o -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/apt \) -prune -o -print | sort); }

say "== A bare Debian 12"
debootstrap --variant=minbase bookworm "$new/" ${mirror:+"$mirror"} >&2
cp /etc/apt/apt.conf.d/*proxy* "$new/etc/apt/apt.conf.d/" 2>/dev/null || :
cp /etc/resolv.conf "$new/etc/resolv.conf"
mount -t proc proc "$new/proc"
mount -o ro -t sysfs sysfs "$new/sys"
mkdir -p "$new/dev/shm"
mount -t tmpfs tmpfs "$new/dev/shm"
inside apt-get update -q >&2
# Install the dependencies first, so that files left behind by the package itself can be recognised.
cp "$1" "$new/tmp/scalemark.deb"
mapfile -t needed < <(dpkg-deb -f "$1" Depends | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/ //g')
inside apt-get install -q -y --no-install-recommends "${needed[@]}" >&2
inside useradd -m user
files >"$new/tmp/before"

say "== Install"
inside apt-get install -q -y --no-install-recommends /tmp/scalemark.deb >&2
inside scalemark --version
inside test -s /usr/share/man/man1/scalemark-run.1
# shellcheck disable=SC2016  # the inner shell's variables
inside bash -c 'source /usr/share/bash-completion/completions/scalemark; COMP_WORDS=(scalemark ru) COMP_CWORD=1; _scalemark; [[ ${COMPREPLY[*]} == run ]]'

say "== The smoke preset"
inside su user -c 'cd && mpirun -n 2 --oversubscribe --bind-to none scalemark run --preset smoke -o a.h5 && scalemark verify /usr/share/scalemark/golden/tokens.json' >&2
inside su user -c 'scalemark show ~/a.h5' | sed -n '1,20p'  # not head, which closes the pipe
inside su user -c 'rm ~/a.h5; rm -rf ~/.cache'

say "== As a container"
umount "$new/dev/shm" "$new/sys" "$new/proc"
mkdir "$new.out"
# A message of 4 MiB hangs where ranks do not share a container.
SCALEMARK_CONTAINER=$new OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$here/../jobscripts/job.sh" mpirun --ranks 2 --ranks-per-node 2 \
  --repeats 2 --output "$new.out" -- '^micro/pingpong$' -a memory=host -a backend=mpi -a bytes=8,4M >&2
mounted=${PWD#/}
(cd "$new" && rmdir -p --ignore-fail-on-non-empty "$mounted") # made in it to mount the working folder

say "== Remove"
inside apt-get purge -q -y scalemark >&2
files >"$new/tmp/after"
diff "$new/tmp/before" "$new/tmp/after" || die 1 "the package left these files"
say "Removed without a trace"
