// Which ops of the dialect bufferise.
#include "cheems/Dialect/CheemsCPU/Transforms/BufferizableOpInterfaceImpl.h"
#include "cheems/Dialect/Cheems/Transforms/DestinationModel.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"

using namespace mlir;

void cheems::registerCPUBufferizableOpInterfaceModels(
    DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, cheems::cpu::CheemsCPUDialect *) {
        attachToAll<
#define GET_OP_LIST
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUOps.cpp.inc"
            >(context);
      });
}
