// Registers dialects, passes and pipelines for the tools.
#include "cheems/Pipelines/Registration.h"
#include "cheems/Conversion/CPUToLLVM/Passes.h"
#include "cheems/Conversion/CPUToVector/Passes.h"
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "cheems/Conversion/TileToNVVM/Passes.h"
#include "cheems/Conversion/TileToPlan/Passes.h"
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Dialect/CheemsCPU/Transforms/BufferizableOpInterfaceImpl.h"
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanDialect.h"
#include "cheems/Dialect/CheemsPlan/Transforms/Passes.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Dialect/CheemsTile/Transforms/BufferizableOpInterfaceImpl.h"
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h"
#include "cheems/Pipelines/CUDAPipelines.h"
#include "cheems/Pipelines/Pipelines.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

void cheems::registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<cheems::CheemsDialect, cheems::cpu::CheemsCPUDialect,
                  cheems::tile::CheemsTileDialect,
                  cheems::plan::CheemsPlanDialect>();
  cheems::registerBufferizableOpInterfaceModels(registry);
  cheems::registerCPUBufferizableOpInterfaceModels(registry);
  cheems::registerTileBufferizableOpInterfaceModels(registry);
  cheems::registerKernelModels(registry);
}

void cheems::registerPassesAndPipelines() {
  cheems::registerCheemsPasses();
  cheems::registerCheemsToCPUPasses();
  cheems::registerCheemsToTilePasses();
  cheems::registerCPUToVectorPasses();
  cheems::registerCPUToLLVMPasses();
  cheems::tile::registerCheemsTilePasses();
  cheems::registerTileToNVVMPasses();
  cheems::registerTileToNVVMPipeline();
  cheems::plan::registerCheemsPlanPasses();
  cheems::registerTileToPlanPasses();
  cheems::registerTileToPlanPipeline();
  registerPipelines();
  registerCUDAPipelines();
}
