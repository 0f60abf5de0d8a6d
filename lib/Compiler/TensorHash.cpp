#include "TensorHash.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

namespace cheems {

uint64_t
hashTensors(const llvm::StringSet<> &names,
            llvm::function_ref<const TensorView &(llvm::StringRef)> tensorOf) {
  llvm::SmallVector<llvm::StringRef> sorted(names.keys());
  llvm::sort(sorted);
  std::string lines;
  llvm::raw_string_ostream os(lines);
  for (llvm::StringRef name : sorted) {
    const TensorView &tensor = tensorOf(name);
    os << name << ' ' << spelling(tensor.type);
    for (int64_t extent : tensor.shape) {
      os << ' ' << extent;
    }
    os << ' ' << llvm::xxh3_64bits(tensor.bytes) << '\n';
    tensor.release(); // a table may be larger than memory
  }
  return llvm::xxh3_64bits(lines);
}

} // namespace cheems
