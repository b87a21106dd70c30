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
  if [[ $2 =~ ^[0-9]{1,6}$ ]] && ((10#$2 >= $3)); then return; fi
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

# Sets program_command: the program, or the command that runs it in SCALEMARK_CONTAINER, an Apptainer image.
# SCALEMARK_CONTAINER_OPTIONS (separated by blanks) are passed to Apptainer, for example --nv.
set_program() {
  local options=() found
  if [[ -z ${SCALEMARK_CONTAINER:-} ]]; then
    found=$(find_scalemark)
    program_command=("$found")
    return
  fi
  [[ -r $SCALEMARK_CONTAINER ]] || die 2 "SCALEMARK_CONTAINER is '$SCALEMARK_CONTAINER', which cannot be read"
  command -v apptainer >/dev/null || die 3 "apptainer was not found, which SCALEMARK_CONTAINER needs"
  read -r -a options <<<"${SCALEMARK_CONTAINER_OPTIONS:-}"
  # shellcheck disable=SC2034  # for the scripts that source this
  program_command=(apptainer exec "${options[@]}" "$SCALEMARK_CONTAINER" scalemark)
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

# Sets mpirun_command for that many ranks. The program binds its ranks, so mpirun must not. Open MPI's own messages
# about a lost job are switched off, because the program and this script explain it better. A variable is used, because
# other MPI libraries do not know mpirun -q.
set_mpirun() { # ranks
  command -v mpirun >/dev/null || die 3 "mpirun was not found: run jobscripts/setup.sh, or load your MPI module"
  mpirun_command=(mpirun -n "$1" --bind-to none)
  if (($1 > $(core_count))); then mpirun_command+=(--oversubscribe); fi
  export OMPI_MCA_orte_execute_quiet=1
  if [[ $(id -u) == 0 ]]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
}

# Whether --resume may continue on other hosts (0 or 1), and the words of the command that resumes this set of runs.
resume_hosts=0
resume_command=()

child=0
stop_signal=

# Passes the first signal of this script on to its child; no further launch starts.
hand_on() { # name, what the child gets
  stop_signal=$1
  say "$(basename "$0"): $1, stopping"
  if ((child)); then kill -"$2" "$child" 2>/dev/null || true; fi
}

# Runs the child in its own session, so that Ctrl-C reaches the launcher once, through hand_on.
run_child() {
  local code=0
  setsid "$@" &
  child=$!
  while kill -0 "$child" 2>/dev/null; do
    code=0
    wait "$child" || code=$?
  done
  code=0
  wait "$child" || code=$?
  child=0
  return "$code"
}

# After the launcher is killed, its ranks may live for some seconds and still write to the file.
wait_for_writer() { # parts
  local host pid i
  for ((i = 0; i < 150; i++)); do
    [[ -r $1/lock ]] || return 0
    host='' pid=''
    # The file contains HOST PID START-TIME without a newline, so read reports the end of the file.
    read -r host pid _ 2>/dev/null <"$1/lock" || true
    if [[ $host != "$(hostname)" || ! $pid =~ ^[0-9]+$ ]] || ! kill -0 "$pid" 2>/dev/null; then return 0; fi
    sleep 0.2
  done
}

# probe_cuda_aware RANKS COMMAND...: starts a launch of its own that tests whether MPI supports device memory, if there
# are GPUs and no proof is stored yet. COMMAND is a launch of the program up to its subcommand. MPI libraries without
# that support often crash. The result decides only how device memory is sent.
probe_cuda_aware() {
  local ranks=$1 code=0
  shift
  if ((ranks < 2 || $(gpu_count) == 0)); then return; fi
  say "Does MPI take device memory? (run --probe)"
  run_child timeout --kill-after=10 120 "$@" run --probe </dev/null >&2 || code=$?
  if [[ -n $stop_signal ]]; then exit $((code ? code : 130)); fi
  case $code in
    0 | 4) ;;
    6) say "No: some bytes were wrong. Device memory is copied to the host and back." ;;
    *) say "The probe ended with $code: what it had not proved by then is copied to the host and back." ;;
  esac
}

# Words as a shell takes them, in one line.
shell_line() {
  local word line=
  for word in "$@"; do
    if [[ $word =~ ^[A-Za-z0-9_./:,=@%+-]+$ ]]; then line+=" $word"; else line+=" $(printf '%q' "$word")"; fi
  done
  printf '%s\n' "${line# }"
}

