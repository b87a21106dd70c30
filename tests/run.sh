#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and runs the tests: what CI runs.
#
#   tests/run.sh [OPTION...] [OPTION of jobscripts/setup.sh...]
#
#   --full           every check at full size: also the tests labelled full (Slurm with its clock, long
#                    trainings, hundreds of kills), the sanitizers with LibTorch and the pages as a site; hours, not minutes
#   --only BUILD     only this one of those below; may be repeated
#   -h, --help       this text; options of setup.sh (--libtorch DIR, --cpu, --cuda, --no-libtorch, --no-dali,
#                    --no-apt, --offline): jobscripts/setup.sh --help; it is asked for DALI
#
# Builds:
#   cpu-release    g++, optimised, with LibTorch and DALI, ten sources of a module at a time (SCALEMARK_UNITY); the headers alone
#   cpu-asan       g++, address and undefined-behaviour sanitizers, without LibTorch and the command line
#   cpu-clang      both programs with clang, source by source, without LibTorch; no tests
#   cpu-fuzz       where clang has libFuzzer: the reader of result files gets half a minute of made-up input, with --full ten
#   cuda-release   where nvcc is found; most of it comes from ccache. Its tests that need a GPU run where there is one
# The tests of common/ that need no LibTorch run with the sanitizers, those of the suites there and, like the black-box tests,
# with the release build, and those of what differs in it with the CUDA build. With --full all tests run in all
# builds, every source and header is compiled alone, and cpu-asan is built with LibTorch, too.
# Warnings are errors in all but cpu-fuzz. Build folders are build/PRESET, and stay; each holds tests.xml (JUnit).
# Token ids are checked against Llama 3's tokenizer where setup.sh can fetch it; where not, those tests are
# skipped and say so, and a small vocabulary's cases run. Exported MLPerf logs are checked by mlcommons' own checker the
# same way.
# All steps are run even when one fails; a summary with their times comes last. --full keeps it, with
# the JUnit files, in results/local/tests-full-TIME.
# Exit: 0 all passed, 1 something failed, else that of setup.sh.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=jobscripts/lib.sh
source "$here/../jobscripts/lib.sh"
root=$(repository)
cd "$root"

full=0 only=() setup_options=(--dali) choice=0
while (($#)); do
  case $1 in
    --full) full=1 ;;
    --only | --libtorch)
      need_value "$@"
      case $1 in
        --only)
          [[ $2 =~ ^(cpu-release|cpu-asan|cpu-clang|cpu-fuzz|cuda-release)$ ]] ||
            die 2 "--only is '$2', allowed: cpu-release, cpu-asan, cpu-clang, cpu-fuzz, cuda-release"
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
      setup_options+=("$1")
      ;;
  esac
  shift
done

