#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The builds that tests/run.sh makes with --full or --only, and what they test. Sourced by it: they use its steps and settings.
# shellcheck disable=SC2034,SC2154  # used and set by run.sh

# The sanitizers with LibTorch and g++, which cpu-asan leaves out.
check_torch_sanitizers() {
  local name=cpu-asan-torch
  step "$name: configure" configure cpu-asan -B "build/$name" "${thorough[@]}" "${unity[@]}" "${with_gcc[@]}" \
    "${libtorch[@]}" "-DSCALEMARK_TESTS=$with_torch" -DSCALEMARK_ENABLE_DALI=OFF || return 0
  step "$name: build" build "$name" test_programs || return 0
  sanitizer_tests "$name"
}

# Open MPI is not built for the thread sanitizer: only the software GPU itself runs with that.
check_gpu_threads() {
  # Warnings are no errors: g++ has wrong ones with sanitizers.
  CUDACXX=$nvcc step "cuda-tsan: configure" configure cuda-release -B build/cuda-tsan -DSCALEMARK_UNITY=ON -DSCALEMARK_FAST_TESTS=ON \
    -DSCALEMARK_ENABLE_LIBTORCH=OFF -DSCALEMARK_ENABLE_DALI=OFF "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -g1" -DSCALEMARK_SANITIZE=thread \
    '-DSCALEMARK_TESTS=^gpu\.software\.cudart' || return 0
  step "cuda-tsan: build" build cuda-tsan test_gpu_software_cudart software_cudart || return 0
  TSAN_OPTIONS=suppressions=$root/tests/gpu/software/tsan.txt \
    step "cuda-tsan: tests" run_tests cuda-tsan --tests-regex '^gpu\.software\.cudart' || true
}

# run_watched FOLDER COMMAND...: races that the thread sanitizer reports in any process, also one that a test expects to fail.
# shellcheck disable=SC2317  # called by step
run_watched() {
  local folder=$1 code=0 report
  shift
  rm -rf "$folder" && mkdir -p "$folder"
  TSAN_OPTIONS="ignore_noninstrumented_modules=1 log_path=$folder/race" "$@" || code=$?
  for report in "$folder"/*; do
    if [[ -e $report ]]; then cat "$report" && code=1; fi
  done
  return "$code"
}

# What has threads of its own: watchdog, renewal of the lock, loaders, teams of threads, tokenisation. Open MPI and
# LibTorch are not built for the thread sanitizer: it looks at our sources only.
check_threads() {
  local threads='^(cli\.faults|common\.(core\.(abandon|measure|runner|sweeps|telemetry)|store\.(lock|resume|round_trip))'
  threads+='|suites\.(imaging\.(loader|rgb300|team)|llm\.text\.|micro\.host_team))'
  step "cpu-tsan: configure" configure cpu-release -B build/cpu-tsan "${libtorch[@]}" "${unity[@]}" -DSCALEMARK_ENABLE_DALI=OFF \
    "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -g1" -DSCALEMARK_SANITIZE=thread "-DSCALEMARK_TESTS=$threads" || return 0
  step "cpu-tsan: build" build cpu-tsan test_programs programs scalemark-faulty scalemark-files || return 0
  step "cpu-tsan: tests" run_watched "$root/build/cpu-tsan/races" run_tests cpu-tsan --tests-regex "$threads" \
    --label-exclude "$excluded|full" || true
}

# Without DALI, whose wheel needs the pinned CUDA libraries. Not source by source: cpu-release does that.
check_newest() {
  local options settings
  settings=$("$root/jobscripts/setup.sh" --libtorch newest "${where[@]}") || {
    summary+=("cpu-newest: not built, the newest LibTorch could not be fetched") failed=1
    return 0
  }
  mapfile -t options < <(eval "$settings" && unset DALI_DIR && build_options)
  step "cpu-newest: configure" configure cpu-release -B build/cpu-newest "${options[@]}" "${thorough[@]}" -DSCALEMARK_UNITY=ON \
    -DSCALEMARK_FAST_TESTS=ON -DSCALEMARK_VERIFY_TORCH_HEADERS=OFF "-DSCALEMARK_TESTS=$with_torch" || return 0
  step "cpu-newest: build" build cpu-newest programs test_programs scalemark-files || return 0
  step "cpu-newest: tests" run_tests cpu-newest --tests-regex '^(suites|common\.torch|cli\.(smoke|verify))' \
    --label-exclude "$excluded|full" || true
}

check_other_mpi() { # name
  local uses_mpi='^(common\.(mpi|collective|clock|core)|suites\.micro|cli\.(micro|communication|messages)|jobscripts\.(local|submit)$)'
  step "cpu-$1: build" tests/mpi/build.sh "$1" || return 0
  PATH=$root/build/cpu-$1/mpi/bin:$PATH step "cpu-$1: tests" run_tests "cpu-$1" --tests-regex "$uses_mpi" --label-exclude "$excluded|full" || true
}

# shellcheck disable=SC2317  # called by step
try_package() {
  local package
  package=$(packaging/deb.sh) && packaging/test_deb.sh "$package"
}

check_package() {
  local tool missing=()
  for tool in debootstrap ch-run cpack dpkg-shlibdeps file; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  if [[ $(id -u) != 0 ]]; then
    summary+=("package: not tried, debootstrap and chroot need root")
  elif ((${#missing[@]})); then
    summary+=("package: not tried, there is no ${missing[*]}")
  else
    step "package: build, install, run, remove" try_package || true
  fi
}

# What the pages say.
check_pages() {
  step "pages: headers without comments are found" python3 tests/docs/reference_test.py || true
  step "pages: a site, every link, anchor and comment" docs/build_site.sh || true
}
