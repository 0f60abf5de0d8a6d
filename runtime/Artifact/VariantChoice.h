// Which of a file's variants runs here.
#ifndef CHEEMS_RUNTIME_ARTIFACT_VARIANTCHOICE_H
#define CHEEMS_RUNTIME_ARTIFACT_VARIANTCHOICE_H

#include "runtime/Artifact/CpuFeatures.h"
#include "runtime/Artifact/CpuImage.h"

namespace cheems {

/// The variant called `forced`; where that is empty the first that runs here
/// and has all it wants, else the first that runs here. Throws
/// Error(unsupported) where there is none, naming what is missing or, for a
/// name that `file` does not have, those it has.
const Variant &chooseVariant(const CpuImage &image, const CpuFeatures &cpu,
                             const std::string &forced,
                             const std::string &file);

} // namespace cheems

#endif
