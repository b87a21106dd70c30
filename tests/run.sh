#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and runs the tests: what CI runs.
#
#   tests/run.sh [OPTION...] [OPTION of jobscripts/setup.sh...]
#
#   --full           all checks at full size: also the tests labelled full (Slurm with its clock, long
#                    trainings, hundreds of kills), the sanitizers with LibTorch and the pages as a site; hours, not minutes
#   --only BUILD     only this build of the list below; may be repeated
#   -h, --help       this text; options of setup.sh (--libtorch DIR, --cpu, --cuda, --no-libtorch, --no-dali,
#                    --no-apt, --offline): jobscripts/setup.sh --help; it is asked for DALI
#
# Builds:
#   cpu-release    g++, optimised, with LibTorch and DALI, the sources of a module as one (SCALEMARK_UNITY); headers
#                  without a source alone (the others by their source in cpu-asan)
#   cpu-asan       clang, address and undefined-behaviour sanitizers, without LibTorch: programs, tests, and fuzz targets, which run
#                  for half a minute, with --full ten. Each source is looked at alone, too. Without clang and libFuzzer: g++, no
#                  fuzzing. If nvcc is found that works with this compiler: also GPU code, on the software GPU
#   cpu-newest     with --full or --only: the programs and tests that use LibTorch, with the newest that setup.sh fetches
#   cpu-openmpi, cpu-mpich  with --full or --only: without LibTorch, with Open MPI 5 and MPICH 5; what uses MPI
#   package        with --full or --only: the Debian package, built, installed in a bare Debian 12, run, removed; takes root
#   cuda-release   if nvcc is found; most objects come from ccache. Tests that need a GPU run if there is one. With --full also
#                  the software GPU with the thread sanitizer (cuda-tsan), without LibTorch
# Which tests run where: cpu-asan runs the tests that need no LibTorch. cpu-release runs those that do, and the black-box tests.
# cuda-release runs cli.smoke, and builds the tests that need a GPU with LibTorch; it tests other GPU code, too, if there is a GPU or
# cpu-asan does not. With --full, cpu-release and cuda-release run all tests, each source is compiled alone, also those and the headers that
# need LibTorch, and g++ builds the sanitizers with LibTorch for the tests that need it, and the thread sanitizer for the tests of
# what has threads (cpu-tsan).
# Warnings are errors. Build folders are build/PRESET, and stay; each holds tests.xml (JUnit).
# Token ids are checked against Llama 3's tokenizer if setup.sh can download it. Otherwise these tests are skipped
# with a message, and the cases with a small vocabulary run. The same holds for exported MLPerf logs and mlcommons'
# own checker.
# All steps run even if one fails; a summary with their times comes last. --full keeps it, with the JUnit files, in
# results/local/tests-full-TIME.
# Exit: 0 all passed, 1 something failed, else that of setup.sh.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/../jobscripts/lib.sh"
root=$(repository)
cd "$root"

builds="cpu-release cpu-asan cpu-newest cpu-openmpi cpu-mpich package cuda-release"
full=0 only=() where=() setup_options=(--dali) choice=0
while (($#)); do
  case $1 in
    --full) full=1 ;;
    --only | --libtorch)
      need_value "$@"
      case $1 in
        --only)
          [[ " $builds " == *" $2 "* ]] || die 2 "--only is '$2', allowed: ${builds// /, }"
          only+=("$2")
          ;;
        --libtorch) setup_options+=("$1" "$2") choice=1 ;;
      esac
      shift
      ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    *)
      if [[ $1 =~ ^--(cpu|cuda|no-libtorch)$ ]]; then choice=1; fi
      if [[ $1 =~ ^--(no-apt|offline)$ ]]; then where+=("$1"); fi
      setup_options+=("$1")
      ;;
  esac
  shift
done

