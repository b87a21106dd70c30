# scalemark_warnings: linked PRIVATE by every target of the project, never by its users.
include_guard(GLOBAL)
add_library(scalemark_warnings INTERFACE)
set(warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    -Wno-missing-field-initializers)  # designated initialisers leave the rest at its default on purpose
target_compile_options(scalemark_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
if(SCALEMARK_UNITY)
  # A type with members of an anonymous namespace is its file's own, which here is no file but included in one.
  target_compile_options(scalemark_warnings INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
if(SCALEMARK_WERROR)
  target_compile_options(scalemark_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>
                         "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Werror>")
endif()
if(SCALEMARK_SANITIZE)
  target_compile_options(scalemark_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SCALEMARK_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=undefined>"
    # Behind the others, which would take it back: see scalemark_compile_tests_fast.
    "$<$<BOOL:$<TARGET_PROPERTY:SCALEMARK_COMPILED_FAST>>:-fno-sanitize=undefined>")
  target_link_options(scalemark_warnings INTERFACE -fsanitize=${SCALEMARK_SANITIZE})
endif()
