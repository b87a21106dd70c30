# Precompiled headers: of LibTorch, which take ten seconds to parse in each source, of GoogleTest, and of the standard library.
include_guard(GLOBAL)

# scalemark_includes_torch(OUT FILE): whether a file of the project includes LibTorch, directly or through our headers.
function(scalemark_includes_torch out file)
  get_property(known GLOBAL PROPERTY SCALEMARK_INCLUDES_TORCH_${file})
  if("${known}" STREQUAL "")
    set(known OFF)
    set(lines "")
    if(EXISTS ${PROJECT_SOURCE_DIR}/${file})
      file(STRINGS ${PROJECT_SOURCE_DIR}/${file} lines REGEX "^#include [<\"]")
    endif()
    foreach(line ${lines})
      if(line MATCHES "<(torch|ATen|c10)/")
        set(known ON)
      elseif(line MATCHES "\"([^\"]+)\"")
        scalemark_includes_torch(known ${CMAKE_MATCH_1})
      endif()
      if(known)
        break()
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY SCALEMARK_INCLUDES_TORCH_${file} ${known})
  endif()
  set(${out} ${known} PARENT_SCOPE)
endfunction()

# scalemark_split_by_torch(OUT_WITH OUT_WITHOUT files of this folder...): splits files by scalemark_includes_torch().
function(scalemark_split_by_torch out_with out_without)
  set(with "")
  set(without "")
  foreach(file ${ARGN})
    cmake_path(ABSOLUTE_PATH file OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    scalemark_includes_torch(torch ${path})
    if(torch)
      list(APPEND with ${file})
    else()
      list(APPEND without ${file})
    endif()
  endforeach()
  set(${out_with} "${with}" PARENT_SCOPE)
  set(${out_without} "${without}" PARENT_SCOPE)
endfunction()

function(scalemark_reuse_headers target from)
  target_precompile_headers(${target} REUSE_FROM ${from})
  # Precompiled headers and their users must have the same position independence, for which executables have another default,
  # and both have -pthread, which only some MPIs add.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fPIC;-pthread>)
endfunction()

# Headers that one precompiled file holds: of LibTorch, of the standard library, and what tests often include.
set(SCALEMARK_TORCH_HEADERS <algorithm> <memory> <string> <vector> <torch/autograd.h> <torch/nn/module.h> <torch/types.h> <torch/utils.h>)
set(SCALEMARK_STANDARD_HEADERS <algorithm> <array> <chrono> <cmath> <filesystem> <fstream> <functional> <map> <memory> <optional> <random>
    <set> <span> <sstream> <string> <vector>)
set(SCALEMARK_TEST_HEADERS ${SCALEMARK_STANDARD_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)

# scalemark_add_headers(TARGET [LINK targets] [OPTIONS compiler options] HEADERS headers): precompiles headers for
# scalemark_reuse_headers(), once.
function(scalemark_add_headers target)
  cmake_parse_arguments(arg "" "" "LINK;OPTIONS;HEADERS" ${ARGN})
  if(TARGET ${target})
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${source})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE scalemark_warnings ${arg_LINK})
  target_compile_options(${target} PRIVATE -pthread ${arg_OPTIONS})
  target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
endfunction()

# scalemark_precompile_torch(TARGET sources...): sources that include LibTorch use its precompiled headers (target
# scalemark_torch_headers). Other sources do not, because these headers would cost them three seconds each.
function(scalemark_precompile_torch target)
  list(FILTER ARGN EXCLUDE REGEX "\\.cu$")
  scalemark_split_by_torch(with without ${ARGN})
  if(NOT with OR NOT SCALEMARK_HAVE_LIBTORCH)
    return()
  endif()
  scalemark_add_headers(scalemark_torch_headers LINK LibTorch::cpu HEADERS ${SCALEMARK_TORCH_HEADERS})
  scalemark_reuse_headers(${target} scalemark_torch_headers)
  set_source_files_properties(${without} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# scalemark_compile_tests_fast(TARGET sources...): faster test builds for SCALEMARK_FAST_TESTS. GoogleTest and other headers
# that tests often include are precompiled (target scalemark_test_headers; with LibTorch's, scalemark_torch_test_headers).
# Another build checks that each source includes what it uses. Test sources are compiled without optimisation and without
# the undefined-behaviour sanitizer, which would take half of their compile time. The code under test is not affected.
function(scalemark_compile_tests_fast target)
  set(options $<$<COMPILE_LANGUAGE:CXX>:-O0>)
  list(FILTER ARGN EXCLUDE REGEX "\\.cu$")
  scalemark_split_by_torch(with without ${ARGN})
  set(headers scalemark_test_headers)
  if(with AND SCALEMARK_HAVE_LIBTORCH)
    set(headers scalemark_torch_test_headers)
    scalemark_add_headers(${headers} LINK LibTorch::cpu GTest::gmock OPTIONS ${options}
                          HEADERS ${SCALEMARK_TORCH_HEADERS} ${SCALEMARK_TEST_HEADERS})
    set_source_files_properties(${without} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  else()
    scalemark_add_headers(${headers} LINK GTest::gmock OPTIONS ${options} HEADERS ${SCALEMARK_TEST_HEADERS})
  endif()
  set_target_properties(${headers} PROPERTIES SCALEMARK_COMPILED_FAST ON)
  target_compile_options(${target} PRIVATE ${options})
  set_target_properties(${target} PROPERTIES SCALEMARK_COMPILED_FAST ON)
  scalemark_reuse_headers(${target} ${headers})
endfunction()
