# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions shared by the scripts. To be sourced, not run.
shopt -s inherit_errexit

say() { printf '%s\n' "$*" >&2; }

die() { # exit code, text
  local code=$1
  shift
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit "$code"
}

# The comment at the head of a script is its help.
print_help() { # script
  awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$1"
}

# For options with a value: need_value "$@"
need_value() {
  [[ $# -ge 2 ]] || die 2 "$1 needs a value (see --help)"
}

need_count() { # option, value, smallest
  if [[ $2 =~ ^(0|[1-9][0-9]{0,5})$ ]] && (($2 >= $3)); then return; fi
  die 2 "$1 is '$2', allowed: a whole number from $3 on"
}

repository() { (cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd); }

cache_folder() {
  local base=${XDG_CACHE_HOME:-}
  if [[ -z $base ]]; then base=${HOME:?HOME is not set, and XDG_CACHE_HOME neither}/.cache; fi
  printf '%s\n' "$base/scalemark"
}

# --- the machine -----------------------------------------------------------------------------

# Number of physical cores that this process may use; Open MPI's slots.
core_count() {
  local cores
  cores=$(lscpu -p=CORE,SOCKET 2>/dev/null | grep -v '^#' | sort -u | wc -l) || cores=0
  if ((cores < 1 || cores > $(nproc))); then cores=$(nproc); fi
  echo "$cores"
}

# Number of parallel compilations: a source with LibTorch needs up to 2 GB.
job_count() {
  local jobs memory
  jobs=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 2000000) }' /proc/meminfo)
  if ((memory < jobs)); then jobs=$memory; fi
  echo $((jobs < 1 ? 1 : jobs))
}

gpu_count() {
  local count=0
  if command -v nvidia-smi >/dev/null; then
    count=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU') || count=0
  elif [[ -d /proc/driver/nvidia/gpus ]]; then
    count=$(find /proc/driver/nvidia/gpus -mindepth 1 -maxdepth 1 | wc -l)
  fi
  echo "$count"
}

find_nvcc() {
  local nvcc
  for nvcc in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
    if [[ -n $nvcc && -x $nvcc ]]; then
      echo "$nvcc"
      return
    fi
  done
  return 1
}

# --- build -----------------------------------------------------------------------------------

# CMake options for LIBTORCH_DIR, DALI_DIR and SCALEMARK_HEADERS, which setup.sh prints. Without DALI_DIR, DALI is used
# if it is found. Users who need fetched headers have no GoogleTest, so tests are switched off.
build_options() {
  printf '%s\n' "-DSCALEMARK_HEADERS=${SCALEMARK_HEADERS:-}"
  if [[ -n ${SCALEMARK_HEADERS:-} ]]; then printf '%s\n' -DSCALEMARK_BUILD_TESTS=OFF; fi
  if [[ -z ${LIBTORCH_DIR:-} ]]; then
    printf '%s\n' -DSCALEMARK_ENABLE_LIBTORCH=OFF -DSCALEMARK_ENABLE_DALI=OFF
    return
  fi
  printf '%s\n' "-DLIBTORCH_DIR=$LIBTORCH_DIR" -DSCALEMARK_ENABLE_LIBTORCH=ON
  if [[ -n ${DALI_DIR:-} ]]; then
    printf '%s\n' "-DDALI_DIR=$DALI_DIR" -DSCALEMARK_ENABLE_DALI=ON
  else
    printf '%s\n' -DSCALEMARK_ENABLE_DALI=AUTO
  fi
}

# configure PRESET [OPTION...]: runs CMake. The presets use ccache and mold; if one is missing, it is left out.
configure() {
  local root preset=$1 options=()
  shift
  root=$(repository)
  command -v ccache >/dev/null || options+=(-DCMAKE_C_COMPILER_LAUNCHER= -DCMAKE_CXX_COMPILER_LAUNCHER=)
  command -v mold >/dev/null || options+=(-DCMAKE_EXE_LINKER_FLAGS= -DCMAKE_SHARED_LINKER_FLAGS=)
  cmake -S "$root" --preset "$preset" "${options[@]}" "$@" >&2
}

