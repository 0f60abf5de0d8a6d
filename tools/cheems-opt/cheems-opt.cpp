// cheems-opt: mlir-opt with the cheems dialect, its passes and pipelines.
#include "cheems/Pipelines/Registration.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  cheems::registerDialects(registry);
  mlir::registerAllPasses();
  cheems::registerPassesAndPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Cheems optimizer driver\n", registry));
}
