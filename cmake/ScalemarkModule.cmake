# Functions that define the project's libraries, and the table of allowed includes.
include_guard(GLOBAL)

# scalemark_allow_includes(targets): sources of the current folder may include headers of these targets, and of targets
# that those link PUBLIC. All calls together form `modules.txt` in the build folder, one line "folder target visibility
# links..." each. module_table.py reads it for the test of the sources' includes and the diagram in docs/architecture.md.
function(scalemark_allow_includes name)
  cmake_parse_arguments(arg "" "" "PUBLIC;PRIVATE" ${ARGN})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  foreach(visibility PUBLIC PRIVATE)
    set(links ${arg_${visibility}})
    list(FILTER links INCLUDE REGEX "^scalemark::")
    list(TRANSFORM links REPLACE "^scalemark::" "")
    string(JOIN " " links ${links})
    set_property(GLOBAL APPEND_STRING PROPERTY SCALEMARK_MODULES "${folder} ${name} ${visibility} ${links}\n")
  endforeach()
endfunction()

# scalemark_compile_as_one(TARGET): with SCALEMARK_UNITY the target's sources are one. Target all_sources_alone then looks at each of
# them by itself: syntax, types and warnings, without code. It leaves no objects, so that a second call looks at all of them again.
# Headers of the standard library and of libraries that take long to parse are precompiled; a build without SCALEMARK_UNITY shows
# where one is missing.
add_custom_target(all_sources_alone)
function(scalemark_compile_as_one target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SCALEMARK_UNITY} UNITY_BUILD_BATCH_SIZE 0)
  # At the end of the folder, when all sources are known.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL scalemark_check_sources_alone ${target})")
endfunction()

