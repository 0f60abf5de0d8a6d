// The parameters of compiled kernels.
#include "cheems/Dialect/CheemsTile/IR/KernelABI.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

SmallVector<KernelParameter> tile::parametersOf(TypeRange arguments) {
  using Kind = KernelParameter::Kind;
  SmallVector<KernelParameter> parameters;
  for (auto [number, type] : llvm::enumerate(arguments)) {
    auto argument = unsigned(number);
    auto memory = dyn_cast<MemRefType>(type);
    if (!memory) {
      parameters.push_back({isa<TensorMapType>(type) ? Kind::TensorMap
                            : type.isIndex()         ? Kind::Index
                            : type.isInteger(32)     ? Kind::I32
                                                     : Kind::F32,
                            argument});
      continue;
    }
    parameters.push_back({Kind::Pointer, argument});
    for (int64_t dimension = 0; dimension < memory.getRank(); ++dimension) {
      if (memory.isDynamicDim(unsigned(dimension))) {
        parameters.push_back({Kind::Extent, argument, unsigned(dimension)});
      }
    }
  }
  return parameters;
}
