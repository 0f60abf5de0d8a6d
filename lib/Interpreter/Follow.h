// Runs a step so that it chooses what another computation of it chose.
#ifndef CHEEMS_LIB_INTERPRETER_FOLLOW_H
#define CHEEMS_LIB_INTERPRETER_FOLLOW_H

#include "cheems/Interpreter/Choices.h"
#include "mlir/Support/LLVM.h"
#include <functional>

namespace cheems::interpreter {

/// Logits [T, V] of a run with these choices.
using LogitsOf = std::function<mlir::FailureOr<Tensor>(Choices &)>;

struct Followed {
  const Tensor &logits; ///< of the other computation, of all rows
  double within;        ///< what a row may differ by, in the mean square and in
                        ///< deviations of the logits
  double reach;         ///< what a choice may lose
};

/// Logits show what was chosen: where a row differs by more, the choices that
/// lose little are tried one by one, for all such rows at once, and those that
/// bring a row nearer are taken. Whether rows agree in the end is the caller's
/// to check. Returns what is to be given.
mlir::FailureOr<std::map<std::string, Tensor>> follow(const Followed &followed,
                                                      const LogitsOf &run);

} // namespace cheems::interpreter

#endif