say_how_to_go_on() {
  if ((${#resume_command[@]} == 0)); then
    say "Stopped. Finished cases are kept; the same command with --resume continues."
  else
    say "Stopped. Finished cases are kept. To resume (--resume):"
    say "  $(shell_line "${resume_command[@]}")"
  fi
}

finished_cases() { # parts
  find "$1" -maxdepth 1 -name 'c*.h5' 2>/dev/null | wc -l
}

# measure FILE RELAUNCHES COMMAND...: runs COMMAND --output FILE, and again with --resume if the job was lost (its parts
# exist, the merged file does not). RELAUNCHES limits successive launches that finish no further case, so a plan with
# many cases that end the job still completes. Returns the exit code of the last launch.
measure() {
  local file=$1 relaunches=$2 left=$2 code more done_before done_now=0
  shift 2
  while true; do
    done_before=$done_now
    more=()
    if [[ -d $file.parts ]]; then
      more=(--resume)
      if [[ $resume_hosts == 1 ]]; then more=(--resume-hosts --resume); fi
    fi
    code=0
    run_child "$@" --output "$file" "${more[@]}" || code=$?
    if [[ -n $stop_signal && -d $file.parts ]]; then
      say_how_to_go_on
      return $((code ? code : 130))
    fi
    if [[ ! -d $file.parts || $code == 2 ]]; then
      # A launch that left neither file nor parts never started: there is nothing to resume.
      if [[ ! -e $file && $code == 0 ]]; then
        say "$(basename "$0"): the program ended with 0, but there is no $file"
        code=3
      fi
      return "$code"
    fi
    done_now=$(finished_cases "$file.parts")
    if ((done_now > done_before)); then left=$relaunches; fi
    if ((left == 0)); then
      say "The job was lost again (exit code $code); no relaunch is left (--relaunches). To keep the finished cases:"
      say "  scalemark finalize $file.parts -o $file"
      return $((code ? code : 3))
    fi
    say "The job was lost (exit code $code): going on behind the finished cases, $left relaunches left."
    left=$((left - 1))
    wait_for_writer "$file.parts"
  done
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

# measure_runs FOLDER REPEATS RELAUNCHES RESUME COMMAND...: measures FOLDER/run-1.h5 .. run-REPEATS.h5.
# Sets runs_code to the worst exit code.
measure_runs() {
  local folder=$1 repeats=$2 relaunches=$3 resume=$4 k file code
  shift 4
  runs_code=0
  # One stored name for the set of runs.
  if [[ ! -s $folder/campaign ]]; then
    printf '%s-%s\n' "$(date -u +%Y%m%dT%H%M%S)" "$(od -An -N6 -tx1 /dev/urandom | tr -d ' ')" >"$folder/campaign"
  fi
  SCALEMARK_CAMPAIGN=$(head -c 64 "$folder/campaign")
  export SCALEMARK_CAMPAIGN
  # With this variable the program leaves the advice on how to resume to this script.
  SCALEMARK_JOB_SCRIPT=$(basename "$0")
  export SCALEMARK_JOB_SCRIPT
  for ((k = 1; k <= repeats; k++)); do
    export SCALEMARK_REPEAT=$k
    file=$folder/run-$k.h5
    if [[ $resume == 1 && -f $file && ! -d $file.parts ]]; then
      say "Run $k of $repeats is there: $file"
      continue
    fi
    say "Run $k of $repeats: $file"
    code=0
    measure "$file" "$relaunches" "$@" || code=$?
    runs_code=$(worse_code "$runs_code" "$code")
    # After codes of a finished run the next run starts. Any other code would occur again.
    case $code in 0 | 3 | 4 | 6) ;; *) return ;; esac
    if [[ -n $stop_signal || ! -f $file ]]; then return; fi
  done
}

# show_runs FOLDER PROGRAM...: prints the runs of a folder as one table on stdout. A single run has already printed its
# table. A set that was stopped is not complete and gets none.
show_runs() {
  local runs
  runs=$(find "$1" -maxdepth 1 -name 'run-*.h5' -type f | wc -l)
  if ((runs < 2)) || [[ -n $stop_signal ]]; then return; fi
  "${@:2}" show "$1" || say "the table over the runs could not be printed; by hand: scalemark show $1"
}

# Refuses arguments that the script sets itself.
check_run_arguments() {
  local argument
  for argument in "$@"; do
    case $argument in
      -o | -o?* | --output | --output=* | --resume | --resume-hosts | --force)
        die 2 "'$argument' cannot be handed to scalemark run: use --output DIR, --resume and --resume-hosts before the --"
        ;;
    esac
  done
}

# Creates FOLDER. Refuses a folder that already has runs, unless they are to be resumed.
prepare_folder() { # folder, resume 0|1
  local old
  old=$(find "$1" -maxdepth 1 -name 'run-*.h5*' -print -quit 2>/dev/null) || old=
  if [[ -n $old && $2 == 0 ]]; then
    die 2 "--output is '$1', which has runs already: give another folder, or --resume to complete them"
  fi
  mkdir -p "$1" || die 2 "--output is '$1', which cannot be made"
  [[ -w $1 ]] || die 2 "--output is '$1', which cannot be written to"
}

# measure_element FOLDER ELEMENT RELAUNCHES RESUME COMMAND...: measures FOLDER/run-ELEMENT.h5, for a job that is an
# element of an array. Returns its exit code.
measure_element() {
  local folder=$1 element=$2 relaunches=$3 resume=$4 file=$1/run-$2.h5
  shift 4
  [[ $element =~ ^[0-9]{1,6}$ ]] || die 2 "the index of this job in its array is '$element', which is no number"
  mkdir -p "$folder" || die 2 "--output is '$folder', which cannot be made"
  [[ ! -e $file ]] || die 2 "$file is there: give another --output"
  if [[ -d $file.parts && $resume == 0 ]]; then die 2 "$file.parts is there: --resume goes on with it"; fi
  export SCALEMARK_REPEAT=$element
  measure "$file" "$relaunches" "$@"
}
