# find_package(foliot): foliot::wheel, the timing wheels (header only), and foliot::service, timers for
# a process (a static library). Both need the standard library only.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/foliot-targets.cmake")
