// Python's numbers: int, of any size, and float.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_ARITHMETIC_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_ARITHMETIC_H

#include "runtime/ChatTemplate/Ast.h"

namespace cheems::jinja {

/// Both are numbers. Fails where Python raises.
Value applyArithmetic(Context &context, BinaryOperator kind, const Value &left,
                      const Value &right);
/// Negative, zero or positive; exact between int and float, too. Zero where one
/// is NaN.
int compareNumbers(const Value &left, const Value &right);
bool isNan(const Value &value);

} // namespace cheems::jinja

#endif
