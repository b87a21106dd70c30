# scalemark_add_test(NAME SOURCES ... [LINK targets] [RANKS 1 2 4] [LABELS ...] [TIMEOUT s] [SUITES]) NAME is dotted
# like the source tree: common.core.stop_rule. Without RANKS the test is a plain GoogleTest program. With RANKS it runs
# under mpirun once per number of ranks, as NAME.npN, and fails if it has fewer ranks than requested
# (tests/support/mpi_main.cpp). Label speed: the test itself computes for a long time. SUITES links all benchmarks.
# Target test_programs builds the tests and what they need, without the command line. Tests excluded by SCALEMARK_TESTS
# have the label left_out.
include_guard(GLOBAL)
add_custom_target(test_programs)

# scalemark_leave_out_with(TEST TARGET): where SCALEMARK_TESTS leaves out the program TARGET, this test of it is left out, too.
function(scalemark_leave_out_with test target)
  get_target_property(left_out ${target} EXCLUDE_FROM_ALL)
  if(left_out)
    set_property(TEST ${test} APPEND PROPERTY LABELS left_out)
    set_tests_properties(${test} PROPERTIES DISABLED ON)
  endif()
endfunction()

function(scalemark_add_test name)
  cmake_parse_arguments(arg "SUITES" "TIMEOUT" "SOURCES;LINK;RANKS;LABELS" ${ARGN})
  string(REPLACE "." "_" target test_${name})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LINK} scalemark_warnings GTest::gtest GTest::gmock)
  if(SCALEMARK_FAST_TESTS AND NOT "speed" IN_LIST arg_LABELS)
    scalemark_compile_tests_fast(${target} ${arg_SOURCES})
  else()
    scalemark_precompile_torch(${target} ${arg_SOURCES})
  endif()
  if(arg_SUITES)
    scalemark_link_suites(${target})
  endif()
  if(NOT SCALEMARK_TESTS STREQUAL "" AND NOT name MATCHES "${SCALEMARK_TESTS}" AND NOT "speed" IN_LIST arg_LABELS)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    add_dependencies(test_programs ${target})
  endif()
  target_compile_definitions(${target} PRIVATE SCALEMARK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 180)
  endif()
  # PROCESSORS counts half cores, here and in tests/cli and tests/jobscripts: some tests mostly wait. tests/run.sh has ctest run
  # as many at a time.
  if(arg_RANKS)
    target_link_libraries(${target} PRIVATE scalemark_test_mpi_main)
    foreach(ranks ${arg_RANKS})
      math(EXPR half_cores "2 * ${ranks}")
      add_test(NAME ${name}.np${ranks} COMMAND ${SCALEMARK_MPIRUN} -n ${ranks} $<TARGET_FILE:${target}>)
      set_tests_properties(${name}.np${ranks} PROPERTIES LABELS "mpi;${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
        PROCESSORS ${half_cores} ENVIRONMENT "${SCALEMARK_MPI_ENVIRONMENT};SCALEMARK_EXPECT_RANKS=${ranks}")
      scalemark_leave_out_with(${name}.np${ranks} ${target})
    endforeach()
  else()
    target_link_libraries(${target} PRIVATE GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(${name} PROPERTIES LABELS "unit;${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} PROCESSORS 2
      ENVIRONMENT "${SCALEMARK_TEST_ENVIRONMENT}")
    scalemark_leave_out_with(${name} ${target})
  endif()
endfunction()

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
