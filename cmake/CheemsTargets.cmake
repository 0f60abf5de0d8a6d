# One library or tool per folder.
#
#   cheems_runtime_library(NAME sources... [LINK libraries...])    no MLIR
#   cheems_emulator_library(NAME sources... [LINK libraries...])   C++20, neither MLIR nor CUDA
#   cheems_emulator_lanes_library(NAME sources... [LINK libraries...])   each source once per instruction set of the host
#   cheems_compiler_library(NAME sources... [LINK libraries...] [DEPENDS targets...])
#   cheems_tool(NAME sources... [LINK libraries...])
#   cheems_compile_alone(sources...)

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

function(_cheems_precompile_runtime target)
  if(NOT TARGET cheems_runtime_headers)
    add_library(cheems_runtime_headers OBJECT ${_cheems_empty})
    _cheems_common(cheems_runtime_headers)
    target_link_libraries(cheems_runtime_headers PRIVATE cheems_coverage)
    set_target_properties(cheems_runtime_headers PROPERTIES CXX_VISIBILITY_PRESET hidden)
    target_precompile_headers(cheems_runtime_headers PRIVATE <algorithm> <filesystem> <functional> <map> <memory> <optional>
      <sstream> <string> <vector> <nlohmann/json.hpp>)
  endif()
  target_precompile_headers(${target} REUSE_FROM cheems_runtime_headers)
endfunction()

function(_cheems_precompile_tool target)
  if(NOT TARGET cheems_tool_headers)
    add_executable(cheems_tool_headers ${_cheems_empty})
    _cheems_common(cheems_tool_headers)
    target_link_libraries(cheems_tool_headers PRIVATE cheems_tool_options)
    target_precompile_headers(cheems_tool_headers PRIVATE <CLI/CLI.hpp> <nlohmann/json.hpp>)
  endif()
  target_precompile_headers(${target} REUSE_FROM cheems_tool_headers)
endfunction()

# With CHEEMS_UNITY_BUILD sources of a library, a tool or a test program are compiled together, which halves their time in a
# whole build and lengthens that of a change. Those that name a constant or a helper as another of their library
# does are compiled alone.
function(cheems_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

function(cheems_runtime_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _cheems_common(${name})
  target_link_libraries(${name} PRIVATE cheems_coverage)
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden UNITY_BUILD ${CHEEMS_UNITY_BUILD})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  _cheems_precompile_runtime(${name})
endfunction()

# Links into no other part, so it may be of a newer C++.
function(cheems_emulator_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _cheems_common(${name})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PRIVATE cheems_coverage)
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden UNITY_BUILD ${CHEEMS_UNITY_BUILD})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# Loops over the lanes of a warp, once per instruction set; CPUID chooses (Lanes/Multiversion.h). A developer's build may
# have one alone. Products and sums are fused where the text says so and nowhere else.
set(CHEEMS_EMULATOR_INSTRUCTION_SETS "BASELINE;AVX2;AVX512" CACHE STRING "Instruction sets that the emulator's loops are compiled for")
function(cheems_emulator_lanes_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} INTERFACE)
  foreach(set IN LISTS CHEEMS_EMULATOR_INSTRUCTION_SETS)
    cheems_emulator_library(${name}${set} ${ARG_UNPARSED_ARGUMENTS} LINK ${ARG_LINK})
    target_compile_definitions(${name}${set} PRIVATE CHEEMS_LANES_INSTRUCTION_SET=CHEEMS_LANES_${set})
    target_compile_options(${name}${set} PRIVATE -ffp-contract=off -fno-math-errno $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
    target_compile_definitions(${name} INTERFACE CHEEMS_HAS_LANES_${set})
    target_link_libraries(${name} INTERFACE ${name}${set})
  endforeach()
endfunction()

function(cheems_compiler_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _cheems_common(${name})
  target_link_libraries(${name} PUBLIC cheems_mlir ${ARG_LINK})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${CHEEMS_UNITY_BUILD})
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
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${CHEEMS_UNITY_BUILD})
  _cheems_precompile_tool(${name})
endfunction()
