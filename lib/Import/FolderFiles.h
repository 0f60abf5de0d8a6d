// The files of a model folder, as they are found and opened.
#ifndef CHEEMS_LIB_IMPORT_FOLDERFILES_H
#define CHEEMS_LIB_IMPORT_FOLDERFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cheems {

/// A folder may be that of a stranger, and its texts are shown: a server hands
/// out the chat template. So a text may not be a link to somewhere else, unless
/// links are allowed. Hugging Face's cache has links to `blobs` beside the
/// folder of snapshots, and these are fine. Weights may be links to anywhere:
/// what is no safetensors file is refused, and numbers are never shown.
class FolderFiles {
public:
  static llvm::Expected<FolderFiles> open(llvm::StringRef folder,
                                          bool allowLinks);

  const std::string &folder() const { return given; }
  std::string path(llvm::StringRef name) const;
  /// Whether the folder has an entry of this name, if only a link to nothing.
  /// What is there and cannot be read shall be an error, so it is not absent.
  bool has(llvm::StringRef name) const;

  /// The names in the folder that end so, in order.
  std::vector<std::string> endingWith(llvm::StringRef end) const;

  /// The text of a file without the byte order mark in front; nothing where
  /// the folder has no entry of this name.
  llvm::Expected<std::optional<std::string>> text(llvm::StringRef name) const;
  /// The bytes of a file with weights.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  weights(llvm::StringRef name) const;

private:
  FolderFiles(llvm::StringRef given, bool allowLinks)
      : given(given), allowLinks(allowLinks) {}
  llvm::Error accept(llvm::StringRef name, int descriptor) const;

  std::string given; ///< as messages name it
  std::string real;  ///< without links
  std::string blobs; ///< of Hugging Face's cache; empty elsewhere
  bool allowLinks;
};

} // namespace cheems

#endif
