# Installs the build into a fresh prefix; builds and runs the consumer against it, with nothing of
# the source tree in reach; starts the installed programs.
function(must_work)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status}): ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(prefix ${scratch}/prefix)
set(consumer_build ${scratch}/consumer)
file(REMOVE_RECURSE ${prefix} ${consumer_build})

must_work(${CMAKE_COMMAND} --install ${build_dir} --prefix ${prefix} --component library)
must_work(${CMAKE_COMMAND} -S ${consumer} -B ${consumer_build} -G ${generator}
          -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${prefix})
must_work(${CMAKE_COMMAND} --build ${consumer_build})
must_work(${consumer_build}/consumer)
if(NOT output STREQUAL "fired 7 at tick 30\nfired 9 at tick 5000000\npending 0\nthe service fired\n")
  message(FATAL_ERROR "the consumer printed:\n${output}")
endif()


# foliot::asio is for those who ask for it; the others need no Boost.
set(asio_build ${scratch}/asio_consumer)
set(bare_build ${scratch}/consumer_without_boost)
file(REMOVE_RECURSE ${asio_build} ${bare_build})
set(configure ${CMAKE_COMMAND} -S ${consumer} -G ${generator} -D CMAKE_CXX_COMPILER=${compiler}
    -D CMAKE_PREFIX_PATH=${prefix})
if(with_asio)
  must_work(${configure} -B ${asio_build} -D WITH_ASIO=ON)
  must_work(${CMAKE_COMMAND} --build ${asio_build} --target asio_consumer)
  must_work(${asio_build}/asio_consumer)
  if(NOT output STREQUAL "expired\ntimed out\nthe service fired on the context\n")
    message(FATAL_ERROR "the consumer of foliot::asio printed:\n${output}")
  endif()
endif()
must_work(${configure} -B ${bare_build} -D CMAKE_DISABLE_FIND_PACKAGE_Boost=ON)
execute_process(COMMAND ${configure} -B ${bare_build} -D CMAKE_DISABLE_FIND_PACKAGE_Boost=ON
                        -D WITH_ASIO=ON
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE error)
if(status EQUAL 0 OR NOT error MATCHES "Boost")
  message(FATAL_ERROR "without Boost, foliot::asio was found, or it was not said why not:\n${error}")
endif()

file(GLOB_RECURSE installed_files RELATIVE ${prefix} ${prefix}/*)
foreach(file ${installed_files})
  if(NOT file MATCHES
     "^(include/foliot/|lib.*/cmake/foliot/|lib.*/libfoliot_service.a$|share/doc/foliot/LICENSE)")
    message(FATAL_ERROR "the component library installed ${file}")
  endif()
endforeach()

if(programs)
  must_work(${CMAKE_COMMAND} --install ${build_dir} --prefix ${prefix} --component programs)
endif()
foreach(program ${programs})
  must_work(${prefix}/bin/${program} --help)
endforeach()
