// #cheems.stage<name>
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"

using namespace mlir;

namespace cheems {

Attribute StageAttr::parse(AsmParser &parser, Type) {
  StringRef name;
  if (parser.parseLess() || parser.parseKeyword(&name) ||
      parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), name);
}

void StageAttr::print(AsmPrinter &printer) const {
  printer << '<' << getName() << '>';
}

} // namespace cheems
