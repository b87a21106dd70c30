# Libraries of this project.
include_guard(GLOBAL)

# scalemark_allow_includes(targets): the sources of the current folder may include what belongs to these targets, and what
# those link PUBLIC. All such lines together are the table of who may include whom: `modules.txt` in the build folder, one
# line "folder target visibility links..." each. module_table.py reads it for the test of the sources' includes and for the
# diagram in docs/architecture.md.
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

function(scalemark_write_module_table)
  get_property(table GLOBAL PROPERTY SCALEMARK_MODULES)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/modules.txt CONTENT "${table}")
endfunction()

# scalemark_add_module(NAME SOURCES ... [HEADERS ...] [PUBLIC targets] [PRIVATE targets])
# One module of common/: static library scalemark_<NAME>, alias scalemark::<NAME>. The header beside a source belongs to it;
# HEADERS are those without one. The links say who may include whom: a module sees only what it links.
function(scalemark_add_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  scalemark_allow_includes(${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  add_library(scalemark_${name} STATIC ${arg_SOURCES})
  add_library(scalemark::${name} ALIAS scalemark_${name})
  # Those beside a source are compiled alone by it, which includes them first; only the others need a check of their own.
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
  set_target_properties(scalemark_${name} PROPERTIES UNITY_BUILD ${SCALEMARK_UNITY} UNITY_BUILD_BATCH_SIZE 10)
endfunction()

# scalemark_computes_much(TARGET): optimised with the sanitizers, too, whose build is not otherwise; its tests would take minutes.
function(scalemark_computes_much target)
  if(SCALEMARK_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  endif()
endfunction()

# scalemark_link_cuda(TARGET LINK libraries SOURCES files): libraries of CUDA whose headers only these files see. All other
# sources of a CUDA build are compiled by the command lines of a CPU build: ccache has them from there.
function(scalemark_link_cuda target)
  cmake_parse_arguments(arg "" "" "LINK;SOURCES" ${ARGN})
  foreach(library ${arg_LINK})
    target_link_libraries(${target} PRIVATE $<LINK_ONLY:${library}>)
  endforeach()
  set(options "")
  foreach(folder ${CUDAToolkit_INCLUDE_DIRS} ${NCCL_INCLUDE_DIR})
    list(APPEND options -isystem${folder})
  endforeach()
  set_property(SOURCE ${arg_SOURCES} APPEND PROPERTY COMPILE_OPTIONS "${options}")
endfunction()

# scalemark_add_suite(NAME SOURCES ... [LINK targets]): an OBJECT library, because benchmarks register
# themselves: its objects go straight into every executable that lists it in SCALEMARK_SUITES.
function(scalemark_add_suite name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  scalemark_allow_includes(suite_${name} PRIVATE ${arg_LINK})
  add_library(scalemark_suite_${name} OBJECT ${arg_SOURCES})
  target_link_libraries(scalemark_suite_${name} PUBLIC ${arg_LINK} PRIVATE $<BUILD_INTERFACE:scalemark_warnings>)
  scalemark_precompile_torch(scalemark_suite_${name} ${arg_SOURCES})
  set_target_properties(scalemark_suite_${name} PROPERTIES UNITY_BUILD ${SCALEMARK_UNITY} UNITY_BUILD_BATCH_SIZE 10)
  set_property(GLOBAL APPEND PROPERTY SCALEMARK_SUITES scalemark_suite_${name})
endfunction()

# Links every registered suite (objects and what they need) into an executable.
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
