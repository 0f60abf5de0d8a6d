// Small checkpoints of Doge and Cheems for the importer's tests: made in
// memory, changed at will, written to a folder that goes with the test.
#ifndef CHEEMS_TEST_UNIT_IMPORT_MODELFOLDER_H
#define CHEEMS_TEST_UNIT_IMPORT_MODELFOLDER_H

#include "cheems/Import/Checkpoint.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <string>
#include <vector>

namespace cheems::test {

struct StoredTensor {
  std::string type = "F32";
  std::vector<int64_t> shape;
  std::string bytes;
};
using TensorMap = std::map<std::string, StoredTensor>;

/// A tensor of this type whose element i is a multiple of 1/4 that depends on i
/// and `seed` only.
StoredTensor patterned(std::vector<int64_t> shape, std::string type = "F32",
                       int seed = 0);
/// The bytes of a safetensors file; `header` replaces the one that `tensors`
/// would give.
std::string safeTensorsBytes(const TensorMap &tensors);
std::string safeTensorsBytes(const std::string &header,
                             const std::string &data);
/// `text` parsed; the test's author vouches for it.
llvm::json::Value json(llvm::StringRef text);

/// What was opened, or which error came out.
struct Opened {
  std::optional<Checkpoint> checkpoint;
  std::string error;
  bool unsupported = false; ///< the error is an UnsupportedError
  std::vector<std::string> warnings;
};

/// vocab 11, hidden 16, intermediate 12, 2 layers, 4 heads over 2, head size 4;
/// tied, transformers' names.
class ModelFolder {
public:
  ModelFolder();
  ~ModelFolder();
  ModelFolder(const ModelFolder &) = delete;
  ModelFolder &operator=(const ModelFolder &) = delete;

  // Changes to the model, before it is written.
  ModelFolder &set(llvm::StringRef field, llvm::json::Value value);
  ModelFolder &unset(llvm::StringRef field);
  ModelFolder &add(const std::string &tensor, StoredTensor stored);
  /// Renames to the author's early names; its configuration keeps its fields.
  ModelFolder &useAuthorNames();
  /// A Cheems of so many layers with the author's fields, SSD layers of 4
  /// groups and a state of 4; rope_scaling is null.
  ModelFolder &makeCheems(int64_t layers = 2, int64_t period = 2,
                          int64_t offset = 1);
  /// Four experts of two keys per half, k = 3: by a router under transformers'
  /// names, else by two heads of queries and keys of 2.
  ModelFolder &addExperts(int64_t layer);
  ModelFolder &removeNorms();
  ModelFolder &maskPerAttentionHead();
  ModelFolder &remove(const std::string &tensor);

  void write(llvm::StringRef name, llvm::StringRef bytes) const;
  /// Writes config.json and model.safetensors.
  void write() const;
  /// Opens the folder as it stands.
  Opened open() const;
  Opened writeAndOpen() const {
    write();
    return open();
  }

  llvm::json::Object config;
  TensorMap tensors;
  std::string path;
};

} // namespace cheems::test

#endif
