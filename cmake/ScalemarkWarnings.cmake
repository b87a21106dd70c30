# scalemark_warnings: warning options; every target of the project links it PRIVATE, so users do not get them.
include_guard(GLOBAL)
add_library(scalemark_warnings INTERFACE)
set(warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    -Wno-missing-field-initializers)  # designated initialisers leave the rest at its default on purpose
target_compile_options(scalemark_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
if(SCALEMARK_UNITY)
  # In unity builds, sources are included in another file. GCC then warns about types with members from anonymous
  # namespaces, although these types belong to a single source.
  target_compile_options(scalemark_warnings INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
if(SCALEMARK_WERROR)
  target_compile_options(scalemark_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>
                         "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Werror>")
endif()
if(SCALEMARK_SANITIZE)
  target_compile_options(scalemark_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SCALEMARK_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=undefined>"
    # Must follow the options above, which would switch it on again: see scalemark_compile_tests_fast.
    "$<$<BOOL:$<TARGET_PROPERTY:SCALEMARK_COMPILED_FAST>>:-fno-sanitize=undefined>")
  target_link_options(scalemark_warnings INTERFACE -fsanitize=${SCALEMARK_SANITIZE})
endif()
