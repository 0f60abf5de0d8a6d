// An image and whose it is.
#ifndef CHEEMS_LIB_COMPILER_TARGETIMAGE_H
#define CHEEMS_LIB_COMPILER_TARGETIMAGE_H

#include "cheems/Compiler/Backend.h"
#include "cheems/artifact.h"

namespace cheems {

struct TargetImage {
  const Backend *backend;
  Image image;

  /// Returns the image's section in the file.
  std::string section() const {
    return image.section.empty() ? CHEEMS_SECTION_IMAGE + backend->name().str()
                                 : image.section;
  }
};

} // namespace cheems

#endif
