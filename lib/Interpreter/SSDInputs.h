// What all ops of state-space duality take.
#ifndef CHEEMS_LIB_INTERPRETER_SSDINPUTS_H
#define CHEEMS_LIB_INTERPRETER_SSDINPUTS_H

#include "Frame.h"
#include "Letters.h"
#include "cheems/Reference/SSD.h"

namespace cheems::interpreter {

template <typename OpTy> reference::SSDInputs inputsOf(OpTy op, Frame &f) {
  Letters n(f);
  n("THP", op.getX())("TH", op.getStep())("H", op.getA())("TGN", op.getB());
  n("TGN", op.getC())("H", op.getSkip())("THP", op.getY());
  reference::SSDInputs inputs{f.read(op.getX()), f.read(op.getStep()),
                              f.read(op.getA()), f.read(op.getB()),
                              f.read(op.getC()), std::nullopt};
  if (op.getSkip()) {
    inputs.skip = f.read(op.getSkip());
  }
  return inputs;
}

} // namespace cheems::interpreter

#endif
