#include "TensorCores.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <stdexcept>

namespace cheems::test {

/// The name without the number that tells kernels of one name apart.
static llvm::StringRef nameOf(llvm::StringRef kernel) {
  llvm::StringRef name = kernel.rtrim("0123456789");
  return name.size() < kernel.size() && name.ends_with("_") ? name.drop_back()
                                                            : kernel;
}

static bool multiplies(llvm::StringRef name) {
  for (llvm::StringRef other : {"ssd_decays", "ssd_carried"}) {
    if (name == other) {
      return false;
    }
  }
  return name.starts_with("matmul") || name.starts_with("attention") ||
         name.starts_with("ssd_");
}

MultiplyingKernels multiplyingKernels(const std::filesystem::path &counts) {
  auto text = llvm::MemoryBuffer::getFile(counts.string());
  if (!text) {
    throw std::runtime_error("no counts in " + counts.string());
  }
  auto parsed = llvm::json::parse((*text)->getBuffer());
  if (!parsed) {
    throw std::runtime_error(llvm::toString(parsed.takeError()));
  }
  MultiplyingKernels found;
  for (const llvm::json::Value &step :
       *parsed->getAsObject()->getArray("steps")) {
    for (const llvm::json::Value &each :
         *step.getAsObject()->getArray("kernels")) {
      const llvm::json::Object &kernel = *each.getAsObject();
      llvm::StringRef name = nameOf(*kernel.getString("kernel"));
      if (multiplies(name)) {
        bool has = kernel.getObject("warp_instructions")
                       ->getInteger("tensor")
                       .value_or(0) > 0;
        (has ? found.with : found.without).insert(name.str());
      }
    }
  }
  return found;
}

} // namespace cheems::test
