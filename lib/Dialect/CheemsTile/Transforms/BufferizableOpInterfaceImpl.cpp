// Launches and quantized matmuls bufferise.
#include "cheems/Dialect/CheemsTile/Transforms/BufferizableOpInterfaceImpl.h"
#include "cheems/Dialect/Cheems/Transforms/DestinationModel.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"

using namespace mlir;

void cheems::registerTileBufferizableOpInterfaceModels(
    DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, cheems::tile::CheemsTileDialect *) {
        cheems::tile::LaunchOp::attachInterface<
            DestinationModel<cheems::tile::LaunchOp>>(*context);
        cheems::tile::QuantizedMatmulOp::attachInterface<
            DestinationModel<cheems::tile::QuantizedMatmulOp>>(*context);
      });
}
