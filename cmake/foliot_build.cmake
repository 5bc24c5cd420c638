# How every target of the project is built. A module is a static library foliot_<name>.
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

option(FOLIOT_WERROR "Treat warnings as errors" OFF)
set(FOLIOT_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined")

# ccache shares objects between presets with equal flags (run and dev), so it must not tell build
# folders apart by the path that debug information records.
find_program(FOLIOT_CCACHE ccache)
if(FOLIOT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=1 ${FOLIOT_CCACHE})
endif()

add_library(foliot_flags INTERFACE)
target_compile_options(foliot_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wnon-virtual-dtor -Woverloaded-virtual $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  $<$<BOOL:${FOLIOT_WERROR}>:-Werror>)
# At -O3 g++ 12 takes "text" + std::string for an overlapping copy (GCC bug 105651, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(foliot_flags INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()
if(FOLIOT_SANITIZE)
  target_compile_options(foliot_flags INTERFACE -fsanitize=${FOLIOT_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(foliot_flags INTERFACE -fsanitize=${FOLIOT_SANITIZE})
endif()
if(FOLIOT_BUILD_FUZZ)
  target_compile_options(foliot_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Groups of targets that ./dev builds by name.
add_custom_target(foliot_tests)       # every test program
add_custom_target(foliot_tests_tsan)  # those labelled tsan
add_custom_target(foliot_fuzzers)
add_custom_target(foliot_benches)

# foliot_add_folder(name): add_subdirectory if the folder has a CMakeLists.txt.
function(foliot_add_folder name)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/CMakeLists.txt)
    add_subdirectory(${name})
  endif()
endfunction()

# foliot_module(name SOURCES a.cpp ... [USES target ...] [PRIVATE target ...])
function(foliot_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;PRIVATE" ${ARGN})
  add_library(foliot_${name} STATIC ${arg_SOURCES})
  target_include_directories(foliot_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(foliot_${name} PUBLIC foliot::wheel ${arg_USES}
                        PRIVATE foliot_flags ${arg_PRIVATE})
endfunction()

# foliot_test_properties(test [LABELS l ...] [TIMEOUT seconds])
# For a test made with add_test; foliot_test calls it for its own. What labels mean:
# CONTRIBUTING.md, "Labels".
function(foliot_test_properties test)
  cmake_parse_arguments(arg "" "TIMEOUT" "LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(FOLIOT_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
  endif()
  set_tests_properties(${test} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
  if("serial" IN_LIST arg_LABELS OR "crash" IN_LIST arg_LABELS)
    set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# foliot_test(name SOURCES a.cpp ... [USES target ...] [LABELS l ...] [TIMEOUT seconds] [HARDENED])
# One GoogleTest program; ctest runs it as one test. HARDENED turns the costly checks of the wheels
# on; only for programs that link no library of ours which was built without.
function(foliot_test name)
  cmake_parse_arguments(arg "HARDENED" "TIMEOUT" "SOURCES;USES;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  if(arg_HARDENED)
    target_compile_definitions(${name} PRIVATE FOLIOT_HARDENED)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE foliot_flags foliot::wheel ${arg_USES} GTest::gtest_main
                        GTest::gmock)
  # What is tested is optimized; the tests themselves need it less than a quick build.
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1 -g1>)
  add_test(NAME ${name} COMMAND ${name})
  foliot_test_properties(${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
  add_dependencies(foliot_tests ${name})
  if("tsan" IN_LIST arg_LABELS)
    add_dependencies(foliot_tests_tsan ${name})
  endif()
endfunction()

# foliot_fuzz(name SOURCES a.cpp ... [USES target ...])
# One libFuzzer program, build/fuzz/fuzz/bin/<name>. Its seed corpus is fuzz/corpus/<name>, if any.
function(foliot_fuzz name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE foliot_flags foliot::wheel ${arg_USES})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz/bin)
  add_dependencies(foliot_fuzzers ${name})
endfunction()

# foliot_bench(name SOURCES a.cpp ... [USES target ...])
# One benchmark program, build/<preset>/bench/bin/<name>; ./dev bench runs it without arguments.
function(foliot_bench name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE foliot_flags foliot::wheel ${arg_USES})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench/bin)
  add_dependencies(foliot_benches ${name})
endfunction()
