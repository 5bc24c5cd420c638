# What `cmake --install` puts where. Two components: `library` (headers, foliot_service and the CMake
# package, find_package(foliot) -> foliot::wheel, foliot::service, foliot::coro, and foliot::asio if it was
# built) and `programs` (foliotd and foliot, when they are built).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/foliot)

install(TARGETS foliot_wheel foliot_service foliot_coro EXPORT foliot_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT foliot_targets NAMESPACE foliot:: FILE foliot-targets.cmake
        DESTINATION ${package_dir} COMPONENT library)

# Apart, since it needs Boost: foliot-config.cmake reads it for those who ask for asio.
if(TARGET foliot_asio)
  install(TARGETS foliot_asio EXPORT foliot_asio_targets
          FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
  install(EXPORT foliot_asio_targets NAMESPACE foliot:: FILE foliot-asio-targets.cmake
          DESTINATION ${package_dir} COMPONENT library)
endif()

write_basic_package_version_file(${PROJECT_BINARY_DIR}/foliot-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/foliot-config.cmake
              ${PROJECT_BINARY_DIR}/foliot-config-version.cmake
        DESTINATION ${package_dir} COMPONENT library)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)

foreach(program foliotd foliot)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  endif()
endforeach()
