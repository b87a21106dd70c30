# LibTorch from the PyPI wheel, used as a C++ library: targets LibTorch::cpu and LibTorch::cuda. LIBTORCH_DIR (cache or
# environment) is a folder that contains torch/lib and torch/include (an unpacked wheel, a Python site-packages), or
# that torch folder itself. If it is not set, the cache folder of jobscripts/setup.sh is searched. The wheel's own
# TorchConfig.cmake is not used: it searches for GPUs at configure time, and requires all CUDA libraries even if only
# the CPU part is linked. The loop reads the versions that jobscripts/setup.sh downloads: the pinned one, which is the
# oldest allowed, and the newest one tested. An installed Scalemark allows the version that it was built with.
foreach(list cpu newest)
  if(DEFINED SCALEMARK_INSTALLED_LIBTORCH)
    set(LIBTORCH_VERSION_${list} ${SCALEMARK_INSTALLED_LIBTORCH})
    continue()
  endif()
  file(STRINGS ${PROJECT_SOURCE_DIR}/jobscripts/libtorch-${list}.txt line REGEX "^torch==")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${line}")
  set(LIBTORCH_VERSION_${list} ${version})
endforeach()

if(NOT LIBTORCH_DIR)
  if(DEFINED ENV{LIBTORCH_DIR})
    set(candidates $ENV{LIBTORCH_DIR})
  else()
    set(cache_home $ENV{XDG_CACHE_HOME})
    if(NOT cache_home)
      set(cache_home $ENV{HOME}/.cache)
    endif()
    set(candidates ${cache_home}/scalemark/libtorch-${LIBTORCH_VERSION_cpu}-cpu)
    if(SCALEMARK_HAVE_CUDA)
      list(PREPEND candidates ${cache_home}/scalemark/libtorch-${LIBTORCH_VERSION_cpu}-cuda)
    endif()
  endif()
  foreach(dir ${candidates})
    if(EXISTS ${dir}/torch/lib/libtorch_cpu.so OR EXISTS ${dir}/lib/libtorch_cpu.so)
      set(LIBTORCH_DIR ${dir} CACHE PATH "Folder that holds torch/lib/libtorch_cpu.so" FORCE)
      break()
    endif()
  endforeach()
endif()

set(torch_root ${LIBTORCH_DIR}/torch)
if(EXISTS ${LIBTORCH_DIR}/lib/libtorch_cpu.so)
  set(torch_root ${LIBTORCH_DIR})
endif()
get_filename_component(wheel_root ${torch_root}/.. ABSOLUTE)

set(LIBTORCH_HAS_CUDA OFF)
set(LIBTORCH_CUDA_STATE "absent")
if(EXISTS ${torch_root}/lib/libtorch_cpu.so)
  set(LIBTORCH_LIBRARY ${torch_root}/lib/libtorch_cpu.so)
  set(LIBTORCH_INCLUDE_DIR ${torch_root}/include)
  file(STRINGS ${torch_root}/version.py line REGEX "^__version__")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" LIBTORCH_VERSION "${line}")
  # libtorch_cuda.so can only be loaded together with the libraries it was linked with (the full set of wheels).
  if(EXISTS ${torch_root}/lib/libtorch_cuda.so)
    file(GLOB_RECURSE cudnn ${wheel_root}/nvidia/cudnn/lib/libcudnn.so.9)
    if(cudnn OR SCALEMARK_LIBTORCH_CUDA STREQUAL "ON")
      set(LIBTORCH_HAS_CUDA ON)
      set(LIBTORCH_CUDA_STATE "present")
    else()
      set(LIBTORCH_CUDA_STATE "not loadable (no cuDNN beside it: the CPU set of wheels)")
    endif()
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LIBTORCH_LIBRARY LIBTORCH_INCLUDE_DIR VERSION_VAR LIBTORCH_VERSION)

string(REGEX MATCH "^[0-9]+\\.[0-9]+" LIBTORCH_OLDEST "${LIBTORCH_VERSION_cpu}")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" LIBTORCH_NEWEST "${LIBTORCH_VERSION_newest}")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" release "${LIBTORCH_VERSION}")
if(LibTorch_FOUND AND release VERSION_LESS LIBTORCH_OLDEST)
  message(FATAL_ERROR "LibTorch in ${LIBTORCH_DIR} is ${LIBTORCH_VERSION}; allowed: ${LIBTORCH_OLDEST} and newer (${LIBTORCH_OLDEST} to ${LIBTORCH_NEWEST} were tried)")
elseif(LibTorch_FOUND AND release VERSION_GREATER LIBTORCH_NEWEST)
  message(WARNING "LibTorch ${LIBTORCH_VERSION} is newer than ${LIBTORCH_NEWEST}, the newest that was tried. If the build or a run fails, use ${LIBTORCH_OLDEST} to ${LIBTORCH_NEWEST}.")
endif()

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  # The wheel's include folder contains another fmt (12), which hides the system's and has no library: use it
  # header-only. Its versioned namespace prevents clashes at link time.
  # The wheel is built with NDEBUG. Without it, RecordFunction in the headers has a member that the library never sets.
  add_library(LibTorch::c10 SHARED IMPORTED)
  set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/libc10.so
    INTERFACE_INCLUDE_DIRECTORIES "${torch_root}/include;${torch_root}/include/torch/csrc/api/include"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${torch_root}/include;${torch_root}/include/torch/csrc/api/include"
    INTERFACE_COMPILE_DEFINITIONS "USE_DISTRIBUTED;USE_C10D_GLOO;FMT_HEADER_ONLY=1;$<$<CONFIG:Debug>:NDEBUG>")
  add_library(LibTorch::cpu SHARED IMPORTED)
  set_target_properties(LibTorch::cpu PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/libtorch_cpu.so
    INTERFACE_LINK_LIBRARIES LibTorch::c10
    INTERFACE_LINK_OPTIONS "LINKER:--allow-shlib-undefined")
  if(LIBTORCH_HAS_CUDA)
    # The wheel's libraries have DT_RPATH, which LD_LIBRARY_PATH does not override. With the linker's default, DT_RUNPATH, a
    # program would load another libnccl.so.2 from there for itself and LibTorch.
    # Only the dispatcher uses the library that registers the CUDA back end, so the linker would drop it without
    # --no-as-needed.
    add_library(LibTorch::c10_cuda SHARED IMPORTED)
    set_target_properties(LibTorch::c10_cuda PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/libc10_cuda.so)
    add_library(LibTorch::cuda SHARED IMPORTED)
    set_target_properties(LibTorch::cuda PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/libtorch_cuda.so
      INTERFACE_LINK_LIBRARIES "LibTorch::cpu;LibTorch::c10_cuda"
      INTERFACE_LINK_OPTIONS "LINKER:--no-as-needed,${torch_root}/lib/libtorch_cuda.so,${torch_root}/lib/libc10_cuda.so,--as-needed;LINKER:--disable-new-dtags")
  endif()
endif()
