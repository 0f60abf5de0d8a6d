// Which ops of the dialect bufferise.
#include "cheems/Dialect/Cheems/Transforms/DestinationModel.h"
#include "cheems/Dialect/Cheems/Transforms/Passes.h"

using namespace mlir;

void cheems::registerBufferizableOpInterfaceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, cheems::CheemsDialect *) {
    attachToAll<
#define GET_OP_LIST
#include "cheems/Dialect/Cheems/IR/CheemsOps.cpp.inc"
        >(context);
  });
}
