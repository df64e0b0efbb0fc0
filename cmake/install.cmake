# What the libraries export, and which files an installation holds. Everything in a prefix finds the rest relative to
# itself, so that a prefix may be moved. Every file belongs to one of three components: library (needed to run
# programs), development (needed to build programs) and command. Each is also a Debian package, which
# cmake/package.cmake makes.
include(CMakePackageConfigHelpers)

# Visibility attributes choose the exported symbols. The map also hides symbols that the attributes cannot reach, such
# as instances of the standard library's templates. tests/house/exported_symbols lists the results.
foreach(library IN ITEMS qfuse qfuse_checkpoint)
  set(map ${CMAKE_CURRENT_LIST_DIR}/${library}.map)
  target_link_options(${library} PRIVATE LINKER:--version-script=${map})
  set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS ${map})
endforeach()

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
set_target_properties(qfuse_checkpoint PROPERTIES INSTALL_RPATH $ORIGIN)
install(TARGETS qfuse qfuse_checkpoint EXPORT qfuse LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(DIRECTORY include/qfuse DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h PATTERN *.hpp)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)  # not in Debian packages

# Builds only what an installation needs.
add_custom_target(qfuse_installed DEPENDS qfuse qfuse_checkpoint)
foreach(command IN ITEMS qfuse_command qfuse_bench)
  if(TARGET ${command})
    add_dependencies(qfuse_installed ${command})
    set_target_properties(${command} PROPERTIES
                          INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN/..")  # for wheels
    install(TARGETS ${command} COMPONENT command)
  endif()
endforeach()
if(TARGET qfuse_printed)
  add_dependencies(qfuse_installed qfuse_printed)
endif()

# find_package(qfuse) defines qfuse::qfuse and qfuse::checkpoint. The package needs nothing but the exported targets,
# because the libraries' own dependencies are private.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/qfuse)
install(EXPORT qfuse FILE qfuseConfig.cmake NAMESPACE qfuse:: DESTINATION ${package_dir})
write_basic_package_version_file(qfuseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/qfuseConfigVersion.cmake DESTINATION ${package_dir})

# pkg-config files of qfuse and qfuse_checkpoint
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pkgconfig /prefix/${pkgconfig_dir} /prefix)
foreach(library IN ITEMS qfuse qfuse_checkpoint)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${library}.pc.in ${library}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${library}.pc DESTINATION ${pkgconfig_dir})
endforeach()

# Runs last, so that its message is seen.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT CMAKE_CROSSCOMPILING)
  install(CODE "cmake_path(APPEND CMAKE_INSTALL_PREFIX ${CMAKE_INSTALL_LIBDIR} OUTPUT_VARIABLE qfuse_libdir)"
          COMPONENT library)
  install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/ldconfig.cmake COMPONENT library)
endif()
