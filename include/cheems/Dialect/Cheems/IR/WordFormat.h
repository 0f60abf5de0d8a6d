// An enumerator in an op's text as a word, with one space before it: the
// directive custom<Word>. Its attribute's own printer adds a second space.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_WORDFORMAT_H
#define CHEEMS_DIALECT_CHEEMS_IR_WORDFORMAT_H

#include "cheems/Support/MLIR.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

namespace cheems {

template <typename AttrT>
ParseResult parseWord(OpAsmParser &parser, AttrT &attribute) {
  using Enum = decltype(attribute.getValue());
  FailureOr<Enum> value = FieldParser<Enum>::parse(parser);
  if (failed(value)) {
    return failure();
  }
  attribute = AttrT::get(parser.getContext(), *value);
  return success();
}

template <typename AttrT>
void printWord(OpAsmPrinter &printer, Operation *, AttrT attribute) {
  printer << stringifyEnum(attribute.getValue());
}

} // namespace cheems

#endif
