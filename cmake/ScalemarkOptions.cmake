# Options of the build and the packages behind them. An option that is ON and whose package is
# missing is an error that names the package; AUTO turns off and says so in the summary.
include_guard(GLOBAL)

option(SCALEMARK_BUILD_TESTS "Build the tests" ON)
option(SCALEMARK_WERROR "Treat compiler warnings as errors" OFF)
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

# scalemark_decide(NAME found "hint"): sets SCALEMARK_HAVE_<NAME> from what was found.
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
# Each find_package is REQUIRED by us, with the Debian package in the message.
macro(scalemark_require package debian)
  find_package(${package} ${ARGN})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found. On Debian and Ubuntu: apt-get install ${debian} "
                        "(jobscripts/setup.sh installs everything that is needed)")
  endif()
endmacro()

set(HDF5_PREFER_PARALLEL OFF)
scalemark_require(Threads libc6-dev)
set(MPI_DETERMINE_LIBRARY_VERSION TRUE)
scalemark_require(MPI libopenmpi-dev COMPONENTS C)
string(REGEX REPLACE "[,\n].*" "" SCALEMARK_MPI_VERSION "${MPI_C_LIBRARY_VERSION_STRING}")
# mpi.h would pull in the long-gone C++ bindings, and with them symbols that are nowhere linked.
target_compile_definitions(MPI::MPI_C INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
scalemark_require(HDF5 libhdf5-dev COMPONENTS C)
if(HDF5_IS_PARALLEL)
  message(FATAL_ERROR "A parallel HDF5 was found (${HDF5_C_INCLUDE_DIRS}); Scalemark needs the serial one: libhdf5-dev")
endif()
add_library(hdf5_serial_c INTERFACE)
target_include_directories(hdf5_serial_c SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(hdf5_serial_c INTERFACE ${HDF5_C_LIBRARIES})
scalemark_require(HWLOC libhwloc-dev)
scalemark_require(CLI11 libcli11-dev CONFIG)
scalemark_require(fmt libfmt-dev CONFIG)
scalemark_require(spdlog libspdlog-dev CONFIG)
scalemark_require(nlohmann_json nlohmann-json3-dev CONFIG)
scalemark_require(Boost libboost-dev)
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h)
if(NOT TOMLPLUSPLUS_INCLUDE_DIR)
  message(FATAL_ERROR "toml++ was not found. On Debian and Ubuntu: apt-get install libtomlplusplus-dev")
endif()
find_package(ZLIB)
if(NOT ZLIB_FOUND)
  message(FATAL_ERROR "zlib was not found. On Debian and Ubuntu: apt-get install zlib1g-dev")
endif()
scalemark_require(PNG libpng-dev)
find_package(benchmark CONFIG)
if(NOT benchmark_FOUND)
  message(FATAL_ERROR "Google Benchmark was not found. On Debian and Ubuntu: apt-get install libbenchmark-dev")
endif()

# Optional packages -------------------------------------------------------------------------------
if(NOT SCALEMARK_ENABLE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 90)
    endif()
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 20)
    find_package(CUDAToolkit)
    set(SCALEMARK_DETAIL_CUDA "CUDA ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
  endif()
endif()
scalemark_decide(CUDA CUDAToolkit_FOUND "no nvcc, install the CUDA toolkit (cuda-toolkit) and put nvcc on PATH, or set CUDACXX")

if(SCALEMARK_HAVE_CUDA AND NOT SCALEMARK_ENABLE_NCCL STREQUAL "OFF")
  find_package(NCCL)
  set(SCALEMARK_DETAIL_NCCL "NCCL ${NCCL_VERSION}")
endif()
scalemark_decide(NCCL NCCL_FOUND "needs CUDA and libnccl-dev (nccl.h, libnccl.so), or NCCL_ROOT")

# Reserved for the profiler; it is off until it exists.
if(SCALEMARK_ENABLE_CUPTI STREQUAL "ON")
  message(FATAL_ERROR "SCALEMARK_ENABLE_CUPTI is ON, but this version of Scalemark has no CUPTI support yet")
endif()
list(APPEND SCALEMARK_SUMMARY "CUPTI|off|not part of this version")

if(NOT SCALEMARK_ENABLE_LIBTORCH STREQUAL "OFF")
  find_package(LibTorch)
  set(SCALEMARK_DETAIL_LIBTORCH "LibTorch ${LIBTORCH_VERSION} in ${LIBTORCH_DIR}, CUDA part ${LIBTORCH_CUDA_STATE}")
endif()
scalemark_decide(LIBTORCH LibTorch_FOUND "run jobscripts/setup.sh, or set LIBTORCH_DIR to a folder with a LibTorch 2.11 (also a Python site-packages/torch)")

# The loader's batches are LibTorch's tensors.
if(SCALEMARK_HAVE_LIBTORCH AND NOT SCALEMARK_ENABLE_DALI STREQUAL "OFF")
  find_package(DALI 2.4)
  set(SCALEMARK_DETAIL_DALI "DALI ${DALI_VERSION} in ${DALI_DIR}, loaded at run time")
endif()
scalemark_decide(DALI DALI_FOUND "needs LibTorch and DALI 2.4: run jobscripts/setup.sh --dali, or set DALI_DIR to a folder with nvidia/dali (a Python site-packages with nvidia-dali-cuda130)")

# The libtorch CUDA libraries are used when the build has CUDA and the full wheel set is there.
set(SCALEMARK_HAVE_LIBTORCH_CUDA OFF)
if(SCALEMARK_HAVE_CUDA AND SCALEMARK_HAVE_LIBTORCH AND LIBTORCH_HAS_CUDA)
  set(SCALEMARK_HAVE_LIBTORCH_CUDA ON)
endif()

# gloo is inside libtorch_cpu.so; whether this one's is as common/torch/gloo declares it, the compiler says.
set(gloo_links SCALEMARK_GLOO_LINKS_${LIBTORCH_VERSION})
if(SCALEMARK_HAVE_LIBTORCH AND NOT SCALEMARK_ENABLE_GLOO STREQUAL "OFF" AND NOT DEFINED ${gloo_links})
  try_compile(${gloo_links} ${CMAKE_BINARY_DIR}/check_gloo SOURCES ${PROJECT_SOURCE_DIR}/cmake/check_gloo.cpp
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}/common/torch/gloo
    LINK_LIBRARIES LibTorch::cpu CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
endif()
set(SCALEMARK_DETAIL_GLOO "inside LibTorch")
scalemark_decide(GLOO ${gloo_links} "needs a LibTorch whose gloo process group is that of 2.11")

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
  message(STATUS "  HDF5       on   ${HDF5_VERSION} (serial)")
  message(STATUS "  hwloc      on   ${HWLOC_VERSION}")
  message(STATUS "  tests      ${SCALEMARK_BUILD_TESTS}, sanitizers '${SCALEMARK_SANITIZE}'")
  message(STATUS "")
endfunction()

# toml++ is headers only and has no package file.
add_library(scalemark_tomlplusplus INTERFACE)
target_include_directories(scalemark_tomlplusplus SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})
