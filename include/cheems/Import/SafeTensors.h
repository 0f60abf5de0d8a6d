// Reads the safetensors format: 8-byte little-endian header length, JSON
// header, tensor bytes.
#ifndef CHEEMS_IMPORT_SAFETENSORS_H
#define CHEEMS_IMPORT_SAFETENSORS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cheems {

enum class DType { F32, BF16, F16, F64, I64, I32 };
/// "F32", as safetensors spells it.
llvm::StringRef spelling(DType type);
int64_t byteSize(DType type);

/// A tensor inside a mapped file: row-major, little-endian, possibly unaligned.
struct TensorView {
  std::string name;
  DType type;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::ArrayRef<uint8_t> bytes;
  bool mapped = false; ///< `bytes` can be read from the file again
  int64_t elements() const;
  /// Element i widened to double, whatever the stored type.
  double at(int64_t i) const;
  /// Gives back the memory that reading has filled: large tensors are read
  /// once.
  void release() const;
};

class SafeTensorsFile {
public:
  /// Maps and checks a file: header length within the file and 100 MB, offsets
  /// in bounds, non-overlapping and matching shape times type, no duplicate
  /// names. Errors name the file and the tensor.
  static llvm::Expected<SafeTensorsFile> open(llvm::StringRef path);
  /// The same on bytes already in memory; `name` is used in messages.
  static llvm::Expected<SafeTensorsFile>
  parse(std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::StringRef name);

  llvm::ArrayRef<TensorView> tensors() const { return views; }
  const TensorView *find(llvm::StringRef name) const;
  /// The `__metadata__` entry, if any.
  const std::vector<std::pair<std::string, std::string>> &metadata() const {
    return meta;
  }

private:
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::vector<TensorView> views;
  std::vector<std::pair<std::string, std::string>> meta;
};

} // namespace cheems

#endif
