// Calls of functions, and the table of all ops.
#include "cheems/Interpreter/Interpreter.h"
#include "Elements.h"
#include "Handlers.h"
#include "llvm/ADT/ScopeExit.h"
#include <cstring>

namespace cheems::interpreter {
using namespace mlir;

/// A quiet NaN with digits of its own.
static constexpr uint64_t kUninitialised = 0x7ff8cee350aded00;

double uninitialised() {
  double value;
  std::memcpy(&value, &kUninitialised, sizeof value);
  return value;
}

bool isUninitialised(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits == kUninitialised;
}

Tensor emptyTensor(ArrayRef<int64_t> shape) {
  return Tensor(shape, std::vector<double>(elementsOf(shape), uninitialised()));
}

Handlers::Handlers() {
  addAffine(*this);
  addAppend(*this);
  addArith(*this);
  addAttention(*this);
  addColumnEpilogue(*this);
  addControl(*this);
  addEntry(*this);
  addExperts(*this);
  addIntegers(*this);
  addKeep(*this);
  addLinalg(*this);
  addLinear(*this);
  addMask(*this);
  addMath(*this);
  addMergeAttention(*this);
  addNorm(*this);
  addOnlineAttention(*this);
  addParameters(*this);
  addProfile(*this);
  addRotary(*this);
  addSSD(*this);
  addSampling(*this);
  addSegmentedAttention(*this);
  addSegmentedSSD(*this);
  addSegments(*this);
  addSlices(*this);
  addTensors(*this);
  addTileChoice(*this);
  addTileQuantizedMatmul(*this);
  addTileCompute(*this);
  addTileFetch(*this);
  addTileGroup(*this);
  addTileKernel(*this);
  addTileMemory(*this);
  addTileRing(*this);
  addTileWarpgroup(*this);
}

Interpreter::Interpreter(ModuleOp module, StoredWeights weights)
    : module(module), weights(std::move(weights)),
      handlers(std::make_unique<Handlers>()) {}

Interpreter::~Interpreter() = default;

/// An error without the function's text after it.
static InFlightDiagnostic refuse(func::FuncOp function) {
  return emitError(function.getLoc()) << "@" << function.getName() << " ";
}

FailureOr<SmallVector<RuntimeValue>>
Interpreter::call(func::FuncOp function, ArrayRef<RuntimeValue> arguments) {
  constexpr int64_t kDeepest = 200; // what a thread's stack has room for
  if (function.isExternal()) {
    return refuse(function) << "has no body to interpret";
  }
  if (!llvm::hasSingleElement(function.getBody())) {
    return refuse(function) << "has several blocks, and cannot be interpreted: "
                               "run it before its branches are lowered";
  }
  if (depth >= kDeepest) {
    return refuse(function) << "is called " << kDeepest
                            << " calls deep: it seems to call itself forever";
  }
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  Frame frame(*this, function);
  SmallVector<RuntimeValue> results = frame.run(function.front(), arguments);
  if (frame.failed()) {
    return failure();
  }
  return results;
}

} // namespace cheems::interpreter
