# scalemark_add_test(NAME SOURCES ... [LINK targets] [RANKS 1 2 4] [LABELS ...] [TIMEOUT s] [SUITES] [ALONE] [ALL_TRIALS]) NAME is dotted
# like the source tree: common.core.stop_rule. Without RANKS the test is a plain GoogleTest program. With RANKS it runs
# under mpirun once per number of ranks, as NAME.npN, and fails if it has fewer ranks than requested
# (tests/support/mpi_main.cpp). Label speed: the test itself computes for a long time. SUITES links all benchmarks.
# With SCALEMARK_FAST_TESTS a folder's tests share programs, whose sources are compiled as one: a source without a line takes four
# seconds behind LibTorch's precompiled headers. Each test runs its own suites there. Tests of speed have programs of their own,
# and those that are ALONE: whose target, test_NAME with _ for each dot, has other properties, or another use.
# ALL_TRIALS, without RANKS: NAME_full, label full, is the same with SCALEMARK_ALL_TRIALS=1 (tests/support/trials.hpp).
# Target test_programs builds the tests and what they need, without the command line. Tests excluded by SCALEMARK_TESTS
# have the label left_out.
include_guard(GLOBAL)
include(ScalemarkTestProgram)
add_custom_target(test_programs)

# scalemark_leave_out(TEST): a test whose program is not built.
function(scalemark_leave_out test)
  set_property(TEST ${test} APPEND PROPERTY LABELS left_out)
  set_tests_properties(${test} PROPERTIES DISABLED ON)
endfunction()

# scalemark_leave_out_with(TEST TARGET): another test of the program TARGET, left out where that is not built.
function(scalemark_leave_out_with test target)
  get_target_property(left_out ${target} EXCLUDE_FROM_ALL)
  if(left_out)
    scalemark_leave_out(${test})
  endif()
endfunction()

function(scalemark_add_test name)
  cmake_parse_arguments(arg "SUITES;ALONE;ALL_TRIALS" "TIMEOUT" "SOURCES;LINK;RANKS;LABELS" ${ARGN})
  scalemark_split_by_torch(with_torch without_torch ${arg_SOURCES})
  scalemark_test_is_wanted(wanted ${name} ${arg_LABELS})
  set(fast OFF)
  if(SCALEMARK_FAST_TESTS AND NOT "speed" IN_LIST arg_LABELS)
    set(fast ON)
  endif()
  set(shared ${fast})
  if(arg_ALONE)
    set(shared OFF)
  endif()
  scalemark_test_program(target ${name} ${shared} "${with_torch}" "${arg_RANKS}" ${arg_SOURCES})
  if(wanted)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL OFF)
    add_dependencies(test_programs ${target})
  endif()
  target_link_libraries(${target} PRIVATE ${arg_LINK} scalemark_warnings GTest::gtest GTest::gmock)
  if(fast)
    scalemark_compile_tests_fast(${target} ${arg_SOURCES})
  else()
    scalemark_precompile_torch(${target} ${arg_SOURCES})
  endif()
  if(arg_SUITES)
    scalemark_link_suites(${target})
  endif()
  target_compile_definitions(${target} PRIVATE SCALEMARK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set(command $<TARGET_FILE:${target}>)
  if(shared)
    scalemark_select_suites(filter ${target} ${arg_SOURCES})
    list(APPEND command ${filter})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 180)
  endif()
  # PROCESSORS counts half cores, here and in tests/cli and tests/jobscripts: some tests mostly wait. tests/run.sh has ctest run
  # as many at a time.
  set(tests "")
  if(arg_RANKS)
    target_link_libraries(${target} PRIVATE scalemark_test_mpi_main)
    foreach(ranks ${arg_RANKS})
      math(EXPR half_cores "2 * ${ranks}")
      add_test(NAME ${name}.np${ranks} COMMAND ${SCALEMARK_MPIRUN} -n ${ranks} ${command})
      set_tests_properties(${name}.np${ranks} PROPERTIES LABELS "mpi;${arg_LABELS}" PROCESSORS ${half_cores}
        ENVIRONMENT "${SCALEMARK_MPI_ENVIRONMENT};SCALEMARK_EXPECT_RANKS=${ranks}")
      if(ranks GREATER 1)
        set_tests_properties(${name}.np${ranks} PROPERTIES COST ${SCALEMARK_WIDE_TEST})
      endif()
      if(ranks GREATER 1 AND with_torch)
        scalemark_wait_patiently(${name}.np${ranks})
      endif()
      list(APPEND tests ${name}.np${ranks})
    endforeach()
  else()
    target_link_libraries(${target} PRIVATE GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${command})
    set_tests_properties(${name} PROPERTIES LABELS "unit;${arg_LABELS}" PROCESSORS 2 ENVIRONMENT "${SCALEMARK_TEST_ENVIRONMENT}")
    list(APPEND tests ${name})
    if(arg_ALL_TRIALS)
      add_test(NAME ${name}_full COMMAND ${command})
      set_tests_properties(${name}_full PROPERTIES LABELS "unit;full;${arg_LABELS}" PROCESSORS 2
        ENVIRONMENT "${SCALEMARK_TEST_ENVIRONMENT};SCALEMARK_ALL_TRIALS=1")
      list(APPEND tests ${name}_full)
    endif()
  endif()
  # GoogleTest succeeds where its filter selects nothing.
  set_tests_properties(${tests} PROPERTIES TIMEOUT ${arg_TIMEOUT} FAIL_REGULAR_EXPRESSION "0 tests from 0 test suites")
  if(NOT wanted)
    foreach(test ${tests})
      scalemark_leave_out(${test})
    endforeach()
  endif()
endfunction()

# scalemark_wait_patiently(TESTS...): ranks of these tests that wait for long leave their core to other tests
# (tests/support/patient_yield.cpp). Not with the sanitizers of g++, whose library must be the first one.
function(scalemark_wait_patiently)
  if(NOT SCALEMARK_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:scalemark_test_patient_yield>)
  endif()
endfunction()

# COST of tests that take several slots of ctest: as soon as one ends, the next takes its slots. Without that, tests of one slot
# fill them first, and the others are left for the end, where each runs alone.
set(SCALEMARK_WIDE_TEST 60)
find_program(SCALEMARK_MPIRUN_PROGRAM mpirun REQUIRED)
set(SCALEMARK_MPIRUN ${SCALEMARK_MPIRUN_PROGRAM} --oversubscribe --bind-to none)
# One OpenMP thread, and waiting ranks yield: tests share the cores, and what waits would spin. The secret of redaction is made
# in the build folder, not in the user's home.
set(SCALEMARK_TEST_ENVIRONMENT OMP_NUM_THREADS=1 XDG_STATE_HOME=${CMAKE_BINARY_DIR}/state)
set(SCALEMARK_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_mpi_yield_when_idle=1 ${SCALEMARK_TEST_ENVIRONMENT})
include(ScalemarkMpiComponents)
if(SCALEMARK_MPI_COMPONENTS)
  list(APPEND SCALEMARK_MPI_ENVIRONMENT OMPI_MCA_mca_base_component_path=${SCALEMARK_MPI_COMPONENTS})
endif()
