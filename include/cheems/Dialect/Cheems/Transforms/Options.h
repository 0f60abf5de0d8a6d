// What options of passes and pipelines are where nothing else is said.
#ifndef CHEEMS_DIALECT_CHEEMS_TRANSFORMS_OPTIONS_H
#define CHEEMS_DIALECT_CHEEMS_TRANSFORMS_OPTIONS_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Support/MLIR.h"
#include <string>

namespace cheems {

/// The pipeline that makes a module of that stage.
inline std::string pipelineOf(Stage stage) {
  return ("cheems-to-" + stringifyStage(stage)).str();
}

/// Every stage, as what an option may be.
struct StageValues {
  template <typename Option> void apply(Option &option) const {
    for (unsigned i = 0; i <= getMaxEnumValForStage(); ++i) {
      auto stage = static_cast<Stage>(i);
      option.getParser().addLiteralOption(stringifyStage(stage), stage, "");
    }
  }
};

} // namespace cheems

#endif
