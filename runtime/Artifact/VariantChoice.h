// Which of a file's variants runs here.
#ifndef CHEEMS_RUNTIME_ARTIFACT_VARIANTCHOICE_H
#define CHEEMS_RUNTIME_ARTIFACT_VARIANTCHOICE_H

#include "runtime/Artifact/CpuFeatures.h"
#include "runtime/Artifact/CpuImage.h"

namespace cheems {

/// Code that is to run, whatever would be chosen.
struct ForcedVariant {
  std::string name;   ///< empty: none
  std::string by;     ///< who forces it, for messages
  std::string remedy; ///< against a wrong name
  explicit operator bool() const { return !name.empty(); }
  /// What a program asks for, else what the environment variable says.
  static ForcedVariant of(const std::string &asked, const char *variable);
};

/// The variant that is `forced`; where none is the first that runs here
/// and has all it wants, else the first that runs here. Throws
/// Error(unsupported) where there is none, naming what is missing or, for a
/// name that `file` does not have, those it has.
const Variant &chooseVariant(const CpuImage &image, const CpuFeatures &cpu,
                             const ForcedVariant &forced,
                             const std::string &file);

} // namespace cheems

#endif
