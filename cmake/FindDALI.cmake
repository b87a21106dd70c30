# DALI from its PyPI wheel, of which the C API is used: target DALI::headers, and DALI_LIBRARY and DALI_VERSION for
# the one source that loads it at run time (nothing is linked: a program starts where DALI is not).
# DALI_DIR (cache or environment) is a folder that holds nvidia/dali (an unpacked wheel, a Python site-packages).
# Without it the cache folder that jobscripts/setup.sh --dali fills is looked at.
if(NOT DALI_DIR)
  set(dali_candidates "$ENV{DALI_DIR}")
  if(NOT dali_candidates)
    set(cache_home "$ENV{XDG_CACHE_HOME}")
    if(NOT cache_home)
      set(cache_home "$ENV{HOME}/.cache")
    endif()
    set(dali_candidates "${cache_home}/scalemark/dali-2.4.0")
  endif()
  if(EXISTS "${dali_candidates}/nvidia/dali/libdali_operators.so")
    set(DALI_DIR "${dali_candidates}" CACHE PATH "Folder that holds nvidia/dali/libdali_operators.so" FORCE)
  endif()
endif()

# Not cached: they follow DALI_DIR.
set(DALI_LIBRARY "")
set(DALI_INCLUDE_DIR "")
set(DALI_CUDA_INCLUDE_DIR "")
set(DALI_VERSION "")
if(EXISTS "${DALI_DIR}/nvidia/dali/libdali_operators.so")
  get_filename_component(DALI_LIBRARY "${DALI_DIR}/nvidia/dali/libdali_operators.so" ABSOLUTE)
  if(EXISTS "${DALI_DIR}/nvidia/dali/include/dali/dali.h")
    get_filename_component(DALI_INCLUDE_DIR "${DALI_DIR}/nvidia/dali/include" ABSOLUTE)
  endif()
  if(EXISTS "${DALI_DIR}/nvidia/dali/__init__.py")
    file(STRINGS "${DALI_DIR}/nvidia/dali/__init__.py" line REGEX "^__version__")
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" DALI_VERSION "${line}")
  endif()
  # dali.h names types of the CUDA runtime. The header of a wheel comes before that of a toolkit that is built with, so
  # that the command lines of a CPU and a CUDA build are the same.
  foreach(dir "${DALI_DIR}/nvidia/cu13/include" "${LIBTORCH_DIR}/nvidia/cu13/include"
              "${LIBTORCH_DIR}/../nvidia/cu13/include" ${CUDAToolkit_INCLUDE_DIRS})
    if(EXISTS "${dir}/cuda_runtime_api.h")
      get_filename_component(DALI_CUDA_INCLUDE_DIR "${dir}" ABSOLUTE)
      break()
    endif()
  endforeach()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DALI REQUIRED_VARS DALI_LIBRARY DALI_INCLUDE_DIR DALI_CUDA_INCLUDE_DIR DALI_VERSION
                                  VERSION_VAR DALI_VERSION)

if(DALI_FOUND AND NOT TARGET DALI::headers)
  add_library(DALI::headers INTERFACE IMPORTED)
  set_target_properties(DALI::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${DALI_INCLUDE_DIR};${DALI_CUDA_INCLUDE_DIR}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${DALI_INCLUDE_DIR};${DALI_CUDA_INCLUDE_DIR}")
endif()
