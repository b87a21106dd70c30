# Build options and the packages that they need. An option that is ON and whose package is missing is an error that
# names the package. With AUTO the option is switched off, and the summary says so.
include_guard(GLOBAL)

option(SCALEMARK_BUILD_TESTS "Build the tests" ON)
option(SCALEMARK_WERROR "Treat compiler warnings as errors" OFF)
option(SCALEMARK_UNITY "Compile the sources of a module as one: half of the time" OFF)
option(SCALEMARK_FAST_TESTS "Compile tests behind precompiled headers, not optimised (default: as SCALEMARK_UNITY)" ${SCALEMARK_UNITY})
set(SCALEMARK_TESTS "" CACHE STRING "Regular expression: build only the test programs with these names (followed by \" libtorch\" if they need it), and those that measure speed")
option(SCALEMARK_VERIFY_TORCH_HEADERS "Compile headers with LibTorch alone, too, ten seconds each (all_verify_interface_header_sets)" OFF)
option(SCALEMARK_FUZZ "Build the fuzz targets (tests/fuzz), which takes clang with libFuzzer" OFF)
set(SCALEMARK_SANITIZE "" CACHE STRING "Sanitizers for all targets, for example address,undefined")

set(SCALEMARK_SUMMARY "")

# scalemark_option(NAME "doc"): declares SCALEMARK_ENABLE_<NAME> = AUTO|ON|OFF.
macro(scalemark_option name doc)
  set(SCALEMARK_ENABLE_${name} AUTO CACHE STRING "${doc} (AUTO, ON, OFF)")
  set_property(CACHE SCALEMARK_ENABLE_${name} PROPERTY STRINGS AUTO ON OFF)
  if(NOT SCALEMARK_ENABLE_${name} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "SCALEMARK_ENABLE_${name} is '${SCALEMARK_ENABLE_${name}}'; allowed: AUTO, ON, OFF")
  endif()
  set(SCALEMARK_HAVE_${name} OFF)
endmacro()

# scalemark_decide(NAME found "hint"): sets SCALEMARK_HAVE_<NAME> from the option and whether its package was found.
macro(scalemark_decide name found hint)
  if(SCALEMARK_ENABLE_${name} STREQUAL "OFF")
    list(APPEND SCALEMARK_SUMMARY "${name}|off|switched off")
  elseif(${found})
    set(SCALEMARK_HAVE_${name} ON)
    list(APPEND SCALEMARK_SUMMARY "${name}|on|${SCALEMARK_DETAIL_${name}}")
  elseif(SCALEMARK_ENABLE_${name} STREQUAL "ON")
    message(FATAL_ERROR "SCALEMARK_ENABLE_${name} is ON, but it was not found: ${hint}")
  else()
    list(APPEND SCALEMARK_SUMMARY "${name}|off|not found: ${hint}")
  endif()
endmacro()

scalemark_option(CUDA "CUDA devices")
scalemark_option(NCCL "NCCL communicator")
scalemark_option(CUPTI "CUPTI profiler")
scalemark_option(DALI "DALI image loader")
scalemark_option(LIBTORCH "LibTorch workloads")
scalemark_option(GLOO "gloo process group of LibTorch")

# Required packages -------------------------------------------------------------------------------
# A missing package is an error that names the Debian package.
macro(scalemark_require package debian)
  find_package(${package} ${ARGN})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found. On Debian and Ubuntu: apt-get install ${debian} "
                        "(jobscripts/setup.sh installs everything that is needed). One in a folder of its own: "
                        "name that in CMAKE_PREFIX_PATH")
  endif()
endmacro()

set(MPI_DETERMINE_LIBRARY_VERSION TRUE)
include(ScalemarkPackages)
string(REGEX REPLACE "[,\n].*" "" SCALEMARK_MPI_VERSION "${MPI_C_LIBRARY_VERSION_STRING}")
set(SCALEMARK_HDF5_KIND serial)
if(HDF5_IS_PARALLEL)
  set(SCALEMARK_HDF5_KIND "parallel, used by one process at a time")
