//===- Multiversion.h - One source, several instruction sets ----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_LANES_MULTIVERSION_H
#define CHEEMS_EMULATOR_LANES_MULTIVERSION_H

/// A file of handlers is compiled once per instruction set of the host
/// (`cheems_emulator_lanes_library` of CMake), each time in a namespace of its
/// own, and Module/Families.cpp takes one of them by CPUID:
///
///     #include ...
///     CHEEMS_LANES_BEGIN
///     namespace { Step handler(...) ... }
///     std::span<const Opcode> negation() { ... }
///     CHEEMS_LANES_END
///
/// A region is compiled for the instruction set; what is included before it is
/// not, so that no inline function of a library gets into other code with
/// instructions that the host may lack.
/// CMake sets CHEEMS_LANES_INSTRUCTION_SET.
#define CHEEMS_LANES_BASELINE 1
#define CHEEMS_LANES_AVX2 2
#define CHEEMS_LANES_AVX512 3
#if !defined(CHEEMS_LANES_INSTRUCTION_SET)
#error "a source of cheems_emulator_lanes_library"
#endif

#define CHEEMS_LANES_STRING(text) #text
#if CHEEMS_LANES_INSTRUCTION_SET == CHEEMS_LANES_BASELINE
#define CHEEMS_LANES_NAMESPACE baseline
#elif CHEEMS_LANES_INSTRUCTION_SET == CHEEMS_LANES_AVX2
#define CHEEMS_LANES_NAMESPACE avx2
#define CHEEMS_LANES_TARGET "avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"
#elif CHEEMS_LANES_INSTRUCTION_SET == CHEEMS_LANES_AVX512
#define CHEEMS_LANES_NAMESPACE avx512
#define CHEEMS_LANES_TARGET                                                    \
  "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c,bmi,bmi2,lzcnt,"  \
  "popcnt,prefer-256-bit"
#endif

#if !defined(CHEEMS_LANES_TARGET)
#define CHEEMS_LANES_BEGIN namespace cheems::emulator::baseline {
#define CHEEMS_LANES_END }
#elif defined(__clang__)
#define CHEEMS_LANES_BEGIN                                                     \
  _Pragma(CHEEMS_LANES_STRING(clang attribute push(                            \
      __attribute__((target(CHEEMS_LANES_TARGET))),                            \
      apply_to =                                                               \
          function))) namespace cheems::emulator::CHEEMS_LANES_NAMESPACE {
#define CHEEMS_LANES_END                                                       \
  }                                                                            \
  _Pragma("clang attribute pop")
#else
#error "GCC 12 takes no target of a _Pragma in a macro: BASELINE, or clang"
#endif

#endif
