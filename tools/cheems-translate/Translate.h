// What cheems-translate does.
#ifndef CHEEMS_TOOLS_CHEEMS_TRANSLATE_TRANSLATE_H
#define CHEEMS_TOOLS_CHEEMS_TRANSLATE_TRANSLATE_H

#include "Options.h"

namespace cheems::translate {

/// Throws Error, and OutputClosed where nobody reads any more.
void translate(const Options &options);

} // namespace cheems::translate

#endif
