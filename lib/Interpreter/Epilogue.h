// Epilogues of linear and column_epilogue.
#ifndef CHEEMS_LIB_INTERPRETER_EPILOGUE_H
#define CHEEMS_LIB_INTERPRETER_EPILOGUE_H

#include "Frame.h"
#include "cheems/Support/MLIR.h"

namespace cheems::interpreter {

/// What an epilogue makes of its arguments.
inline double applied(Region &epilogue, ArrayRef<double> first,
                      ArrayRef<double> second, Frame &f) {
  SmallVector<RuntimeValue> arguments;
  for (ArrayRef<double> part : {first, second}) {
    arguments.append(part.begin(), part.end());
  }
  SmallVector<RuntimeValue> result = f.run(epilogue.front(), arguments);
  return f.failed() ? 0 : result.front().asReal();
}

} // namespace cheems::interpreter

#endif
