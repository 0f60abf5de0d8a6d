// From options of a compile to those of passes.
#include "Card.h"
#include "cheems/Import/Error.h"
#include "cheems/Target/CUDA/Architecture.h"

namespace cheems {

/// An option of the back end, if it was given.
/// \param choices what messages call its values.
template <typename Value>
static llvm::Error read(const CompileOptions &options, llvm::StringRef name,
                        llvm::StringRef choices, Value &value) {
  auto given = options.backendOptions.find(("cuda." + name).str());
  if (given == options.backendOptions.end()) {
    return llvm::Error::success();
  }
  std::optional<Value> known = tile::symbolizeEnum<Value>(given->second);
  if (!known) {
    return llvm::createStringError("cuda." + name + " is " + choices +
                                   ", not " + given->second);
  }
  value = *known;
  return llvm::Error::success();
}

llvm::Expected<CardOptions> cardOf(llvm::StringRef architecture,
                                   const CompileOptions &options) {
  auto known = cuda::Architecture::find(architecture);
  if (!known) {
    return llvm::make_error<UnsupportedError>(
        llvm::toString(known.takeError()));
  }
  CardOptions card{*tile::symbolizeArchitecture(known->name)};
  if (auto error = read(options, kUnitOption, "mma or wgmma", card.unit)) {
    return error;
  }
  if (auto error = read(options, kCopyOption, "threads or bulk", card.copy)) {
    return error;
  }
  return card;
}

} // namespace cheems
