# One library or tool per folder.
#
#   cheems_runtime_library(NAME sources... [LINK libraries...])    no MLIR
#   cheems_compiler_library(NAME sources... [LINK libraries...] [DEPENDS targets...])
#   cheems_tool(NAME [SMALL] sources... [LINK libraries...])   SMALL: for size, not for speed

function(_cheems_common target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>
    $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
  target_link_libraries(${target} PRIVATE cheems_options)
endfunction()

# Parsing the large headers is most of a small file's compile: one precompiled header serves all runtime libraries, another
# all tools. Each belongs to a target of its own that is compiled as they are.
set(_cheems_empty ${CMAKE_BINARY_DIR}/headers.cpp)
file(CONFIGURE OUTPUT ${_cheems_empty} CONTENT "int main() {}\n")

# Under sanitizers optimising a library takes longer than its tests then save, unless much of their time is its own: these hash,
# parse, or walk texts.
set(_cheems_optimised CheemsArtifact CheemsChatTemplate CheemsGeneration CheemsGrammar CheemsJson CheemsSampler CheemsState CheemsTokenizer)
# These read options, open files and wait for people. They are compiled for size.
set(_cheems_small CheemsArtifact CheemsGeneration CheemsProcess CheemsToolSupport)
function(_cheems_precompile_runtime target)
  set(headers cheems_runtime_headers)
  set(options cheems_coverage cheems_sections)
  if(target IN_LIST _cheems_small AND NOT CHEEMS_SANITIZE)
    string(APPEND headers _small)
    list(APPEND options cheems_small)
  endif()
  if(CHEEMS_SANITIZE AND NOT target IN_LIST _cheems_optimised)
    string(APPEND headers _unoptimised)
    list(APPEND options cheems_unoptimised)
  endif()
  if(NOT TARGET ${headers})
    add_library(${headers} OBJECT ${_cheems_empty})
    _cheems_common(${headers})
    target_link_libraries(${headers} PRIVATE ${options})
    set_target_properties(${headers} PROPERTIES CXX_VISIBILITY_PRESET hidden)
    target_precompile_headers(${headers} PRIVATE <algorithm> <filesystem> <functional> <map> <memory> <optional>
      <sstream> <string> <vector> <nlohmann/json.hpp>)
  endif()
  target_link_libraries(${target} PRIVATE ${options})
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

function(_cheems_precompile_tool target is_small)
  set(headers cheems_tool_headers)
  set(options cheems_tool_options cheems_sections)
  if(is_small AND NOT CHEEMS_SANITIZE)
    string(APPEND headers _small)
    list(APPEND options cheems_small)
  endif()
  if(NOT TARGET ${headers})
    add_executable(${headers} ${_cheems_empty})
    _cheems_common(${headers})
    target_link_libraries(${headers} PRIVATE ${options})
    target_precompile_headers(${headers} PRIVATE <CLI/CLI.hpp> <nlohmann/json.hpp>)
  endif()
  target_link_libraries(${target} PRIVATE ${options})
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

function(cheems_runtime_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _cheems_common(${name})
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  cheems_compile_together(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  _cheems_precompile_runtime(${name})
endfunction()

function(cheems_compiler_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _cheems_common(${name})
  target_link_libraries(${name} PUBLIC cheems_mlir ${ARG_LINK})
  target_compile_options(${name} PRIVATE -fno-exceptions) # as LLVM is: what unwinds takes time to compile
  cheems_compile_together(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  cheems_precompile_mlir(${name})
endfunction()

function(cheems_tool name)
  cmake_parse_arguments(ARG "SMALL" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _cheems_common(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  cheems_compile_together(${name})
  _cheems_precompile_tool(${name} ${ARG_SMALL})
endfunction()
