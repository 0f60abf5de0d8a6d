// Hands options to MLIR.
#include "PassOptions.h"
#include "cheems/Pipelines/Registration.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Transforms/Passes.h"
#include "tools/Support/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace cheems {

bool takePassOptions(std::vector<char *> &words) {
  std::vector<const char *> others{words.front()};
  llvm::erase_if(words, [&](llvm::StringRef word) {
    bool other = word.starts_with("--mlir-");
    if (other) {
      others.push_back(word.data());
    }
    return other;
  });
  if (others.size() == 1) {
    return false;
  }
  registerPassesAndPipelines(); // so that options may name passes
  mlir::registerTransformsPasses();
  mlir::bufferization::registerBufferizationPasses();
  mlir::registerAsmPrinterCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  std::string message;
  llvm::raw_string_ostream os(message);
  if (!llvm::cl::ParseCommandLineOptions(static_cast<int>(others.size()),
                                         others.data(), "", &os)) {
    llvm::StringRef line = llvm::StringRef(message).split('\n').first;
    line.consume_front(words.front());
    line.consume_front(": ");
    // Some errors MLIR has said itself.
    throw usage(line.empty() ? "MLIR refuses an option" : line.str());
  }
  return true;
}

} // namespace cheems
