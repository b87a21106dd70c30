# Install rules. Component `programs`: programs, presets, golden files, manual pages, completions, documents; CPack makes
# a Debian package of these. Component `development`: headers, libraries and what find_package(scalemark) reads.
include_guard(GLOBAL)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME programs)

set(programs scalemark)
if(SCALEMARK_HAVE_BENCHMARK)
  list(APPEND programs scalemark-kernels)
endif()
install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# LibTorch is not a system library: installed programs keep the path of the folder that they were linked with.
set_target_properties(${programs} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)

set(data ${CMAKE_INSTALL_DATADIR}/scalemark)
install(DIRECTORY suites/presets/ DESTINATION ${data}/presets FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY tests/golden/ DESTINATION ${data}/golden FILES_MATCHING PATTERN "*.json"
        PATTERN stats EXCLUDE PATTERN osu EXCLUDE PATTERN imb EXCLUDE PATTERN stack_exchange_paired_tiny.json EXCLUDE)
install(DIRECTORY common/formats/rules/ DESTINATION ${data}/rules)
install(FILES README.md LICENSE CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.png")

# The program writes these files at installation, so builds do not wait for them.
set(words ${CMAKE_CURRENT_BINARY_DIR}/command_line)
install(CODE "
  execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DSCALEMARK=$<TARGET_FILE:scalemark>\" \"-DOUTPUT=${words}\"
                          -P \"${CMAKE_CURRENT_SOURCE_DIR}/cmake/describe_command_line.cmake\" COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${words}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${words}/scalemark.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME scalemark)
install(FILES ${words}/_scalemark DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${words}/scalemark.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# For `module use PREFIX/share/modulefiles`.
set(modulefiles ${CMAKE_INSTALL_DATADIR}/modulefiles/scalemark)
file(RELATIVE_PATH up /${modulefiles} /)
configure_file(packaging/modulefile.tcl.in ${CMAKE_CURRENT_BINARY_DIR}/modulefile.tcl @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/modulefile.tcl DESTINATION ${modulefiles} RENAME ${PROJECT_VERSION})

# Names of headers begin with common/ and suites/, and so have a folder of their own.
get_property(modules GLOBAL PROPERTY SCALEMARK_MODULE_TARGETS)
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/scalemark)
install(TARGETS ${modules} scalemark_main scalemark_whole_main EXPORT scalemark
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        FILE_SET HEADERS DESTINATION ${headers} COMPONENT development
        FILE_SET with_source DESTINATION ${headers} COMPONENT development
        FILE_SET torch_headers DESTINATION ${headers} COMPONENT development)
# What the benchmarks of the suite share: a collective of one's own takes its axes and its data from there.
install(DIRECTORY suites/micro/ DESTINATION ${headers}/suites/micro COMPONENT development FILES_MATCHING PATTERN "*.hpp"
        PATTERN kernels EXCLUDE)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/scalemark)
install(EXPORT scalemark NAMESPACE scalemark:: FILE scalemarkTargets.cmake DESTINATION ${package} COMPONENT development)
configure_package_config_file(cmake/scalemarkConfig.cmake.in scalemarkConfig.cmake INSTALL_DESTINATION ${package}
                              NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# A version promises command line, keys and file format; of the C++ interface only that of one minor version is the same.
write_basic_package_version_file(scalemarkConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/scalemarkConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/scalemarkConfigVersion.cmake
              cmake/ScalemarkPackages.cmake cmake/ScalemarkHeaders.cmake cmake/FindHWLOC.cmake cmake/FindLibTorch.cmake
              cmake/FindNCCL.cmake cmake/FindPCRE2.cmake DESTINATION ${package} COMPONENT development)

set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};${PROJECT_NAME};programs;/")
set(CPACK_PACKAGE_NAME scalemark)
set(CPACK_PACKAGE_VENDOR "The Scalemark authors")
set(CPACK_PACKAGE_CONTACT "The Scalemark authors <maintainers@scalemark.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Benchmarks of GPU clusters under MPI, with honest comparisons")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS openmpi-bin)
include(CPack)
