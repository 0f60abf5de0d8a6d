# One library or tool a folder.
#
#   cheems_runtime_library(NAME sources... [LINK libraries...])    no MLIR
#   cheems_compiler_library(NAME sources... [LINK libraries...] [DEPENDS targets...])
#   cheems_tool(NAME sources... [LINK libraries...])

function(_cheems_common target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>
    $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
  target_link_libraries(${target} PRIVATE cheems_options)
endfunction()

function(cheems_runtime_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _cheems_common(${name})
  target_link_libraries(${name} PRIVATE cheems_coverage)
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

function(cheems_compiler_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _cheems_common(${name})
  target_link_libraries(${name} PUBLIC cheems_mlir ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  cheems_precompile_mlir(${name})
endfunction()

function(cheems_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _cheems_common(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} cheems_tool_options)
endfunction()
