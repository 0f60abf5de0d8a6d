// Writes the artefact: images, sections, index, footer
// (include/cheems/artifact.h).
#ifndef CHEEMS_LIB_COMPILER_ARTIFACTWRITER_H
#define CHEEMS_LIB_COMPILER_ARTIFACTWRITER_H

#include "TargetImage.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace cheems {

struct ArtifactTexts {
  std::string metadata, config, generationConfig, tokenizer, tokenizerConfig,
      chatTemplate, toolUseTemplate;
};

/// Writes the whole file `path`, reads it back and compares its checksums.
/// `weights` writes the weight section to the stream it is given.
llvm::Error
writeArtifact(llvm::StringRef path, llvm::ArrayRef<TargetImage> images,
              const ArtifactTexts &texts,
              llvm::function_ref<llvm::Error(llvm::raw_ostream &)> weights);

} // namespace cheems

#endif
