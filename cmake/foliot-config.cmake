# find_package(foliot): foliot::wheel, the timing wheels (header only); foliot::service, timers for a
# process (a static library); foliot::coro, the same for coroutines. All need the standard library only.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/foliot-targets.cmake")
