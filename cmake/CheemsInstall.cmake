# Binaries, libcheems, its headers; a CMake package, find_package(Cheems) gives Cheems::cheems; cheems.pc for pkg-config.
include(CMakePackageConfigHelpers)

foreach(tool cheems-opt cheems-compile cheems-run cheems-bench cheems-cache cheems-perplexity cheems-serve cheems-lsp-server cheems-translate)
  if(TARGET ${tool})
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

# Manual pages and what shells complete, which the programs make of their options
foreach(tool cheems-compile cheems-run cheems-bench cheems-cache cheems-perplexity cheems-serve cheems-translate)
  if(TARGET ${tool})
    foreach(page "--print-manual|${CMAKE_INSTALL_MANDIR}/man1/${tool}.1"
                 "--print-completion;bash|${CMAKE_INSTALL_DATADIR}/bash-completion/completions/${tool}"
                 "--print-completion;zsh|${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_${tool}"
                 "--print-completion;fish|${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/${tool}.fish")
      string(REPLACE "|" ";" page "${page}")
      list(POP_BACK page path)
      list(JOIN page " " words)
      install(CODE "
        set(path \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${path}\")
        get_filename_component(folder \"\${path}\" DIRECTORY)
        file(MAKE_DIRECTORY \"\${folder}\")
        message(STATUS \"Installing: \${path}\")
        execute_process(COMMAND $<TARGET_FILE:${tool}> ${words} OUTPUT_FILE \"\${path}\" RESULT_VARIABLE status)
        if(NOT status EQUAL 0)
          message(FATAL_ERROR \"${tool} ${words} failed\")
        endif()")
    endforeach()
  endif()
endforeach()

install(FILES include/cheems/cheems.h include/cheems/abi.h include/cheems/artifact.h include/cheems/executor.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cheems)
# what a back end from outside needs (examples/backend-toy)
if(CHEEMS_BUILD_COMPILER)
  install(FILES include/cheems/Compiler/Backend.h include/cheems/Compiler/Compiler.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cheems/Compiler)
  set(generated ${CMAKE_BINARY_DIR}/include/cheems/Dialect/Cheems/IR)
  install(FILES include/cheems/Dialect/Cheems/IR/AttributeNames.h include/cheems/Dialect/Cheems/IR/CheemsAttrs.h
    include/cheems/Dialect/Cheems/IR/CheemsEnums.h ${generated}/CheemsAttrInterfaces.h.inc ${generated}/CheemsAttrs.h.inc
    ${generated}/CheemsEnums.h.inc
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cheems/Dialect/Cheems/IR)
  install(FILES include/cheems/Dialect/Cheems/Utils/ParameterTable.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cheems/Dialect/Cheems/Utils)
  install(FILES include/cheems/Support/MLIR.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cheems/Support)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET cheems)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Cheems)
  install(TARGETS cheems EXPORT CheemsTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT CheemsTargets NAMESPACE Cheems:: DESTINATION ${package_dir})
  configure_package_config_file(cmake/CheemsConfig.cmake.in ${CMAKE_BINARY_DIR}/cmake/CheemsConfig.cmake
    INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/CheemsConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/cmake/CheemsConfig.cmake ${CMAKE_BINARY_DIR}/cmake/CheemsConfigVersion.cmake DESTINATION ${package_dir})

  # from where cheems.pc lies, so that the installed tree may be moved
  file(RELATIVE_PATH CHEEMS_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  cmake_path(APPEND CHEEMS_PC_LIBDIR "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
  cmake_path(APPEND CHEEMS_PC_INCLUDEDIR "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
  configure_file(cmake/cheems.pc.in ${CMAKE_BINARY_DIR}/cmake/cheems.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/cmake/cheems.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
