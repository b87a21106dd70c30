# Open MPI's components for PSM and libfabric may load libinfinipath, which waits 0.2 s when it is loaded; a start loads it in
# MPI_Init and again for MPI_T. Tests start thousands of ranks on one machine: they get a folder with links to the others.
# Sets SCALEMARK_MPI_COMPONENTS to the folder, or to nothing where no such component is installed.
set(SCALEMARK_MPI_COMPONENTS "")
find_program(SCALEMARK_OMPI_INFO ompi_info)
mark_as_advanced(SCALEMARK_OMPI_INFO)
if(SCALEMARK_OMPI_INFO)
  execute_process(COMMAND ${SCALEMARK_OMPI_INFO} --path pkglibdir --parsable OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET)
  string(REGEX REPLACE "^path:pkglibdir:" "" found "${found}")
  file(GLOB components "${found}/mca_*.so")
  set(fast ${components})
  list(FILTER fast EXCLUDE REGEX "/mca_[a-z]+_(psm2?|ofi)\\.so$")
  if(fast AND NOT fast STREQUAL components)
    set(SCALEMARK_MPI_COMPONENTS ${PROJECT_BINARY_DIR}/tests/mpi_components)
    file(REMOVE_RECURSE ${SCALEMARK_MPI_COMPONENTS})
    file(MAKE_DIRECTORY ${SCALEMARK_MPI_COMPONENTS})
    foreach(component IN LISTS fast)
      get_filename_component(name ${component} NAME)
      file(CREATE_LINK ${component} ${SCALEMARK_MPI_COMPONENTS}/${name} SYMBOLIC)
    endforeach()
  endif()
endif()
