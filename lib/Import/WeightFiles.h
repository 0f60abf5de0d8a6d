// The weight files of a folder, one or several shards, as one table of tensors.
#ifndef CHEEMS_LIB_IMPORT_WEIGHTFILES_H
#define CHEEMS_LIB_IMPORT_WEIGHTFILES_H

#include "cheems/Import/SafeTensors.h"
#include "lib/Import/FolderFiles.h"
#include "llvm/ADT/StringMap.h"

namespace cheems {

struct TensorInFile {
  const TensorView *view; ///< inside WeightFiles::files
  size_t file;
};

struct WeightFiles {
  std::string name; ///< what a missing tensor is missing from: the single file,
                    ///< or the index
  std::vector<SafeTensorsFile> files;
  std::vector<std::string> paths; ///< of `files`
  llvm::StringMap<TensorInFile> tensors;

  llvm::StringRef pathOf(const TensorInFile &tensor) const {
    return paths[tensor.file];
  }
};

/// Opens model.safetensors, or the shards that model.safetensors.index.json
/// names.
llvm::Expected<WeightFiles> openWeightFiles(const FolderFiles &files);
/// The shard of each tensor, from the text of an index. Shards are plain file
/// names: an index cannot lead out of its folder. `file` leads messages.
llvm::Expected<llvm::StringMap<std::string>>
parseShardIndex(llvm::StringRef text, llvm::StringRef file);

} // namespace cheems

#endif