function(scalemark_check_sources_alone target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  if(NOT sources)
    return()
  endif()
  get_target_property(links ${target} LINK_LIBRARIES)
  add_library(${target}_alone OBJECT EXCLUDE_FROM_ALL ${sources})
  set_target_properties(${target}_alone PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
  target_link_libraries(${target}_alone PRIVATE ${links} fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json)
  target_include_directories(${target}_alone PRIVATE ${PROJECT_SOURCE_DIR} $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${target}_alone PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_compile_options(${target}_alone PRIVATE -fsyntax-only)
  scalemark_add_headers(scalemark_alone_headers LINK fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json
                        HEADERS ${SCALEMARK_STANDARD_HEADERS} <thread> <fmt/format.h> <CLI/CLI.hpp> <nlohmann/json.hpp>)
  scalemark_reuse_headers(${target}_alone scalemark_alone_headers)
  add_dependencies(all_sources_alone ${target}_alone)
endfunction()

function(scalemark_write_module_table)
  get_property(table GLOBAL PROPERTY SCALEMARK_MODULES)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/modules.txt CONTENT "${table}")
endfunction()

# scalemark_add_module(NAME SOURCES ... [HEADERS ...] [PUBLIC targets] [PRIVATE targets]) Defines a module of common/:
# static library scalemark_<NAME>, alias scalemark::<NAME>. A header beside a source of the same name belongs to it;
# HEADERS lists all other headers. A module may include only headers of targets that it links.
function(scalemark_add_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  scalemark_allow_includes(${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  add_library(scalemark_${name} STATIC ${arg_SOURCES})
  add_library(scalemark::${name} ALIAS scalemark_${name})
  # A source includes its own header first, which checks that the header compiles alone. Other headers are checked
  # separately.
  set(with_source "")
  foreach(source ${arg_SOURCES})
    string(REGEX REPLACE "\\.cpp$" ".hpp" header ${source})
    if(NOT header STREQUAL source AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${header})
      list(APPEND with_source ${header})
    endif()
  endforeach()
  scalemark_split_by_torch(torch_headers headers ${arg_HEADERS})
  target_sources(scalemark_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers}
                 FILE_SET with_source TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${with_source}
                 FILE_SET torch_headers TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${torch_headers})
  target_compile_features(scalemark_${name} PUBLIC cxx_std_20)
  target_link_libraries(scalemark_${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE} $<BUILD_INTERFACE:scalemark_warnings>)
  set_target_properties(scalemark_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY SCALEMARK_MODULE_TARGETS scalemark_${name})
  set(alone HEADERS)
  if(SCALEMARK_VERIFY_TORCH_HEADERS)
    list(APPEND alone torch_headers)
  endif()
  set_target_properties(scalemark_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON
                        INTERFACE_HEADER_SETS_TO_VERIFY "${alone}")
  scalemark_precompile_torch(scalemark_${name} ${arg_SOURCES})
  scalemark_compile_as_one(scalemark_${name})
endfunction()

# scalemark_computes_much(TARGET): optimises the target in the sanitizer build, too, where its tests would take minutes.
function(scalemark_computes_much target)
  if(SCALEMARK_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  endif()
endfunction()

# scalemark_computes_little(TARGET): compiles the target with few optimisations in release builds, in 0.6 of the time: what it does
# is reading and writing text.
function(scalemark_computes_little target)
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
endfunction()

# scalemark_link_cuda(TARGET LINK libraries SOURCES files): links CUDA libraries; only these files see their headers.
# All other sources have the same command lines in CPU and CUDA builds, so ccache compiles them once.
function(scalemark_link_cuda target)
  cmake_parse_arguments(arg "" "" "LINK;SOURCES" ${ARGN})
  foreach(library ${arg_LINK})
    target_link_libraries(${target} PRIVATE $<LINK_ONLY:${library}>)
  endforeach()
  set(folders ${CUDAToolkit_INCLUDE_DIRS} ${NCCL_INCLUDE_DIR})
  foreach(source ${arg_SOURCES})
    set(option -isystem)
    if(source MATCHES "\\.cu$")
      set(option -isystem=)  # as nvcc wants it
    endif()
    list(TRANSFORM folders PREPEND ${option} OUTPUT_VARIABLE options)
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS "${options}")
  endforeach()
endfunction()

# scalemark_add_suite(NAME SOURCES ... [LINK targets]): an OBJECT library, because benchmarks register themselves in
# static variables. All its objects are linked into each program that calls scalemark_link_suites().
function(scalemark_add_suite name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  scalemark_allow_includes(suite_${name} PRIVATE ${arg_LINK})
  add_library(scalemark_suite_${name} OBJECT ${arg_SOURCES})
  target_link_libraries(scalemark_suite_${name} PUBLIC ${arg_LINK} PRIVATE $<BUILD_INTERFACE:scalemark_warnings>)
  scalemark_precompile_torch(scalemark_suite_${name} ${arg_SOURCES})
  scalemark_compile_as_one(scalemark_suite_${name})
  set_property(GLOBAL APPEND PROPERTY SCALEMARK_SUITES scalemark_suite_${name})
endfunction()

# Links all suites and what they need into an executable.
function(scalemark_link_suites target)
  get_property(suites GLOBAL PROPERTY SCALEMARK_SUITES)
  target_link_libraries(${target} PRIVATE ${suites})
endfunction()

# scalemark_add_main(SOURCE): makes target scalemark::main, which a program outside this project links: main() of SOURCE, the
# command line and all suites. Their archive is linked whole: the linker would drop benchmarks, which register themselves and
# are called by nobody.
function(scalemark_add_main source)
  get_property(suites GLOBAL PROPERTY SCALEMARK_SUITES)
  set(links scalemark::cli)
  foreach(suite ${suites})
    get_target_property(of_suite ${suite} INTERFACE_LINK_LIBRARIES)
    list(APPEND links ${of_suite})
  endforeach()
  list(REMOVE_DUPLICATES links)
  list(TRANSFORM suites REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(scalemark_main STATIC ${source} ${objects})
  target_link_libraries(scalemark_main PUBLIC ${links})
  add_library(scalemark_whole_main INTERFACE)
  target_link_libraries(scalemark_whole_main INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,scalemark::main_archive>)
  add_library(scalemark::main_archive ALIAS scalemark_main)
  add_library(scalemark::main ALIAS scalemark_whole_main)
  set_target_properties(scalemark_main PROPERTIES EXPORT_NAME main_archive)
  set_target_properties(scalemark_whole_main PROPERTIES EXPORT_NAME main)
endfunction()
