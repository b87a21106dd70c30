# The git revision for result files, read at configure time and written to a generated source.
include_guard(GLOBAL)
find_package(Git QUIET)
set(SCALEMARK_GIT_REVISION unknown)
set(SCALEMARK_GIT_DIRTY false)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short=12 HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE rc)
  if(rc EQUAL 0)
    set(SCALEMARK_GIT_REVISION ${revision})
    execute_process(COMMAND ${GIT_EXECUTABLE} status --porcelain --untracked-files=no
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(SCALEMARK_GIT_DIRTY true)
    endif()
  endif()
endif()
