// Multiplies tiles, and stages of buffers.
#ifndef CHEEMS_LIB_INTERPRETER_TILEMATMUL_H
#define CHEEMS_LIB_INTERPRETER_TILEMATMUL_H

#include "Frame.h"
#include "Memory.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Support/MLIR.h"

namespace cheems::interpreter {

/// result[m, n] = c[m, n] + sum_k a[m, k] * b[n, k]
Tensor product(const Tensor &a, const Tensor &b, Tensor c);

/// A stage of a buffer, all of which is written.
std::optional<Tensor> stageOf(Value buffer, int64_t s, Frame &f);

/// The results of matmuls of warpgroups are there at once: here nothing runs
/// asynchronously.
template <typename OpTy> void multiplyStages(OpTy op, Frame &f) {
  auto a = stageOf(op.getA(), f.integer(op.getStageA()), f);
  auto b = a ? stageOf(op.getB(), f.integer(op.getStageB()), f) : std::nullopt;
  const Tensor &c = f.read(op.getC());
  if (!f.failed()) {
    f.set(op.getResult(), product(*a, *b, c));
  }
}

} // namespace cheems::interpreter

#endif
