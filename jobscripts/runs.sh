# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Runs of one job: their options, launches, files, and what follows the last run. To be sourced behind lib.sh by
# local.sh, job.sh and slurm.sbatch.

# --- options ---------------------------------------------------------------------------------

repeats=3 output='' resume=0 relaunches=12 baseline='' scratch='' staged=()

# take_option "$@": takes one of the options of all scripts that measure. Sets taken to its number of words, 0 if it is
# another word.
take_option() {
  taken=1
  case $1 in
    --repeats | --output | --relaunches | --baseline | --scratch | --stage)
      need_value "$@"
      taken=2
      case $1 in
        --repeats) need_count "$1" "$2" 1 && repeats=$2 ;;
        --relaunches) need_count "$1" "$2" 0 && relaunches=$2 ;;
        --output) output=$2 ;;
        --baseline) baseline=$2 ;;
        --scratch) scratch=$2 ;;
        --stage)
          [[ $2 =~ ^[a-z0-9_]+=. ]] || die 2 "--stage is '$2', allowed: NAME=DIR, a data set of scalemark run --data"
          staged+=("$2")
          ;;
      esac
      ;;
    --resume) resume=1 ;;
    --resume-hosts) resume=1 resume_hosts=1 ;;
    *)
      # shellcheck disable=SC2034  # for the scripts that source this
      taken=0
      ;;
  esac
}