wanted() { # preset
  ((${#only[@]} == 0)) || [[ " ${only[*]} " == *" $1 "* ]]
}

wanted_in_full() { # those that only --full or --only asks for
  if ((${#only[@]})); then wanted "$1"; else ((full)); fi
}

# --- steps and their summary -------------------------------------------------------------------

summary=() test_files=() failed=0 start_all=$SECONDS tests=0 test_failures=0 skipped=0

# step NAME COMMAND...: runs a step; a failure is recorded and returned, so that dependent steps can be left out.
step() {
  local name=$1 start=$SECONDS state=ok
  shift
  say ""
  say "== $name"
  "$@" || state=FAILED
  summary+=("$(printf '%-44s %-6s %5d s' "$name" "$state" $((SECONDS - start)))")
  [[ $state == ok ]] || { failed=1 && return 1; }
}

# shellcheck disable=SC2317  # called by step
attribute() { # file, name: of the JUnit file's testsuite
  sed -n "/<testsuite/,/>/s/.*[[:space:]]$2=\"\([0-9]*\)\".*/\1/p" "$1" | head -n 1
}

# run_tests BUILD [OPTION of ctest...]: tests count in half cores (PROCESSORS); ctest gets two more than the machine has,
# because many tests mostly wait for launchers and timeouts.
# shellcheck disable=SC2317  # called by step
run_tests() {
  local folder=build/$1 code=0 file
  shift
  file=$folder/tests.xml
  rm -f "$file"
  ctest --test-dir "$folder" --output-on-failure --no-tests=error --output-junit "$root/$file" \
    --parallel $((2 * $(nproc) + 2)) "$@" || code=$?
  if [[ -s $file ]]; then
    test_files+=("$file")
    tests=$((tests + $(attribute "$file" tests)))
    test_failures=$((test_failures + $(attribute "$file" failures)))
    skipped=$((skipped + $(attribute "$file" skipped)))
  fi
  return "$code"
}

# --- builds --------------------------------------------------------------------------------------

excluded=full
if ((full)); then excluded='^$'; fi
if (($(gpu_count) == 0)); then excluded+="|gpu"; fi

# The later builds are made with the time of the cores that set-up and the first build leave idle. Tests wait for all builds: what
# else runs makes them slower, and some judge times.
declare -A begun=()
trap 'if ((${#begun[@]})); then kill "${begun[@]}" 2>/dev/null || true; fi' EXIT

begin() { # build, function with its arguments
  mkdir -p build
  "${@:2}" >"build/$1.log" 2>&1 &
  begun[$1]=$!
}

# shellcheck disable=SC2317  # called by step
finish() { # build
  local code=0
  wait "${begun[$1]}" || code=$?
  unset "begun[$1]"
  cat "build/$1.log"
  return "$code"
}

# on_idle_cores FUNCTION [ARGUMENT...]: runs a function of lib.sh in a session of its own: the kernel first shares the cores between
# sessions, then between the processes of each.
# shellcheck disable=SC2317  # called by prepare
on_idle_cores() {
  # shellcheck disable=SC2016  # is expanded by that bash
  setsid nice -n 19 bash -euo pipefail -c '
    if [[ -w /proc/self/autogroup ]]; then echo 19 >/proc/self/autogroup; fi
    source "$1"
    "${@:2}"' _ "$root/jobscripts/lib.sh" "$@" &
  # shellcheck disable=SC2064  # the session of now
  trap "kill -- -$! 2>/dev/null" TERM
  wait $!
}

# prepare BUILD TARGET... -- [OPTION of configure...]
# shellcheck disable=SC2317  # called by begin
prepare() {
  local preset=$1 targets=() start=$SECONDS
  shift
  while [[ $1 != -- ]]; do
    targets+=("$1")
    shift
  done
  on_idle_cores configure "$preset" "${@:2}"
  on_idle_cores build "$preset" "${targets[@]}"
  echo "$preset: configured and built in $((SECONDS - start)) s, with what others left of the cores"
}

# CI compiles the sources of a module as one, tests with precompiled headers, and looks at the syntax of each source alone; --full
# compiles each source alone, and runs all tests in the optimised build, too.
thorough=(-DSCALEMARK_WERROR=ON)
unity=(-DSCALEMARK_UNITY=ON -DSCALEMARK_FAST_TESTS=ON -DSCALEMARK_VERIFY_TORCH_HEADERS=OFF)
release=("${unity[@]}")
sanitized=("${unity[@]}")
if ((full)); then
  release=(-DSCALEMARK_UNITY=OFF -DSCALEMARK_FAST_TESTS=ON -DSCALEMARK_VERIFY_TORCH_HEADERS=ON)
  sanitized=(-DSCALEMARK_UNITY=OFF -DSCALEMARK_FAST_TESTS=OFF)
fi
# For SCALEMARK_TESTS. The release build also tests what the sanitizers' build lacks: the filter of system calls, allocations and
# file calls that fail, and loops that the compiler vectorises.
with_torch=' libtorch$'
in_release="$with_torch|^common\.store\.(sandbox|lacking_memory|io_faults)\$|^suites\.micro\.(copy_work|stream_kernels)\$"
excluded+="|left_out"

release_is_built=0
build_cpu_release() {
  local programs=''
  if ((!full)) && wanted cpu-asan; then programs=$in_release; fi
  step "cpu-release: configure" configure cpu-release "${libtorch[@]}" "${thorough[@]}" "${release[@]}" \
    "-DSCALEMARK_TESTS=$programs" || return 0
  step "cpu-release: build" build cpu-release || return 0
  step "cpu-release: every header alone" build cpu-release all_verify_interface_header_sets || true
  release_is_built=1
}

test_cpu_release() {
  ((release_is_built)) || return 0
  step "cpu-release: tests" run_tests cpu-release --label-exclude "$excluded" || true
}

# Open MPI and its plug-ins do not free all memory, so only the fuzz targets check for leaks. The black-box tests limit
# the address space and need LibTorch; they run with the release build.
sanitizer_tests() { # build folder
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
    step "$1: tests" run_tests "$1" --label-exclude "$excluded|speed|jobscripts|cli" || true
}

has_libfuzzer() {
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null 2>/dev/null
}

nvcc_takes() { # host compiler
  echo '__global__ void nothing() {}' | "$nvcc" -ccbin "$1" -std=c++20 -x cu -c - -o /dev/null 2>/dev/null
}

with_gcc=(-DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ -DSCALEMARK_FUZZ=OFF "-DSCALEMARK_SANITIZE=address,undefined")

fuzzing=0 gpu_code_in_asan=0 asan_is_built=0
begin_sanitizers() {
  local targets=(programs test_programs scalemark-micro scalemark-files) options=() host=g++
  if has_libfuzzer; then
    targets+=(fuzz) fuzzing=1 host=clang++
  else
    summary+=("cpu-asan: g++ and no fuzzing, there is no clang++ with libFuzzer (clang, libclang-rt-dev)")
    options=("${with_gcc[@]}")
  fi
  if ((full)); then
    options+=(-DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1")
  else
    targets+=(all_sources_alone)
  fi
  if [[ -n $nvcc ]] && nvcc_takes "$host"; then
    gpu_code_in_asan=1
    options+=(-DSCALEMARK_ENABLE_CUDA=ON "-DCMAKE_CUDA_COMPILER=$nvcc" "-DCMAKE_CUDA_HOST_COMPILER=$host")
  fi
  begin cpu-asan prepare cpu-asan "${targets[@]}" -- "${thorough[@]}" "${sanitized[@]}" "${options[@]}"
}

check_sanitizers() {
  local seconds=30
  if ((full)); then seconds=600; fi
  ((asan_is_built)) || return 0
  ASAN_OPTIONS=detect_leaks=0 step "cpu-asan: list" build/cpu-asan/suites/scalemark list || true
  sanitizer_tests cpu-asan
  if ((fuzzing)); then step "cpu-asan: $seconds s of fuzzing" tests/fuzz/run.sh build/cpu-asan "$seconds" || true; fi
}

# shellcheck source=tests/run_full.sh
source "$here/run_full.sh"

# What links CUDA, and of core what looks for GPUs: all else is the objects that the release build tests. Where the sanitizers'
# build tests it, this one only builds the tests that need a GPU with LibTorch.
cuda_tests() {
  if ((full || !gpu_code_in_asan || $(gpu_count))); then
    local programs='common\.(torch|device|hardware|collective|profile|core\.(cuda|collect_env|system_facts|telemetry|runner))'
    echo "^($programs|gpu\.(device|launch|collective|profile|software|graph|llm|loader))"
  else
    echo '^gpu\.(graph|llm|loader)$'
  fi
}

# Once cpu-release is built: the compiler cache has most objects then.
cuda_is_built=0
begin_cuda_release() {
  CUDACXX=$nvcc begin cuda-release prepare cuda-release -- "${libtorch[@]}" "${thorough[@]}" "${unity[@]}" \
    "-DSCALEMARK_TESTS=$(cuda_tests)"
}

check_cuda_release() {
  ((cuda_is_built)) || return 0
  step "cuda-release: tests" run_tests cuda-release --tests-regex "^cli\.smoke\$|$(cuda_tests)" \
    --label-exclude "$excluded|jobscripts|slow|full" || true
}

nvcc=$(find_nvcc) || nvcc=
if ((!choice)) && [[ -n $nvcc ]] && wanted cuda-release; then
  # Both builds use the same LibTorch, so that ccache compiles common sources once.
  setup_options+=(--cuda)
fi
for option in "$(if ((full)); then echo --full; else echo --dev; fi)" --tokenizer --mlperf; do setup_options+=("$option"); done
say "== Set-up"
"$root/jobscripts/setup.sh" "${where[@]}" --dev --no-libtorch >/dev/null
if wanted cpu-asan; then begin_sanitizers; fi
settings=$("$root/jobscripts/setup.sh" "${setup_options[@]}")
eval "$settings"
mapfile -t libtorch < <(build_options)
summary+=("$(printf '%-44s %-6s %5d s' "set-up" ok $((SECONDS - start_all)))")

if [[ -z ${SCALEMARK_TOKENIZER:-} ]]; then
  summary+=("Llama 3's token ids: not checked, its tokenizer could not be fetched")
fi

if [[ -z ${SCALEMARK_MLPERF_LOGGING:-} ]]; then
  summary+=("Exported MLPerf logs: not checked by mlcommons' checker, which could not be fetched")
fi

if wanted cpu-release; then build_cpu_release; fi
if wanted cuda-release && [[ -n $nvcc ]]; then begin_cuda_release; fi
if wanted cpu-asan && step "cpu-asan: the rest of the build" finish cpu-asan; then asan_is_built=1; fi
if wanted cuda-release && [[ -n $nvcc ]] && step "cuda-release: the rest of the build" finish cuda-release; then cuda_is_built=1; fi
if wanted cpu-release; then test_cpu_release; fi
if wanted cpu-asan; then check_sanitizers; fi
if wanted cpu-asan && ((full)) && [[ -n $LIBTORCH_DIR ]]; then
  check_torch_sanitizers
  check_threads
fi
if wanted_in_full cpu-newest && [[ -n $LIBTORCH_DIR ]]; then check_newest; fi
for mpi in openmpi mpich; do
  if wanted_in_full "cpu-$mpi"; then check_other_mpi "$mpi"; fi
done
if wanted_in_full package; then check_package; fi
if wanted cuda-release; then
  if [[ -n $nvcc ]]; then
    check_cuda_release
    if ((full)); then check_gpu_threads; fi
  else
    summary+=("cuda-release: not built, there is no nvcc")
  fi
fi

if ((full)); then check_pages; fi

print_summary() {
  printf '\nSummary (%s cores)\n' "$(nproc)"
  printf '  %s\n' "${summary[@]}"
  printf '  %-44s %-6s %5d s\n' "all" "$(if ((failed)); then echo FAILED; else echo ok; fi)" $((SECONDS - start_all))
  printf '%d passed, %d failed, %d skipped\n' $((tests - test_failures - skipped)) "$test_failures" "$skipped"
}
if ((full)); then
  kept=results/local/tests-full-$(date -u +%Y%m%dT%H%M%S)
  mkdir -p "$kept"
  for file in build/*/tests.xml; do
    if [[ -s $file ]]; then cp "$file" "$kept/$(basename "$(dirname "$file")").xml"; fi
  done
  print_summary | tee "$kept/summary.txt"
else
  print_summary
fi
if ((test_failures)); then
  printf '\nFailed tests\n'
  python3 tests/failures.py "${test_files[@]}"
fi
exit "$failed"
