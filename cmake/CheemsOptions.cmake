# Compiler flags shared by every target, also by those of the emulator, which is a project of its own.
add_library(cheems_options INTERFACE)
target_compile_options(cheems_options INTERFACE -Wall -Wextra -Wno-unused-parameter)
if(CHEEMS_SANITIZE)
  target_compile_options(cheems_options INTERFACE -fsanitize=${CHEEMS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(cheems_options INTERFACE -fsanitize=${CHEEMS_SANITIZE})
  # Instrumented loops are not vectorized, whatever asks for it.
  target_compile_options(cheems_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
endif()
if(CHEEMS_SANITIZE MATCHES "address")
  # compiled models carry its checks too, and their memory redzones
  target_compile_definitions(cheems_options INTERFACE CHEEMS_ADDRESS_SANITIZER)
endif()
# What fuzz targets look into has coverage, a fourth of the time of compiling it. As an option of its own, and not as
# -fsanitize=fuzzer-no-link, it leaves precompiled headers usable.
add_library(cheems_coverage INTERFACE)
if(CHEEMS_BUILD_FUZZERS)
  target_compile_options(cheems_coverage INTERFACE -fsanitize-coverage=inline-8bit-counters,pc-table,indirect-calls,trace-cmp)
endif()
# Each function is a section of its own: so the linker leaves out those that a program does not call, though sources are compiled
# together, and merges equal ones (docs/performance.md#the-size-of-cheems-run).
add_library(cheems_sections INTERFACE)
if(NOT CHEEMS_SANITIZE)
  target_compile_options(cheems_sections INTERFACE -ffunction-sections -fdata-sections)
endif()
# What runs once for a command, as reading options and opening files, is compiled for size. Sanitizers bring options of their own.
add_library(cheems_small INTERFACE)
target_compile_options(cheems_small INTERFACE $<$<CONFIG:Release>:-Os>)
# The code of tests and of mains runs for a short time only. Optimising it takes longer than it saves. So does AddressSanitizer's
# analysis of which accesses to the stack need no check, and so do line numbers for traces.
add_library(cheems_unoptimised INTERFACE)
target_compile_options(cheems_unoptimised INTERFACE -O0)
if(CHEEMS_SANITIZE)
  target_compile_options(cheems_unoptimised INTERFACE -g0)
endif()
if(CHEEMS_SANITIZE MATCHES "address")
  target_compile_options(cheems_unoptimised INTERFACE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-mllvm -asan-use-stack-safety=0>")
endif()
add_library(cheems_test_options INTERFACE)
target_link_libraries(cheems_test_options INTERFACE cheems_unoptimised)
add_library(cheems_tool_options INTERFACE)
if(CHEEMS_SANITIZE)
  target_link_libraries(cheems_tool_options INTERFACE cheems_unoptimised)
endif()
# Objects know no absolute path, so the compiler's cache serves a clone in any folder (compile.sh). ccache refuses precompiled
# headers that carry a time.
find_program(CHEEMS_CCACHE ccache)
if(CHEEMS_CCACHE)
  cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH clone)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/compile.sh ${clone})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