wanted() { # preset
  ((${#only[@]} == 0)) || [[ " ${only[*]} " == *" $1 "* ]]
}

# --- steps and their summary -------------------------------------------------------------------

summary=() failed=0 start_all=$SECONDS tests=0 test_failures=0 skipped=0

# step NAME COMMAND...: a failure is noted, and returned for those who depend on it.
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

# run_tests BUILD [OPTION of ctest...]. One more at a time than there are cores: many wait, for launchers and timeouts.
# shellcheck disable=SC2317  # called by step
run_tests() {
  local folder=build/$1 code=0 file
  shift
  file=$folder/tests.xml
  rm -f "$file"
  ctest --test-dir "$folder" --output-on-failure --no-tests=error --output-junit "$root/$file" \
    --parallel $(($(nproc) + 1)) "$@" || code=$?
  if [[ -s $file ]]; then
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

# CI compiles ten sources of a module at a time, and tests behind precompiled headers; --full all one by one.
thorough=(-DSCALEMARK_WERROR=ON)
unity=(-DSCALEMARK_UNITY=ON -DSCALEMARK_FAST_TESTS=ON -DSCALEMARK_VERIFY_TORCH_HEADERS=OFF)
if ((full)); then
  unity=(-DSCALEMARK_UNITY=OFF -DSCALEMARK_FAST_TESTS=OFF -DSCALEMARK_VERIFY_TORCH_HEADERS=ON)
fi
excluded+="|left_out"

check_cpu_release() {
  local programs=''
  if ((!full)) && wanted cpu-asan; then programs='^(suites|common\.torch)'; fi
  step "cpu-release: configure" configure cpu-release "${libtorch[@]}" "${thorough[@]}" "${unity[@]}" \
    "-DSCALEMARK_TESTS=$programs" || return 0
  step "cpu-release: build" build cpu-release || return 0
  step "cpu-release: every header alone" build cpu-release all_verify_interface_header_sets || true
  step "cpu-release: tests" run_tests cpu-release --label-exclude "$excluded" || true
}

# Open MPI and its plug-ins keep memory to the end: leaks are looked for elsewhere. The black-box tests limit
# the address space and want LibTorch; they run with the release build.
check_sanitizers() { # build folder, options of the configuration
  local name=$1
  shift
  step "$name: configure" configure cpu-asan -B "build/$name" "${thorough[@]}" "${unity[@]}" "$@" || return 0
  step "$name: build" build "$name" test_programs || return 0
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
    step "$name: tests" run_tests "$name" --label-exclude "$excluded|speed|jobscripts|cli" || true
}

check_clang() {
  if ! command -v clang++ >/dev/null; then
    summary+=("cpu-clang: not built, there is no clang++")
    return 0
  fi
  step "cpu-clang: configure" configure cpu-clang "${thorough[@]}" || return 0
  step "cpu-clang: build" build cpu-clang scalemark scalemark-kernels || return 0
  step "cpu-clang: list" build/cpu-clang/suites/scalemark list || true
}

has_libfuzzer() {
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null 2>/dev/null
}

check_fuzz() {
  local seconds=30
  if ((full)); then seconds=600; fi
  if ! has_libfuzzer; then
    summary+=("cpu-fuzz: not built, there is no clang++ with libFuzzer (clang, libclang-rt-dev)")
    return 0
  fi
  step "cpu-fuzz: configure" configure cpu-fuzz -DSCALEMARK_UNITY=ON || return 0
  step "cpu-fuzz: build" build cpu-fuzz fuzz || return 0
  step "cpu-fuzz: $seconds s" tests/fuzz/run.sh build/cpu-fuzz "$seconds" || true
}

check_cuda_release() {
  export CUDACXX=$nvcc
  local programs='^common\.(device|topology|collective|profile|core|torch)'
  local differs=(--tests-regex "^(gpu|cli\.(smoke|verify))|$programs")
  if ((full)); then programs='' differs=(); fi
  step "cuda-release: configure" configure cuda-release "${libtorch[@]}" "${thorough[@]}" "${unity[@]}" \
    "-DSCALEMARK_TESTS=$programs" || return 0
  step "cuda-release: build" build cuda-release || return 0
  step "cuda-release: tests" run_tests cuda-release "${differs[@]}" --label-exclude "$excluded|jobscripts|slow|full" || true
}

nvcc=$(find_nvcc) || nvcc=
if ((!choice)) && [[ -n $nvcc ]] && wanted cuda-release; then
  # One LibTorch for both builds, so that ccache compiles what is common only once.
  setup_options+=(--cuda)
fi
setup_options+=("$(if ((full)); then echo --full; else echo --dev; fi)" --tokenizer --mlperf)
say "== Set-up"
settings=$("$root/jobscripts/setup.sh" "${setup_options[@]}")
eval "$settings"
mapfile -t libtorch < <(libtorch_options)
summary+=("$(printf '%-44s %-6s %5d s' "set-up" ok $((SECONDS - start_all)))")

if [[ -z ${SCALEMARK_TOKENIZER:-} ]]; then
  summary+=("Llama 3's token ids: not checked, its tokenizer could not be fetched")
fi

if [[ -z ${SCALEMARK_MLPERF_LOGGING:-} ]]; then
  summary+=("Exported MLPerf logs: not checked by mlcommons' checker, which could not be fetched")
fi

if wanted cpu-release; then check_cpu_release; fi
if wanted cpu-asan; then check_sanitizers cpu-asan; fi
if wanted cpu-asan && ((full)) && [[ -n $LIBTORCH_DIR ]]; then check_sanitizers cpu-asan-torch "${libtorch[@]}" -DSCALEMARK_ENABLE_DALI=OFF; fi
if wanted cpu-clang; then check_clang; fi
if wanted cpu-fuzz; then check_fuzz; fi
if wanted cuda-release; then
  if [[ -n $nvcc ]]; then check_cuda_release; else summary+=("cuda-release: not built, there is no nvcc"); fi
fi

if ((full)); then step "pages: a site, every link and anchor" docs/build_site.sh || true; fi

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
exit "$failed"
