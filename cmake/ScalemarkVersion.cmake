# Determines the git revision. Included by CMakeLists.txt it sets variables for the summary. Each build also runs it as
# a script (cmake -DSOURCE=DIR -DTEMPLATE=FILE -DOUTPUT=FILE -P ScalemarkVersion.cmake), so that result files always
# contain the revision that the program was built from.
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
