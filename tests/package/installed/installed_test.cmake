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
