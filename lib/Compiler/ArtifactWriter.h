// Writes the artefact: code, sections, index, footer
// (include/cheems/artifact.h).
#ifndef CHEEMS_LIB_COMPILER_ARTIFACTWRITER_H
#define CHEEMS_LIB_COMPILER_ARTIFACTWRITER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace cheems {

struct ArtifactTexts {
  std::string metadata, config, generationConfig, tokenizer, tokenizerConfig,
      chatTemplate;
};

/// Appends everything behind the ELF image that `path` already holds, reads it
/// back and compares its checksums. `weights` writes the weight section to the
/// stream it is given.
llvm::Error
finishArtifact(llvm::StringRef path, const ArtifactTexts &texts,
               llvm::function_ref<llvm::Error(llvm::raw_ostream &)> weights);

} // namespace cheems

#endif