# build PRESET [TARGET...]. ccache gets relative paths, so that all clones share its entries, and the sloppiness that it
# requires with precompiled headers. With CCACHE_DEPEND it looks up sources without preprocessing them; with
# CCACHE_INODECACHE it does not read the 600 MB of precompiled headers for each source.
build() {
  local root preset=$1 targets=()
  shift
  root=$(repository)
  if (($#)); then targets=(--target "$@"); fi
  CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 CCACHE_INODECACHE=1 \
    cmake --build "$root/build/$preset" --parallel "$(job_count)" "${targets[@]}" >&2
}

# The program: SCALEMARK, or else the newest build.
find_scalemark() {
  local root file newest=
  root=$(repository)
  if [[ -n ${SCALEMARK:-} ]]; then
    [[ -x $SCALEMARK ]] || die 2 "SCALEMARK is '$SCALEMARK', which is no program"
    newest=$SCALEMARK
  else
    for file in "$root"/build/*-release/suites/scalemark; do
      if [[ -x $file && (-z $newest || $file -nt $newest) ]]; then newest=$file; fi
    done
    [[ -n $newest ]] || newest=$(command -v scalemark) ||
      die 3 "no scalemark is built: run jobscripts/quickstart.sh first, or set SCALEMARK to the program"
  fi
  realpath "$newest"
}

# Sets program_command: the program, or the command that runs it in SCALEMARK_CONTAINER; and rank_command, the same where a
# launcher starts it (behind its options). SCALEMARK_CONTAINER is
# - an image of Apptainer (or Singularity), whose ranks of a node share a container from Apptainer 1.3 on;
# - a folder, the root of a system: for Charliecloud, whose ranks of a node share a container;
# - FILE.sqsh, an image of enroot: for Slurm's plugin pyxis;
# - docker:IMAGE or podman:IMAGE, an image of Docker or Podman.
# The container gets the working folder and the FOLDERs given (of a file its folder). SCALEMARK_CONTAINER_OPTIONS (separated by
# blanks) are passed on, for example --nv.
set_program() { # [FOLDER...]
  local options=() folders=() folder
  if [[ -n ${SCALEMARK_CONTAINER:-} ]]; then
    if [[ $PWD != / ]]; then add_folder "$PWD"; fi
    for folder in "$@"; do
      if [[ -f $folder ]]; then folder=$(dirname -- "$folder"); fi
      add_folder "$folder"
    done
  fi
  read -r -a options <<<"${SCALEMARK_CONTAINER_OPTIONS:-}"
  case ${SCALEMARK_CONTAINER:-} in
    '')
      program_command=("$(find_scalemark)")
      rank_command=("${program_command[@]}")
      return
      ;;
    docker:?* | podman:?*)
      "set_program_of_${SCALEMARK_CONTAINER%%:*}" "${SCALEMARK_CONTAINER#*:}"
      return
      ;;
  esac
  [[ -r $SCALEMARK_CONTAINER ]] || die 2 "SCALEMARK_CONTAINER is '$SCALEMARK_CONTAINER', which cannot be read"
  if [[ -d $SCALEMARK_CONTAINER ]]; then
    set_program_of_charliecloud "$SCALEMARK_CONTAINER"
  elif [[ $SCALEMARK_CONTAINER == *.sqsh ]]; then
    set_program_of_pyxis "$SCALEMARK_CONTAINER"
  else
    set_program_of_apptainer "$SCALEMARK_CONTAINER"
  fi
}

# Adds to folders, each once: engines refuse what is mounted twice.
add_folder() { # FOLDER
  local folder other
  folder=$(realpath -ms -- "$1")
  [[ $folder != *[:,]* ]] || die 2 "'$folder' cannot be mounted in a container: its name has a colon or a comma"
  for other in ${folders[@]+"${folders[@]}"}; do
    if [[ $other == "$folder" ]]; then return; fi
  done
  folders+=("$folder")
}

# What set_program does with each engine, for its options and folders.
# shellcheck disable=SC2034  # for the scripts that source this
set_program_of_docker() { # IMAGE
  command -v docker >/dev/null || die 3 "docker was not found, which SCALEMARK_CONTAINER needs"
  if [[ $(docker info --format '{{.SecurityOptions}}' 2>/dev/null) == *rootless* ]]; then
    die 3 "Docker's daemon runs without root here, in a network of its own: use podman:$1"
  fi
  mount_folders
  program_command=("$(repository)/jobscripts/docker_run.sh" "${options[@]}" "$1" scalemark)
  rank_command=("${program_command[@]}")
  no_copies_between_containers
}

# For Docker and Podman: launchers talk to their ranks by files of the temporary folder. The cache keeps what --probe finds out;
# an image has one of its own, which is gone with the container.
mount_folders() {
  local cache
  add_folder "${TMPDIR:-/tmp}"
  if cache=$(cache_folder 2>/dev/null) && mkdir -p "$cache" 2>/dev/null; then # not without a home
    export XDG_CACHE_HOME=${cache%/scalemark}
    add_folder "$cache"
  fi
  for folder in "${folders[@]}"; do options=("--volume=$folder:$folder" "${options[@]}"); done
}

# Each rank runs in a container of its own. The kernel refuses Open MPI's direct copies between their processes.
no_copies_between_containers() {
  export OMPI_MCA_btl_vader_single_copy_mechanism=${OMPI_MCA_btl_vader_single_copy_mechanism:-none}
}

# shellcheck disable=SC2034
set_program_of_podman() { # IMAGE
  command -v podman >/dev/null || die 3 "podman was not found, which SCALEMARK_CONTAINER needs"
  add_folder /dev/shm
  mount_folders
  if [[ -d /dev/infiniband ]]; then options=(--device=/dev/infiniband "${options[@]}"); fi
  if [[ $(id -u) != 0 ]]; then options=(--userns=keep-id "${options[@]}"); fi
  program_command=(podman run --rm --env-host --net=host --pid=host "--workdir=$PWD" "${options[@]}" "$1" scalemark)
  rank_command=("${program_command[@]}")
  no_copies_between_containers
}

# shellcheck disable=SC2034
set_program_of_charliecloud() { # FOLDER
  command -v ch-run >/dev/null || die 3 "ch-run was not found, which a folder as SCALEMARK_CONTAINER needs (Charliecloud)"
  export USER=${USER:-$(id -un)} # which it asks for
  options=("--cd=$PWD" "${options[@]}")
  for folder in "${folders[@]}"; do
    # It makes no folders in the container.
    mkdir -p -- "$1$folder" || die 3 "Charliecloud needs a folder $folder in $1"
    options=("--bind=$folder" "${options[@]}")
  done
  program_command=(ch-run "${options[@]}" "$1" -- scalemark)
  rank_command=(ch-run --join "${options[@]}" "$1" -- scalemark)
}

# shellcheck disable=SC2034
set_program_of_pyxis() { # FILE.sqsh
  [[ -n ${SLURM_JOB_ID:-} ]] || die 2 "SCALEMARK_CONTAINER is '$1': images of enroot are for Slurm (pyxis)"
  local mounts=''
  for folder in "${folders[@]}"; do mounts+=${mounts:+,}$folder:$folder; done
  rank_command=("--container-image=$1" "--container-workdir=$PWD" "--container-mounts=$mounts" "${options[@]}" scalemark)
  program_command=(srun --nodes=1 --ntasks=1 --overlap "${rank_command[@]}")
}

# shellcheck disable=SC2034
set_program_of_apptainer() { # IMAGE
  local engine
  engine=$(command -v apptainer || command -v singularity) || die 3 "neither apptainer nor singularity was found, which SCALEMARK_CONTAINER needs"
  engine=$(basename "$engine")
  for folder in "${folders[@]}"; do options=("--bind=$folder" "${options[@]}"); done
  program_command=("$engine" exec "${options[@]}" "$1" scalemark)
  # Without root each container has a user namespace of its own, between which the kernel copies no messages.
  if [[ $("$engine" exec --help 2>/dev/null) == *--sharens* ]]; then options=(--sharens "${options[@]}"); fi
  rank_command=("$engine" exec "${options[@]}" "$1" scalemark)
}

# How srun starts MPI: SCALEMARK_MPI, or else the first of pmix (known to Open MPI and MPICH), cray_shasta and pmi2 that
# srun lists.
srun_mpi() {
  local listed kind
  if [[ -n ${SCALEMARK_MPI:-} ]]; then
    echo "$SCALEMARK_MPI"
    return
  fi
  # Slurm prints the list to stdout or stderr, one name per line, with versions such as pmix_v4 after commas.
  listed=$(srun --mpi=list 2>&1 | tr ', ' '\n') || listed=
  for kind in pmix cray_shasta pmi2; do
    if grep -qxE "$kind(_v[0-9]+)?" <<<"$listed"; then
      echo "$kind"
      return
    fi
  done
  die 3 "srun --mpi=list names neither pmix, cray_shasta nor pmi2: set SCALEMARK_MPI to what this Slurm has"
}

# --- launch ----------------------------------------------------------------------------------

need_mpirun() { command -v mpirun >/dev/null || die 3 "mpirun was not found: run jobscripts/setup.sh, or load your MPI module"; }

# Sets mpirun_command for that many ranks: on this machine, else RANKS_PER_NODE on each host of HOSTS, a file (empty: the
# hosts of the job, which mpirun knows). The program binds its ranks, so mpirun must not.
set_mpirun() { # RANKS [RANKS_PER_NODE [HOSTS]]
  local per_node=${2:-} hosts=${3:-}
  mpirun_command=(mpirun -n "$1")
  # Asked once for all launches. A broken one may hang.
  mpirun_version=${mpirun_version:-$(timeout 10 mpirun --version 2>&1 </dev/null || echo unknown)}
  case $mpirun_version in
    *HYDRA* | *"Intel(R) MPI"*) # MPICH, and what is made of it
      mpirun_command[0]=mpiexec.hydra # Intel's mpirun is a script, which keeps signals for itself
      export I_MPI_PIN=${I_MPI_PIN:-off}
      mpirun_command+=(${per_node:+-ppn "$per_node"} ${hosts:+-f "$hosts"})
      ;;
    *)
      mpirun_command+=(${per_node:+--map-by "ppr:$per_node:node"} --bind-to none ${hosts:+--hostfile "$hosts"})
      if [[ -z $per_node ]] && (($1 > $(core_count))); then mpirun_command+=(--oversubscribe); fi
      # Messages of version 4 about a lost job: the program and these scripts explain it better.
      export OMPI_MCA_orte_execute_quiet=1
      if [[ $(id -u) == 0 ]]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
      ;;
  esac
}

# The more important of two exit codes, in the order 2, 3, 6, 1, 4, 5, 0. Other codes, which come from the launcher,
# precede all of these.
worse_code() {
  local code
  for code in "$1" "$2"; do
    if ((code > 6)); then echo "$code" && return; fi
  done
  for code in 2 3 6 1 4 5; do
    if (($1 == code || $2 == code)); then echo "$code" && return; fi
  done
  echo 0
}
