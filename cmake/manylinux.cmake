# QFUSE_MANYLINUX: links everything for systems as old as manylinux_2_28, so that a wheel installs wherever torch does.
# manylinux/link_libraries explains how. Compiling does not change.
set(link_libraries ${PROJECT_BINARY_DIR}/manylinux)
if(NOT EXISTS ${link_libraries}/libc.so)
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/manylinux/link_libraries ${link_libraries} ${CMAKE_CXX_COMPILER}
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
add_link_options(-L${link_libraries} LINKER:-rpath-link,${link_libraries} LINKER:--exclude-libs,ALL
                 $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:LINKER:--wrap=__libc_start_main>)
