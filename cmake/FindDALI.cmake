# DALI from its PyPI wheel, used through its C API. Defines the target DALI::headers, and DALI_LIBRARY, DALI_VERSION and
# DALI_DECODER (nvImageCodec, with which DALI decodes images; empty if it is not beside DALI) for the one source that loads the library at run time. Nothing links DALI, so programs also start on machines without
# it. DALI_DIR (cache or environment) is a folder that contains nvidia/dali: an unpacked wheel or a Python
# site-packages. If it is not set, the cache folder of jobscripts/setup.sh --dali is searched.
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

# Not cached, because they depend on DALI_DIR.
set(DALI_LIBRARY "")
set(DALI_INCLUDE_DIR "")
set(DALI_CUDA_INCLUDE_DIR "")
set(DALI_VERSION "")
set(DALI_DECODER "")
if(EXISTS "${DALI_DIR}/nvidia/dali/libdali_operators.so")
  get_filename_component(DALI_LIBRARY "${DALI_DIR}/nvidia/dali/libdali_operators.so" ABSOLUTE)
  if(EXISTS "${DALI_DIR}/nvidia/nvimgcodec/libnvimgcodec.so.0")
    get_filename_component(DALI_DECODER "${DALI_DIR}/nvidia/nvimgcodec/libnvimgcodec.so.0" ABSOLUTE)
  endif()
  if(EXISTS "${DALI_DIR}/nvidia/dali/include/dali/dali.h")
    get_filename_component(DALI_INCLUDE_DIR "${DALI_DIR}/nvidia/dali/include" ABSOLUTE)
  endif()
  if(EXISTS "${DALI_DIR}/nvidia/dali/__init__.py")
    file(STRINGS "${DALI_DIR}/nvidia/dali/__init__.py" line REGEX "^__version__")
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" DALI_VERSION "${line}")
  endif()
  # dali.h uses types of the CUDA runtime. Headers of a wheel are preferred to those of the toolkit, so that CPU and
  # CUDA builds have the same command lines.
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
