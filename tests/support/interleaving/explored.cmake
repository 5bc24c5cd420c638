# foliot_explored_test(name SOURCES a.cpp ... [USES target ...] [TIMEOUT seconds])
# A foliot_test that explores interleavings, with ${PROJECT_SOURCE_DIR}/tests/support/interleaving.
# Not built with a sanitizer.
function(foliot_explored_test name)
  if(FOLIOT_SANITIZE OR FOLIOT_BUILD_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;USES" ${ARGN})
  foliot_test(${name} SOURCES ${arg_SOURCES} USES ${arg_USES} foliot_interleaving
              LABELS no_asan TIMEOUT ${arg_TIMEOUT})
  target_include_directories(${name} BEFORE PRIVATE
                             ${PROJECT_SOURCE_DIR}/tests/support/interleaving/sync
                             ${PROJECT_SOURCE_DIR}/tests/interleaving)
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)  # names, for traces
endfunction()
