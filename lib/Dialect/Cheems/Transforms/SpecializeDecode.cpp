// cheems-specialize-decode: a second step whose segments have one row each.
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "cheems/Dialect/Cheems/Utils/StepFields.h"
#include "llvm/ADT/DenseSet.h"

namespace cheems {
#define GEN_PASS_DEF_SPECIALIZEDECODEPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

namespace {
struct SpecializeDecode
    : cheems::impl::SpecializeDecodePassBase<SpecializeDecode> {
  using SpecializeDecodePassBase::SpecializeDecodePassBase;

  /// Functions that work on segments, themselves or in what they call.
  static llvm::DenseSet<func::FuncOp> segmentedFunctions(ModuleOp module) {
    llvm::DenseSet<func::FuncOp> found;
    auto isSegmented = [&](func::FuncOp function) {
      return function
          .walk([&](Operation *op) {
            auto call = dyn_cast<func::CallOp>(op);
            bool here = isa<cheems::SegmentedOpInterface>(op) ||
                        (call && found.contains(calleeOf(call)));
            return here ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
    };
    // Callers come to know what they call, until nothing is new.
    size_t before;
    do {
      before = found.size();
      for (auto function : module.getOps<func::FuncOp>()) {
        if (!found.contains(function) && isSegmented(function)) {
          found.insert(function);
        }
      }
    } while (found.size() != before);
    return found;
  }

  /// Adds all functions that those call.
  static void addCallees(llvm::DenseSet<func::FuncOp> &functions) {
    SmallVector<func::FuncOp> left(functions.begin(), functions.end());
    while (!left.empty()) {
      left.pop_back_val().walk([&](func::CallOp call) {
        func::FuncOp callee = calleeOf(call);
        if (callee && !callee.isDeclaration() &&
            functions.insert(callee).second) {
          left.push_back(callee);
        }
      });
    }
  }

  static func::FuncOp calleeOf(func::CallOp call) {
    return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
  }

  /// The calls that write them.
  static SmallVector<func::CallOp> embeddingCalls(func::FuncOp function) {
    SmallVector<func::CallOp> calls;
    Value embeddings = argumentOf(function, StepField::Embeddings);
    function.walk([&](func::CallOp call) {
      if (embeddings && llvm::is_contained(call.getOperands(), embeddings)) {
        calls.push_back(call);
      }
    });
    return calls;
  }

  /// What a call gives is what it writes, and nothing else.
  static LogicalResult verifyEmbeddings(func::FuncOp function) {
    for (func::CallOp call : embeddingCalls(function)) {
      if (call.getNumResults() != 1 ||
          call.getResult(0).getType() !=
              argumentOf(function, StepField::Embeddings).getType()) {
        return call.emitOpError("takes embeddings, so it has one result of "
                                "their type");
      }
    }
    return success();
  }

  /// A step that decodes gives no embeddings: what is written of them stays as
  /// it is.
  static void dropEmbeddings(func::FuncOp function) {
    for (func::CallOp call : embeddingCalls(function)) {
      call.getResult(0).replaceAllUsesWith(
          argumentOf(function, StepField::Embeddings));
      call.erase();
    }
  }

  static std::string decodeName(StringRef name) {
    return (name + "_decode").str();
  }

  void runOnOperation() override {
    if (mostRows < 1) {
      getOperation().emitOpError("needs the option most-rows, of at least 1, "
                                 "not ")
          << mostRows.getValue();
      return signalPassFailure();
    }
    SymbolTable symbols(getOperation());
    llvm::DenseSet<func::FuncOp> copied = segmentedFunctions(getOperation());
    if (callees) {
      addCallees(copied);
    }
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    llvm::erase_if(functions, [&](func::FuncOp function) {
      return !copied.contains(function);
    });
    for (func::FuncOp function : functions) {
      if (symbols.lookup(decodeName(function.getName()))) {
        function.emitOpError("has a copy already: @")
            << decodeName(function.getName());
        return signalPassFailure();
      }
      if (failed(verifyEmbeddings(function))) {
        return signalPassFailure();
      }
    }
    for (func::FuncOp function : functions) {
      auto copy = cast<func::FuncOp>(function->clone());
      copy.setName(decodeName(function.getName()));
      copy->setAttr(kMostRows,
                    Builder(&getContext()).getI64IntegerAttr(mostRows));
      copy.walk([&](Operation *op) {
        if (auto segments = dyn_cast<cheems::SegmentedOpInterface>(op)) {
          segments.setOneRow(true);
        }
        auto call = dyn_cast<func::CallOp>(op);
        // the copy is no symbol yet: callees are those of the function
        if (call &&
            copied.contains(symbols.lookup<func::FuncOp>(call.getCallee()))) {
          call.setCallee(decodeName(call.getCallee()));
        }
      });
      symbols.insert(copy); // after all that are there
      dropEmbeddings(copy);
    }
  }
};
} // namespace
