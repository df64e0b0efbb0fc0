# cmake -DCOMMAND=<program> -DEXPECTED=<file> -P expect_output.cmake: runs the program. Passes if it succeeds and prints
# exactly the content of the file.
execute_process(COMMAND ${COMMAND} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
file(READ ${EXPECTED} expected)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "${COMMAND} printed\n${output}\nwhere ${EXPECTED} has\n${expected}")
endif()
