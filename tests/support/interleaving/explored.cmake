# Whether interleavings are explored: the threads of explored programs are fibers, which the
# sanitizers do not follow.
set(foliot_explores ON)
if(FOLIOT_SANITIZE OR FOLIOT_BUILD_FUZZ)
  set(foliot_explores OFF)
endif()

# foliot_explored_test(name SOURCES a.cpp ... [USES target ...] [TIMEOUT seconds])
# A foliot_test that explores interleavings, with ${PROJECT_SOURCE_DIR}/tests/support/interleaving.
# Not built with a sanitizer.
function(foliot_explored_test name)
  if(NOT foliot_explores)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;USES" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 400)  # 40 s and less on a machine with nothing else to do
  endif()
  foliot_test(${name} SOURCES ${arg_SOURCES} USES ${arg_USES} foliot_interleaving
              LABELS no_asan TIMEOUT ${arg_TIMEOUT})
  target_include_directories(${name} BEFORE PRIVATE
                             ${PROJECT_SOURCE_DIR}/tests/support/interleaving/sync
                             ${PROJECT_SOURCE_DIR}/tests/interleaving)
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)  # names, for traces
endfunction()

# foliot_plant(name file from to) Plants a fault into a copy of a source file of the project: a
# canary, which a test must find. `from`, which must be there once, becomes `to`; PLANTED in it is
# whether the test asks for this fault. Of a canary whose place is gone the test is told.
function(foliot_plant name file from to)
  set(text "${planted_text_${file}}")
  if(text STREQUAL "")
    file(READ ${PROJECT_SOURCE_DIR}/${file} text)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
    set(planted_files ${planted_files} ${file} PARENT_SCOPE)
    string(PREPEND text "#include \"support/interleaving/planted.hpp\"\n")
  endif()
  string(FIND "${text}" "${from}" first)
  string(FIND "${text}" "${from}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    set(lost_canaries "${lost_canaries}    \"${name}\",\n" PARENT_SCOPE)
  else()
    string(REPLACE PLANTED "::foliot::interleaving::planted(\"${name}\")" to "${to}")
    string(REPLACE "${from}" "${to}" text "${text}")
  endif()
  set(planted_text_${file} "${text}" PARENT_SCOPE)
  set(all_canaries "${all_canaries}    \"${name}\",\n" PARENT_SCOPE)
endfunction()

# foliot_write_planted(folder)
# The copies, sources beside each other and headers where #include finds them; and canary_names.hpp.
function(foliot_write_planted folder)
  foreach(file ${planted_files})
    string(REGEX REPLACE "^(include|src/service)/" "" name ${file})
    file(CONFIGURE OUTPUT ${folder}/${name} CONTENT "${planted_text_${file}}" @ONLY)
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/canary_names.hpp @ONLY CONTENT
"#pragma once
namespace foliot {
inline constexpr const char* all_canaries[] = {
${all_canaries}    nullptr};
inline constexpr const char* lost_canaries[] = {
${lost_canaries}    nullptr};
}  // namespace foliot
")
endfunction()
