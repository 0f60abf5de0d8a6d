// From options of a compile to those of passes.
#include "Card.h"
#include "cheems/Target/CUDA/Architecture.h"

namespace cheems {

llvm::Expected<CardOptions> cardOf(llvm::StringRef architecture,
                                   const CompileOptions &options) {
  auto known = cuda::Architecture::find(architecture);
  if (!known) {
    return known.takeError();
  }
  CardOptions card{*tile::symbolizeArchitecture(known->name)};
  auto given = options.backendOptions.find(("cuda." + kUnitOption).str());
  if (given != options.backendOptions.end()) {
    auto unit = tile::symbolizeUnit(given->second);
    if (!unit) {
      return llvm::createStringError("cuda.unit is mma or wgmma, not " +
                                     given->second);
    }
    card.unit = *unit;
  }
  given = options.backendOptions.find(("cuda." + kCopyOption).str());
  if (given != options.backendOptions.end()) {
    auto copy = tile::symbolizeOperandCopy(given->second);
    if (!copy) {
      return llvm::createStringError("cuda.copy is threads or bulk, not " +
                                     given->second);
    }
    card.copy = *copy;
  }
  return card;
}

} // namespace cheems
