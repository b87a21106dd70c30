# scalemark_add_module(NAME SOURCES ... HEADERS ... [PUBLIC targets] [PRIVATE targets])
# One module of common/: static library scalemark_<NAME>, alias scalemark::<NAME>. The links say who
# may include whom: a module sees only what it links.
include_guard(GLOBAL)

function(scalemark_add_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  add_library(scalemark_${name} STATIC ${arg_SOURCES})
  add_library(scalemark::${name} ALIAS scalemark_${name})
  target_sources(scalemark_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_HEADERS})
  target_compile_features(scalemark_${name} PUBLIC cxx_std_20)
  target_link_libraries(scalemark_${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE} scalemark_warnings)
  set_target_properties(scalemark_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# scalemark_add_suite(NAME SOURCES ... [LINK targets]): an OBJECT library, because benchmarks register
# themselves: its objects go straight into every executable that lists it in SCALEMARK_SUITES.
function(scalemark_add_suite name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(scalemark_suite_${name} OBJECT ${arg_SOURCES})
  target_link_libraries(scalemark_suite_${name} PUBLIC ${arg_LINK} PRIVATE scalemark_warnings)
  set_property(GLOBAL APPEND PROPERTY SCALEMARK_SUITES scalemark_suite_${name})
endfunction()

# Links every registered suite (objects and what they need) into an executable.
function(scalemark_link_suites target)
  get_property(suites GLOBAL PROPERTY SCALEMARK_SUITES)
  target_link_libraries(${target} PRIVATE ${suites})
endfunction()
