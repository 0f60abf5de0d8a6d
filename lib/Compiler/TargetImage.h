// An image and whose it is.
#ifndef CHEEMS_LIB_COMPILER_TARGETIMAGE_H
#define CHEEMS_LIB_COMPILER_TARGETIMAGE_H

#include "cheems/Compiler/Backend.h"

namespace cheems {

struct TargetImage {
  const Backend *backend;
  Image image;
};

} // namespace cheems

#endif