endif()
# Headers that no header of ours includes.
scalemark_require_headers(boost/version.hpp Boost libboost-dev Boost::headers)
# toml++ has no package file.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h HINTS ${SCALEMARK_HEADERS}/include)
if(NOT TOMLPLUSPLUS_INCLUDE_DIR)
  message(FATAL_ERROR "toml++ was not found. On Debian and Ubuntu: apt-get install libtomlplusplus-dev; elsewhere set "
                      "TOMLPLUSPLUS_INCLUDE_DIR to the folder that holds toml++/toml.h")
endif()
add_library(scalemark_tomlplusplus INTERFACE)
target_include_directories(scalemark_tomlplusplus SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})

# Optional packages -------------------------------------------------------------------------------
find_package(benchmark CONFIG QUIET)
set(SCALEMARK_HAVE_BENCHMARK ${benchmark_FOUND})
if(SCALEMARK_BUILD_TESTS AND NOT SCALEMARK_HAVE_BENCHMARK)
  message(FATAL_ERROR "The tests need Google Benchmark and GoogleTest. On Debian and Ubuntu: apt-get install libbenchmark-dev "
                      "libgtest-dev libgmock-dev; without them: -DSCALEMARK_BUILD_TESTS=OFF")
endif()

if(NOT SCALEMARK_ENABLE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # A100, H100 and H200, B200, and RTX PRO 6000; what is newer translates the last one's PTX. nvcc 13.0: 2.3 s and 0.25 MB
    # for our kernels, where one architecture takes 1.6 s and 0.09 MB.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES "80-real;90-real;100-real;120")
    endif()
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 20)
    # CMake 3.25 does not know that nvcc supports C++20 since 12.0.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    find_package(CUDAToolkit)
    list(JOIN CMAKE_CUDA_ARCHITECTURES " " architectures)
    set(SCALEMARK_DETAIL_CUDA "CUDA ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${architectures}")
  endif()
endif()
scalemark_decide(CUDA CUDAToolkit_FOUND "no nvcc, install the CUDA toolkit (cuda-toolkit) and put nvcc on PATH, or set CUDACXX")

# NVML is loaded at run time. If nvml.h is present, common/hardware/nvml_check.cpp compares our declarations with it.
set(SCALEMARK_HAVE_NVML_HEADER OFF)
if(SCALEMARK_HAVE_CUDA AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.9)
  find_path(NVML_INCLUDE_DIR nvml.h PATHS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH
            DOC "Folder of nvml.h, of CUDA 12.9 or newer")
  if(NVML_INCLUDE_DIR)
    set(SCALEMARK_HAVE_NVML_HEADER ON)
  else()
    message(STATUS "NVML declarations not checked: no nvml.h in ${CUDAToolkit_INCLUDE_DIRS} (cuda-nvml-dev)")
  endif()
endif()

if(SCALEMARK_HAVE_CUDA AND NOT SCALEMARK_ENABLE_NCCL STREQUAL "OFF")
  find_package(NCCL)
  set(SCALEMARK_DETAIL_NCCL "NCCL ${NCCL_VERSION}")
endif()
scalemark_decide(NCCL NCCL_FOUND "needs CUDA and libnccl-dev (nccl.h, libnccl.so), or NCCL_ROOT")

# Before CUDA 13, which LibTorch brings, CUPTI's records have another layout.
set(cupti_found OFF)
if(SCALEMARK_HAVE_CUDA AND TARGET CUDA::cupti AND CUDAToolkit_VERSION_MAJOR GREATER_EQUAL 13)
  set(cupti_found ON)
endif()
set(SCALEMARK_DETAIL_CUPTI "CUPTI of CUDA ${CUDAToolkit_VERSION}, loaded at run time")
scalemark_decide(CUPTI cupti_found "needs CUPTI of CUDA 13 (cuda-cupti-dev: cupti.h, libcupti.so)")

