# The installed MLIR 22.1: one shared libMLIR and libLLVM, never the static archives beside them
# (mixing the two registers every option and TypeID twice).
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
find_package(LLD REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/lld)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(LLVM_LINK_LLVM_DYLIB ON)
set(MLIR_LINK_MLIR_DYLIB ON)
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(cheems_mlir INTERFACE)
target_include_directories(cheems_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(_definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_options(cheems_mlir INTERFACE ${_definitions})
target_link_libraries(cheems_mlir INTERFACE MLIR LLVM)

# A compile allocates millions of small objects. With tcmalloc it takes about a sixth less CPU time than with libc's allocator
# (docs/experiments/compile-time.md). Sanitizers bring an allocator of their own.
find_library(CHEEMS_TCMALLOC tcmalloc_minimal)
if(CHEEMS_TCMALLOC AND NOT CHEEMS_SANITIZE)
  target_link_libraries(cheems_mlir INTERFACE ${CHEEMS_TCMALLOC})
elseif(NOT CHEEMS_TCMALLOC)
  message(STATUS "No tcmalloc (libgoogle-perftools-dev): compiling a model will take about a fifth more time")
endif()

# Parsing MLIR's headers is most of a compile: one precompiled header serves every compiler library, another one the tests.
set(CHEEMS_MLIR_HEADERS
  <cheems/Dialect/Cheems/IR/CheemsDialect.h> <mlir/Conversion/LLVMCommon/TypeConverter.h> <mlir/Dialect/Affine/IR/AffineOps.h>
  <mlir/Dialect/AMX/AMXDialect.h> <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Bufferization/IR/Bufferization.h>
  <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/Dialect/X86Vector/X86VectorDialect.h> <mlir/IR/Builders.h> <mlir/IR/IRMapping.h>
  <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h>)
# What only libraries include, those for GPUs above all.
set(CHEEMS_MLIR_LIBRARY_HEADERS
  <mlir/Dialect/GPU/IR/GPUDialect.h> <mlir/Dialect/LLVMIR/NVVMDialect.h> <mlir/Transforms/DialectConversion.h>
  <mlir/Transforms/Passes.h>)
function(cheems_precompile_mlir target)
  if(target STREQUAL CheemsIR)
    target_precompile_headers(${target} PRIVATE ${CHEEMS_MLIR_HEADERS} ${CHEEMS_MLIR_LIBRARY_HEADERS})
  else()
    target_precompile_headers(${target} REUSE_FROM CheemsIR)
  endif()
endfunction()
