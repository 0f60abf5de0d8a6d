// Extents by the letters of an op's specification.
#ifndef CHEEMS_LIB_INTERPRETER_LETTERS_H
#define CHEEMS_LIB_INTERPRETER_LETTERS_H

#include "Elements.h"
#include "Frame.h"

namespace cheems::interpreter {

/// Looks at operands in turn: a letter is what the first operand with it has,
/// and must be that of the others. What is static, verifiers have checked.
class Letters {
public:
  explicit Letters(Frame &f) : f(f) {}

  /// An operand's extents, a letter each; one that is not given has none.
  Letters &operator()(llvm::StringRef letters, mlir::Value operand) {
    if (!operand || f.failed()) {
      return *this;
    }
    llvm::ArrayRef<int64_t> shape = f.tensor(operand).shape;
    for (auto [letter, extent] : llvm::zip(letters, shape)) {
      auto [known, isNew] = extents.try_emplace(letter, extent);
      if (!isNew && known->second != extent) {
        f.fail() << "takes an operand of shape " << shapeText(shape) << " as ["
                 << letters << "], but " << llvm::StringRef(&letter, 1)
                 << " is " << known->second;
        break;
      }
    }
    return *this;
  }
  int64_t operator[](char letter) const { return extents.lookup(letter); }

private:
  Frame &f;
  llvm::SmallDenseMap<char, int64_t, 8> extents;
};

} // namespace cheems::interpreter

#endif
