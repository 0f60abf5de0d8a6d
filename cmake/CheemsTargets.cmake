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

# Under sanitizers optimising a library takes longer than its tests then save, unless much of their time is its own: these hash,
# parse, or walk texts.
set(_cheems_optimised CheemsArtifact CheemsChatTemplate CheemsGeneration CheemsGrammar CheemsJson CheemsSampler CheemsState CheemsTokenizer)
function(_cheems_precompile_runtime target)
  set(headers cheems_runtime_headers)
  set(options cheems_coverage)
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

# Another two serve the libraries of the emulator: those for the host's lanes are compiled with other rules of arithmetic.
function(_cheems_precompile_emulator target suffix)
  set(headers cheems_emulator_${suffix})
  if(NOT TARGET ${headers})
    add_library(${headers} OBJECT ${_cheems_empty})
    _cheems_common(${headers})
    target_compile_features(${headers} PRIVATE cxx_std_20)
    target_compile_options(${headers} PRIVATE ${ARGN})
    target_link_libraries(${headers} PRIVATE cheems_coverage)
    set_target_properties(${headers} PROPERTIES CXX_VISIBILITY_PRESET hidden)
    target_precompile_headers(${headers} PRIVATE <algorithm> <array> <bit> <cmath> <cstdint> <cstring> <deque> <functional> <map>
      <memory> <mutex> <optional> <set> <span> <stdexcept> <string> <string_view> <tuple> <unordered_map> <variant> <vector>
      <cheems/Emulator/Decode/Instruction.h> <cheems/Emulator/Machine/Warp.h> <cheems/Emulator/PTX/Syntax.h>)
  endif()
  target_compile_options(${target} PRIVATE ${ARGN})
  target_precompile_headers(${target} REUSE_FROM ${headers})
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
# does are compiled alone, and so are those with options of their own. CMake's own unity builds write absolute paths into what they
# compile, which no cache of another folder can serve; these include paths below the source folder.
function(cheems_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES CHEEMS_ALONE ON)
endfunction()

# cheems_compile_together(TARGET): at the end of the folder, when all is known of its sources
function(cheems_compile_together target)
  if(CHEEMS_UNITY_BUILD)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL _cheems_unite ${target})")
  endif()
endfunction()

set(_cheems_most_together 32)
function(_cheems_unite target)
  get_target_property(sources ${target} SOURCES)
  set(alone)
  set(together)
  foreach(source IN LISTS sources)
    get_source_file_property(is_alone ${source} CHEEMS_ALONE)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(is_alone OR options OR NOT source MATCHES "\\.cpp$")
      list(APPEND alone ${source})
    else()
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
      list(APPEND together ${source})
    endif()
  endforeach()
  # in groups of equal size
  list(LENGTH together count)
  math(EXPR groups "(${count} + ${_cheems_most_together} - 1) / ${_cheems_most_together}")
  set(number 0)
  while(number LESS groups)
    math(EXPR size "(${count} - 1 - ${number}) / ${groups} + 1")
    list(SUBLIST together 0 ${size} group)
    list(REMOVE_ITEM together ${group})
    list(TRANSFORM group REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN group "" text)
    set(united ${CMAKE_CURRENT_BINARY_DIR}/${target}_together_${number}.cpp)
    file(CONFIGURE OUTPUT ${united} CONTENT "// What CHEEMS_UNITY_BUILD compiles together.\n${text}" @ONLY)
    list(APPEND alone ${united})
    math(EXPR number "${number} + 1")
  endwhile()
  set_property(TARGET ${target} PROPERTY SOURCES ${alone})
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

# Links into no other part, so it may be of a newer C++.
function(_cheems_emulator_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _cheems_common(${name})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PRIVATE cheems_coverage)
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  cheems_compile_together(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

function(cheems_emulator_library name)
  _cheems_emulator_library(${name} ${ARGN})
  _cheems_precompile_emulator(${name} headers)
endfunction()

# Loops over the lanes of a warp, once per instruction set; CPUID chooses (Lanes/Multiversion.h). A developer's build may
# have one alone, and hosts without AVX2 need one with BASELINE. Products and sums are fused where the text says so and nowhere else.
set(CHEEMS_EMULATOR_INSTRUCTION_SETS "AVX2;AVX512" CACHE STRING
  "Instruction sets that the emulator's loops are compiled for, of BASELINE, AVX2 and AVX512")
function(cheems_emulator_lanes_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} INTERFACE)
  foreach(set IN LISTS CHEEMS_EMULATOR_INSTRUCTION_SETS)
    _cheems_emulator_library(${name}${set} ${ARG_UNPARSED_ARGUMENTS} LINK ${ARG_LINK})
    _cheems_precompile_emulator(${name}${set} lanes_headers -ffp-contract=off -fno-math-errno $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
    target_compile_definitions(${name}${set} PRIVATE CHEEMS_LANES_INSTRUCTION_SET=CHEEMS_LANES_${set})
    target_compile_definitions(${name} INTERFACE CHEEMS_HAS_LANES_${set})
    target_link_libraries(${name} INTERFACE ${name}${set})
  endforeach()
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
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _cheems_common(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} cheems_tool_options)
  cheems_compile_together(${name})
  _cheems_precompile_tool(${name})
endfunction()
