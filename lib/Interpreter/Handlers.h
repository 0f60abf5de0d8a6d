// What each type of op does: a table that each family of ops adds its own to.
#ifndef CHEEMS_LIB_INTERPRETER_HANDLERS_H
#define CHEEMS_LIB_INTERPRETER_HANDLERS_H

#include "Frame.h"

namespace cheems::interpreter {

class Handlers {
public:
  struct Handler {
    std::function<void(mlir::Operation *, Frame &)> run;
    bool ends = false; ///< a terminator, which hands on its operands
  };

  Handlers();

  template <typename OpTy>
  void add(std::function<void(OpTy, Frame &)> handler) {
    table[mlir::TypeID::get<OpTy>()].run =
        [handler = std::move(handler)](mlir::Operation *op, Frame &f) {
          handler(mlir::cast<OpTy>(op), f);
        };
  }
  template <typename OpTy> void addTerminator() {
    table[mlir::TypeID::get<OpTy>()].ends = true;
  }

  /// Null for an op that nothing is known of.
  const Handler *find(mlir::Operation *op) const {
    auto found = table.find(op->getName().getTypeID());
    return found == table.end() ? nullptr : &found->second;
  }

private:
  llvm::DenseMap<mlir::TypeID, Handler> table;
};

void addAffine(Handlers &handlers);
void addAppend(Handlers &handlers);
void addArith(Handlers &handlers);
void addAttention(Handlers &handlers);
void addColumnEpilogue(Handlers &handlers);
void addControl(Handlers &handlers);
void addEntry(Handlers &handlers);
void addExperts(Handlers &handlers);
void addIntegers(Handlers &handlers);
void addKeep(Handlers &handlers);
void addLinalg(Handlers &handlers);
void addLinear(Handlers &handlers);
void addMask(Handlers &handlers);
void addMath(Handlers &handlers);
void addMergeAttention(Handlers &handlers);
void addNorm(Handlers &handlers);
void addOnlineAttention(Handlers &handlers);
void addParameters(Handlers &handlers);
void addProfile(Handlers &handlers);
void addRotary(Handlers &handlers);
void addSSD(Handlers &handlers);
void addSampling(Handlers &handlers);
void addSegmentedAttention(Handlers &handlers);
void addSegmentedSSD(Handlers &handlers);
void addSegments(Handlers &handlers);
void addSlices(Handlers &handlers);
void addTensors(Handlers &handlers);
void addTileChoice(Handlers &handlers);
void addTileQuantizedMatmul(Handlers &handlers);
void addTileCompute(Handlers &handlers);
void addTileFetch(Handlers &handlers);
void addTileGroup(Handlers &handlers);
void addTileKernel(Handlers &handlers);
void addTileMemory(Handlers &handlers);
void addTileRing(Handlers &handlers);
void addTileWarpgroup(Handlers &handlers);

} // namespace cheems::interpreter

#endif
