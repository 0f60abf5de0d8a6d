//===- TensorMapEntries.cpp -----------------------------------------------===//
#include "AsyncCopy/TensorMap.h"

#include "Functions.h"
#include "Process.h"

namespace cheems::emulator::driver {
namespace {

void answer(const char *function, const TensorMapCheck &check) {
  if (check) {
    return;
  }
  note(std::string(function) + ": " + check.reason);
  fail(check.kind == TensorMapCheck::Kind::notModelled
           ? CUDA_ERROR_NOT_SUPPORTED
           : CUDA_ERROR_INVALID_VALUE);
}

} // namespace

CUresult cuTensorMapEncodeTiled(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
    cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim,
    const cuuint64_t *globalStrides, const cuuint32_t *boxDim,
    const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill) {
  return call([&] {
    require(process().options->architecture >= 90, CUDA_ERROR_NOT_SUPPORTED);
    require(tensorMap && globalDim && boxDim && elementStrides);
    require(globalStrides || tensorRank == 1);
    TiledArguments arguments;
    arguments.dataType = tensorDataType;
    arguments.rank = tensorRank;
    arguments.globalAddress = reinterpret_cast<uint64_t>(globalAddress);
    arguments.globalDim = globalDim;
    arguments.globalStrides = globalStrides;
    arguments.boxDim = boxDim;
    arguments.elementStrides = elementStrides;
    arguments.interleave = interleave;
    arguments.swizzle = swizzle;
    arguments.l2Promotion = l2Promotion;
    arguments.oobFill = oobFill;
    answer("cuTensorMapEncodeTiled", encodeTiled(tensorMap, arguments));
  });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *tensorMap,
                                   void *globalAddress) {
  return call([&] {
    require(process().options->architecture >= 90, CUDA_ERROR_NOT_SUPPORTED);
    require(tensorMap);
    answer(
        "cuTensorMapReplaceAddress",
        replaceAddress(tensorMap, reinterpret_cast<uint64_t>(globalAddress)));
  });
}

} // namespace cheems::emulator::driver
