// Files of a model folder, as they are opened.
#ifndef CHEEMS_LIB_IMPORT_INPUTFILE_H
#define CHEEMS_LIB_IMPORT_INPUTFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace cheems {

/// The bytes of a file, a zero behind them where `terminated`. A pipe or a
/// device is refused: it might never end, or never open.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openInput(llvm::StringRef path, bool terminated = true);

} // namespace cheems

#endif
