# The packages that Scalemark's libraries are linked with: for this build, and installed for find_package(scalemark) in
# others. The file that includes this one says what a missing package means: scalemark_require(PACKAGE DEBIAN-PACKAGE ...).
include_guard()

set(HDF5_PREFER_PARALLEL OFF)
scalemark_require(Threads libc6-dev)
scalemark_require(MPI libopenmpi-dev COMPONENTS C)
# mpi.h would pull in the long-gone C++ bindings, and with them symbols that are nowhere linked.
if(TARGET MPI::MPI_C)
  target_compile_definitions(MPI::MPI_C INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
endif()
scalemark_require(HDF5 libhdf5-dev COMPONENTS C HL)
# One process writes a file. The library for parallel files does that as well, but its header includes mpi.h.
add_library(hdf5_serial_c INTERFACE IMPORTED)
target_include_directories(hdf5_serial_c SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(hdf5_serial_c INTERFACE ${HDF5_C_HL_LIBRARIES} ${HDF5_C_LIBRARIES})
if(HDF5_IS_PARALLEL)
  target_link_libraries(hdf5_serial_c INTERFACE MPI::MPI_C)
endif()
scalemark_require(HWLOC libhwloc-dev)
include(ScalemarkHeaders)
scalemark_require(ZLIB zlib1g-dev)
scalemark_require(PNG libpng-dev)
scalemark_require(PCRE2 libpcre2-dev)
scalemark_require(OpenSSL libssl-dev)
