# The git revision: for the summary when this is included, and for result files when it is run as a script
# (cmake -DSOURCE=DIR -DTEMPLATE=FILE -DOUTPUT=FILE -P ScalemarkVersion.cmake), which each build does, so that a
# program never claims a revision that it was not built from.
if(CMAKE_SCRIPT_MODE_FILE)
  set(PROJECT_SOURCE_DIR ${SOURCE})
endif()
find_package(Git QUIET)
set(SCALEMARK_GIT_REVISION unknown)
set(SCALEMARK_GIT_DIRTY false)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short=12 HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE code)
  if(code EQUAL 0)
    set(SCALEMARK_GIT_REVISION ${revision})
    execute_process(COMMAND ${GIT_EXECUTABLE} status --porcelain --untracked-files=no
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(SCALEMARK_GIT_DIRTY true)
    endif()
  endif()
endif()
if(CMAKE_SCRIPT_MODE_FILE)
  configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
endif()
