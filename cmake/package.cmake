# Debian packages made by CPack: cpack -G DEB. tools/release makes them and gives the options to configure with.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

# ---- licenses. Libraries that are compiled in, or that a wheel contains, have their own authors. The notices are taken
# from Debian's packages of these libraries.
set(notices "")
foreach(package IN ITEMS libcli11-dev libfmt-dev libhwy-dev libpcre2-dev libtbb-dev nlohmann-json3-dev)
  set(file /usr/share/doc/${package}/copyright)
  if(EXISTS ${file})
    file(READ ${file} notice)
    string(APPEND notices "\n---- ${package}\n\n${notice}")
  endif()
endforeach()
if(QFUSE_CUDA)
  string(APPEND notices "\n---- CUDA runtime\n\nNVIDIA Corporation, under the End User License Agreement of the CUDA "
                        "Toolkit, as one of its distributable parts.\n")
endif()
file(CONFIGURE OUTPUT THIRD_PARTY_NOTICES @ONLY CONTENT
     "Parts of qfuse's binaries are these works of others:\n@notices@")
if(QFUSE_TORCH AND SKBUILD_METADATA_DIR)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/THIRD_PARTY_NOTICES DESTINATION ${SKBUILD_METADATA_DIR}/licenses
          COMPONENT python)
endif()

# ---- one package for each component
set(package_library libqfuse${PROJECT_VERSION_MAJOR})
set(package_development libqfuse-dev)
set(package_command qfuse)
set(CPACK_COMPONENTS_ALL library development command)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "qfuse maintainers" CACHE STRING "Who answers for the packages: Name <address>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)

set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "${PROJECT_DESCRIPTION}\nDecodes and encodes weights in the 4-bit and 8-bit formats\nof bitsandbytes, bit for bit.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "${PROJECT_DESCRIPTION} (development)\nHeaders for C and C++, with what CMake and pkg-config ask for.")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
    "convert, inspect and compare quantized checkpoints of language models\nThe command qfuse, with its man page, \
and qfuse-bench, which measures kernels.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)

# Programs need the library of exactly their version, because before 1.0 the interface may change in any version.
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
set(CPACK_COMPONENT_COMMAND_DEPENDS library)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src ${PROJECT_BINARY_DIR}/src/checkpoint)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/debian/triggers)

# Each package has a copyright file and a changelog in Debian's form, which only the packages use.
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # or the time in SOURCE_DATE_EPOCH
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(package ${package_${component}})
  string(TOUPPER ${component} COMPONENT)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${package})
  set(documents ${CMAKE_CURRENT_BINARY_DIR}/debian/${package})
  file(CONFIGURE OUTPUT ${documents}/copyright @ONLY CONTENT
       "Copyright 2026 the contributors of qfuse. Apache License, Version 2.0, which is on Debian in \
/usr/share/common-licenses/Apache-2.0.\n\nParts of it are these works of others:\n@notices@")
  file(CONFIGURE OUTPUT ${documents}/changelog @ONLY CONTENT
       "qfuse (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * CHANGELOG.md of the source says what is new.\n\n \
-- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  execute_process(COMMAND gzip -9nf ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${documents}/copyright ${documents}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
