# Which programs the tests are compiled into, and which of them SCALEMARK_TESTS asks for.
include_guard(GLOBAL)

# scalemark_test_is_wanted(OUT NAME LABELS...): whether SCALEMARK_TESTS asks for a test. The expression is compared with its name,
# followed by " libtorch" in folders that set SCALEMARK_TESTS_NEED_LIBTORCH. Tests of speed are always wanted, but for those of
# label full.
function(scalemark_test_is_wanted out name)
  set(words ${name})
  if(SCALEMARK_TESTS_NEED_LIBTORCH)
    string(APPEND words " libtorch")
  endif()
  set(wanted OFF)
  if(SCALEMARK_TESTS STREQUAL "" OR words MATCHES "${SCALEMARK_TESTS}" OR ("speed" IN_LIST ARGN AND NOT "full" IN_LIST ARGN))
    set(wanted ON)
  endif()
  set(${out} ${wanted} PARENT_SCOPE)
endfunction()

# scalemark_select_suites(OUT TARGET SOURCES...): GoogleTest's option for the test suites of these sources of a shared program. A suite
# that another test of the program has, too, is an error, since both would run it.
function(scalemark_select_suites out target)
  set(suites "")
  foreach(source ${ARGN})
    file(STRINGS ${source} lines REGEX "^(TEST|TEST_F|TEST_P|TYPED_TEST)\\(")
    foreach(line ${lines})
      string(REGEX REPLACE "^[A-Z_]+\\(([A-Za-z0-9_]+).*" "\\1" suite "${line}")
      list(APPEND suites ${suite})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES suites)
  get_property(taken TARGET ${target} PROPERTY SCALEMARK_TEST_SUITES)
  set(filter "")
  foreach(suite ${suites})
    if(suite IN_LIST taken)
      message(FATAL_ERROR "${ARGN}: the test suite ${suite} is in another test of ${target}, too")
    endif()
    string(APPEND filter "${suite}.*:*/${suite}.*:")
  endforeach()
  set_property(TARGET ${target} APPEND PROPERTY SCALEMARK_TEST_SUITES ${suites})
  set(${out} --gtest_filter=${filter} PARENT_SCOPE)
endfunction()

# scalemark_test_program(OUT NAME SHARED TORCH RANKS SOURCES...): adds the sources to the target of a test. That is its own, or if
# SHARED the one of the folder's tests that agree in TORCH and in having RANKS. Targets are not built unless a wanted test asks for
# them.
function(scalemark_test_program out name shared torch ranks)
  string(REPLACE "." "_" target test_${name})
  if(shared)
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
    string(REGEX REPLACE "^tests/" "" folder ${folder})
    string(REPLACE "/" "_" target tests_${folder})
    if(torch)
      string(APPEND target _torch)
    endif()
    if(ranks)
      string(APPEND target _mpi)
    endif()
  endif()
  if(TARGET ${target})
    target_sources(${target} PRIVATE ${ARGN})
  else()
    add_executable(${target} EXCLUDE_FROM_ALL ${ARGN})
    # Batches of eight, which both cores of a small machine compile at the same time.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${shared} UNITY_BUILD_BATCH_SIZE 8)
  endif()
  set(${out} ${target} PARENT_SCOPE)
endfunction()
