# find_package(foliot): foliot::wheel, the timing wheels (header only, standard library only).
include("${CMAKE_CURRENT_LIST_DIR}/foliot-targets.cmake")
