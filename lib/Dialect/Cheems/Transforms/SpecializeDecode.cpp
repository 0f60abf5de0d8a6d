// cheems-specialize-decode: a second step whose segments have one row each.
#include "cheems/Dialect/Cheems/Transforms/Passes.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_SPECIALIZEDECODEPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;

namespace {
struct SpecializeDecode
    : cheems::impl::SpecializeDecodePassBase<SpecializeDecode> {
  llvm::DenseMap<Operation *, bool> segmented;

  /// Whether the function works on segments, itself or in what it calls.
  bool isSegmented(func::FuncOp function) {
    auto [known, unknown] = segmented.try_emplace(function, false);
    if (!unknown) {
      return known->second;
    }
    bool found = false;
    function.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op)) {
        func::FuncOp callee = calleeOf(call);
        found |= callee && isSegmented(callee);
      }
      found |= isa<cheems::SegmentedOpInterface>(op);
    });
    return segmented[function] = found;
  }

  static func::FuncOp calleeOf(func::CallOp call) {
    return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
  }

  static std::string decodeName(StringRef name) {
    return (name + "_decode").str();
  }

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (isSegmented(function)) {
        functions.push_back(function);
      }
    }
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : functions) {
      if (symbols.lookup(decodeName(function.getName()))) {
        function.emitOpError("has a copy already: @")
            << decodeName(function.getName());
        return signalPassFailure();
      }
    }
    for (func::FuncOp function : functions) {
      auto copy = cast<func::FuncOp>(function->clone());
      copy.setName(decodeName(function.getName()));
      copy->setAttr("cheems.decode", UnitAttr::get(&getContext()));
      copy.walk([&](Operation *op) {
        if (auto segments = dyn_cast<cheems::SegmentedOpInterface>(op)) {
          segments.setOneRow(true);
        }
      });
      symbols.insert(copy);
    }
    for (func::FuncOp function : functions) {
      auto copy = symbols.lookup<func::FuncOp>(decodeName(function.getName()));
      copy.walk([&](func::CallOp call) {
        func::FuncOp callee = calleeOf(call);
        if (callee && isSegmented(callee)) {
          call.setCallee(decodeName(call.getCallee()));
        }
      });
    }
  }
};
} // namespace
