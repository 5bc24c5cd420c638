# What `cmake --install` puts where. Two components: `headers` (the library and its CMake package,
# find_package(foliot) -> foliot::wheel) and `programs` (foliotd and foliot, when they are built).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/foliot)

install(TARGETS foliot_wheel EXPORT foliot_targets
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT headers)
install(EXPORT foliot_targets NAMESPACE foliot:: FILE foliot-targets.cmake
        DESTINATION ${package_dir} COMPONENT headers)

write_basic_package_version_file(${PROJECT_BINARY_DIR}/foliot-config-version.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/foliot-config.cmake
              ${PROJECT_BINARY_DIR}/foliot-config-version.cmake
        DESTINATION ${package_dir} COMPONENT headers)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT headers)

foreach(program foliotd foliot)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  endif()
endforeach()