if(NOT SCALEMARK_ENABLE_LIBTORCH STREQUAL "OFF")
  find_package(LibTorch)
  set(SCALEMARK_DETAIL_LIBTORCH "LibTorch ${LIBTORCH_VERSION} in ${LIBTORCH_DIR}, CUDA part ${LIBTORCH_CUDA_STATE}")
endif()
scalemark_decide(LIBTORCH LibTorch_FOUND "run jobscripts/setup.sh, or set LIBTORCH_DIR to a folder with a LibTorch ${LIBTORCH_OLDEST} to ${LIBTORCH_NEWEST} (also a Python site-packages/torch)")

# The DALI loader returns LibTorch tensors.
if(SCALEMARK_HAVE_LIBTORCH AND NOT SCALEMARK_ENABLE_DALI STREQUAL "OFF")
  find_package(DALI 2.4)
  set(SCALEMARK_DETAIL_DALI "DALI ${DALI_VERSION} in ${DALI_DIR}, loaded at run time")
endif()
scalemark_decide(DALI DALI_FOUND "needs LibTorch and DALI 2.4: run jobscripts/setup.sh --dali, or set DALI_DIR to a folder with nvidia/dali (a Python site-packages with nvidia-dali-cuda130)")

# LibTorch's CUDA libraries are used if the build has CUDA and the full set of wheels is present.
set(SCALEMARK_HAVE_LIBTORCH_CUDA OFF)
if(SCALEMARK_HAVE_CUDA AND SCALEMARK_HAVE_LIBTORCH AND LIBTORCH_HAS_CUDA)
  set(SCALEMARK_HAVE_LIBTORCH_CUDA ON)
endif()

# gloo is part of libtorch_cpu.so. A test compilation checks whether it matches the declarations in
# common/torch/process_group/gloo.
set(gloo_links SCALEMARK_GLOO_LINKS_${LIBTORCH_VERSION})
if(SCALEMARK_HAVE_LIBTORCH AND NOT SCALEMARK_ENABLE_GLOO STREQUAL "OFF" AND NOT DEFINED ${gloo_links})
  try_compile(${gloo_links} ${CMAKE_BINARY_DIR}/check_gloo SOURCES ${PROJECT_SOURCE_DIR}/cmake/check_gloo.cpp
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}/common/torch/process_group/gloo
    LINK_LIBRARIES LibTorch::cpu CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
endif()
set(SCALEMARK_DETAIL_GLOO "inside LibTorch")
scalemark_decide(GLOO ${gloo_links} "needs a LibTorch whose gloo process group has the interface that common/torch/process_group/gloo declares")

function(scalemark_print_summary)
  message(STATUS "")
  message(STATUS "Scalemark ${PROJECT_VERSION} (${SCALEMARK_GIT_REVISION}), ${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  foreach(row ${SCALEMARK_SUMMARY})
    string(REPLACE "|" ";" cells "${row}")
    list(GET cells 0 name)
    list(GET cells 1 state)
    list(GET cells 2 detail)
    string(SUBSTRING "${name}            " 0 10 name)
    string(SUBSTRING "${state}   " 0 4 state)
    message(STATUS "  ${name} ${state} ${detail}")
  endforeach()
  message(STATUS "  MPI        on   ${SCALEMARK_MPI_VERSION}")
  message(STATUS "  HDF5       on   ${HDF5_VERSION} (${SCALEMARK_HDF5_KIND})")
  message(STATUS "  hwloc      on   ${HWLOC_VERSION}")
  if(SCALEMARK_HAVE_BENCHMARK)
    message(STATUS "  kernels    on   Google Benchmark ${benchmark_VERSION}")
  else()
    message(STATUS "  kernels    off  no scalemark-kernels: install Google Benchmark (libbenchmark-dev)")
  endif()
  if(SCALEMARK_OWN_HEADERS)
    list(JOIN SCALEMARK_OWN_HEADERS ", " names)
    message(STATUS "  headers    ${names} in ${SCALEMARK_HEADERS}")
  endif()
  message(STATUS "  tests      ${SCALEMARK_BUILD_TESTS}, sanitizers '${SCALEMARK_SANITIZE}'")
  message(STATUS "")
endfunction()
