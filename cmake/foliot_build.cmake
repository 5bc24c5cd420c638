# How every target of the project is built. A module is a static library foliot_<name>.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

option(FOLIOT_WERROR "Treat warnings as errors" OFF)
set(FOLIOT_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined")

find_program(FOLIOT_CCACHE ccache)
if(FOLIOT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FOLIOT_CCACHE})
endif()

add_library(foliot_flags INTERFACE)
target_compile_options(foliot_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wnon-virtual-dtor -Woverloaded-virtual $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  $<$<BOOL:${FOLIOT_WERROR}>:-Werror>)
if(FOLIOT_SANITIZE)
  target_compile_options(foliot_flags INTERFACE -fsanitize=${FOLIOT_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(foliot_flags INTERFACE -fsanitize=${FOLIOT_SANITIZE})
endif()

# foliot_module(name SOURCES a.cpp ... [USES target ...] [PRIVATE target ...])
function(foliot_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;PRIVATE" ${ARGN})
  add_library(foliot_${name} STATIC ${arg_SOURCES})
  target_include_directories(foliot_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(foliot_${name} PUBLIC foliot::wheel ${arg_USES}
                        PRIVATE foliot_flags ${arg_PRIVATE})
endfunction()

# foliot_test(name SOURCES a.cpp ... [USES target ...] [LABELS l ...] [TIMEOUT seconds])
# One GoogleTest program; ctest runs it as one test.
function(foliot_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;USES;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE foliot_flags foliot::wheel ${arg_USES} GTest::gtest_main
                        GTest::gmock)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()