# Refuses what would be found missing only after hours.
check_options() {
  [[ -z $baseline || -e $baseline ]] || die 2 "--baseline is '$baseline', which is not there"
  local stage
  for stage in ${staged[@]+"${staged[@]}"}; do
    [[ -d ${stage#*=} ]] || die 2 "--stage is '$stage', and ${stage#*=} is no folder"
  done
  if ((${#staged[@]})) && [[ -z $scratch ]]; then scratch=${TMPDIR:-/tmp}; fi
  [[ -z $scratch || -d $scratch ]] || die 2 "--scratch is '$scratch', which is no folder"
}

# The options of now as words, for a command that resumes.
option_words() {
  option_words=(--repeats "$repeats" --output "$output" --relaunches "$relaunches")
  if [[ -n $baseline ]]; then option_words+=(--baseline "$baseline"); fi
  if [[ -n $scratch ]]; then option_words+=(--scratch "$scratch"); fi
  local stage
  for stage in ${staged[@]+"${staged[@]}"}; do option_words+=(--stage "$stage"); done
}

# Twelve digits that no other job has.
random_word() { od -An -N6 -tx1 /dev/urandom | tr -d ' '; }

# --- local disks -----------------------------------------------------------------------------

# With --scratch: the folder of this job there, and the words that a launch of the program gets for data staged to it.
scratch_folder='' data_words=()

# open_scratch COMMAND...: makes the folder on each node and copies the staged data sets to it. COMMAND starts one process on
# each node. Nodes may share the folder: then one of them copies.
open_scratch() {
  [[ -n $scratch ]] || return 0
  local stage target
  scratch_folder=$(realpath -s "$scratch")/scalemark-$(id -un)-$(random_word)
  each_node=("$@")
  trap close_scratch EXIT
  # shellcheck disable=SC2016  # is expanded by that bash
  "${each_node[@]}" bash -c 'mkdir -m 700 "$1" 2>/dev/null || [[ -O $1 && -d $1 && ! -L $1 ]]' _ "$scratch_folder" </dev/null ||
    die 3 "--scratch is '$scratch', where a node could not make a folder"
  for stage in ${staged[@]+"${staged[@]}"}; do
    target=$scratch_folder/${stage%%=*}
    say "Copying ${stage#*=} to $target on each node"
    # shellcheck disable=SC2016  # is expanded by that bash
    "${each_node[@]}" bash -c 'mkdir "$2" 2>/dev/null || { [[ -d $2 ]] && exit; }; cp -R "$1/." "$2"' _ "$(realpath "${stage#*=}")" "$target" </dev/null ||
      die 3 "--stage is '$stage', which could not be copied to $target on each node"
    data_words+=(--data "${stage%%=*}=$target")
  done
}

close_scratch() {
  [[ -n $scratch_folder ]] || return 0
  trap - EXIT
  "${each_node[@]}" rm -rf -- "$scratch_folder" </dev/null || say "$scratch_folder could not be removed on each node"
}

# bring_back FROM TO: a finished file, or the parts of one that was stopped.
bring_back() {
  if [[ -f $1 ]]; then
    cp "$1" "$2.copy" && mv "$2.copy" "$2" && rm -rf -- "$2.parts" "$1"
  elif [[ -d $1.parts ]]; then
    rm -rf -- "$2.parts" && cp -R "$1.parts" "$2.parts" && rm -rf -- "$1.parts" "$2.parts/lock"
  fi
}

# measure_file FILE RELAUNCHES COMMAND...: measure, with --scratch into a file there that is brought back.
measure_file() {
  local file=$1 code=0 here
  if [[ -z $scratch_folder ]]; then
    measure "$@"
    return
  fi
  here=$scratch_folder/$(basename "$file")
  if [[ -d $file.parts ]]; then
    cp -R "$file.parts" "$here.parts"
    rm -f "$here.parts/lock"
  fi
  measure "$here" "${@:2}" || code=$?
  bring_back "$here" "$file" || {
    say "$here could not be copied to $file"
    code=$(worse_code "$code" 3)
  }
  return "$code"
}

# --- launches --------------------------------------------------------------------------------

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

# Runs the child in its own session, so that Ctrl-C reaches the launcher once, through hand_on. If this script is killed, the
# launcher gets SIGTERM from the kernel: no scheduler finds it in that session.
run_child() {
  local code=0 session=(setsid)
  if setpriv --pdeathsig keep true 2>/dev/null; then session+=(setpriv --pdeathsig TERM); fi
  "${session[@]}" "$@" &
  child=$!
  # A signal since then has not reached it.
  if [[ -n $stop_signal ]]; then kill -TERM "$child" 2>/dev/null || true; fi
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
    if [[ -n $stop_signal ]]; then
      say_how_to_go_on
      return 130
    fi
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

# Gives the set of runs in the folder one stored name, also if elements of an array start at the same time.
name_set() { # folder
  (set -o noclobber && printf '%s-%s\n' "$(date -u +%Y%m%dT%H%M%S)" "$(random_word)" >"$1/campaign") 2>/dev/null || true
  SCALEMARK_CAMPAIGN=$(head -c 64 "$1/campaign")
  export SCALEMARK_CAMPAIGN
  # With this variable the program leaves the advice on how to resume to this script.
  SCALEMARK_JOB_SCRIPT=$(basename "$0")
  export SCALEMARK_JOB_SCRIPT
}

# measure_runs COMMAND...: measures run-1.h5 .. run-REPEATS.h5 of the output folder. Sets runs_code to the worst exit code.
measure_runs() {
  local k file code
  name_set "$output"
  for ((k = 1; k <= repeats; k++)); do
    export SCALEMARK_REPEAT=$k
    file=$output/run-$k.h5
    if [[ $resume == 1 && -f $file && ! -d $file.parts ]]; then
      say "Run $k of $repeats is there: $file"
      continue
    fi
    say "Run $k of $repeats: $file"
    code=0
    measure_file "$file" "$relaunches" "$@" || code=$?
    runs_code=$(worse_code "$runs_code" "$code")
    # After codes of a finished run the next run starts. Any other code would occur again.
    case $code in 0 | 3 | 4 | 6) ;; *) return ;; esac
    if [[ -n $stop_signal || ! -f $file ]]; then return; fi
  done
}

# measure_element ELEMENT COMMAND...: measures run-ELEMENT.h5, for a job that is an element of an array. Sets runs_code.
measure_element() {
  local element=$1 file=$output/run-$1.h5
  shift
  [[ $element =~ ^[0-9]{1,6}$ ]] || die 2 "the index of this job in its array is '$element', which is no number"
  if [[ $resume == 1 && -f $file && ! -d $file.parts ]]; then
    say "Run $element is there: $file"
    return
  fi
  [[ ! -e $file || $resume == 1 ]] || die 2 "$file is there: give another --output"
  if [[ -d $file.parts && $resume == 0 ]]; then die 2 "$file.parts is there: --resume goes on with it"; fi
  name_set "$output"
  export SCALEMARK_REPEAT=$element
  measure_file "$file" "$relaunches" "$@" || runs_code=$?
}

# Whether all runs are finished; of an array only for the element that sees this first.
is_last() { # element, or nothing
  local k
  [[ -z $stop_signal ]] || return 1
  [[ -n $1 ]] || return 0
  for ((k = 1; k <= repeats; k++)); do
    [[ -f $output/run-$k.h5 && ! -d $output/run-$k.h5.parts ]] || return 1
  done
  mkdir "$output/.concluded" 2>/dev/null
}

program_command=()  # by set_program

# One table over several runs, on stdout. A single run has already printed its own.
show_runs() {
  local runs
  runs=$(find "$output" -maxdepth 1 -name 'run-*.h5' -type f | wc -l)
  ((runs > 1)) || return 0
  "${program_command[@]}" show "$output" || say "the table over the runs could not be printed; by hand: scalemark show $output"
}

compare_with_baseline() {
  local code=0
  [[ -n $baseline ]] || return 0
  "${program_command[@]}" compare "$baseline" --against "$output" || code=$?
  runs_code=$(worse_code "$runs_code" "$code")
}

# measure_job ELEMENT COMMAND...: what the options ask for. ELEMENT is the index in an array of jobs, or nothing. After the
# last run: the table, and the comparison with --baseline. Sets runs_code.
runs_code=0 table=1
measure_job() {
  local element=$1
  shift
  set -- "$@" ${data_words[@]+"${data_words[@]}"}
  if [[ -n $element ]]; then measure_element "$element" "$@"; else measure_runs "$@"; fi
  is_last "$element" || return 0
  if ((table)); then show_runs; fi
  compare_with_baseline
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

# Creates FOLDER. Refuses a folder that already has runs, unless they are to be resumed, or are those of other elements.
prepare_folder() { # folder, resume 0|1, [element]
  local old=''
  [[ -n ${3:-} ]] || old=$(find "$1" -maxdepth 1 -name 'run-*.h5*' -print -quit 2>/dev/null) || old=
  if [[ -n $old && $2 == 0 ]]; then
    die 2 "--output is '$1', which has runs already: give another folder, or --resume to complete them"
  fi
  mkdir -p "$1" || die 2 "--output is '$1', which cannot be made"
  [[ -w $1 ]] || die 2 "--output is '$1', which cannot be written to"
}
