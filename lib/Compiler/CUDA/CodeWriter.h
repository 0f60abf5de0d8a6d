// Writes parameters that are quantized, as GPUs read them.
#ifndef CHEEMS_LIB_COMPILER_CUDA_CODEWRITER_H
#define CHEEMS_LIB_COMPILER_CUDA_CODEWRITER_H

#include "cheems/Compiler/Backend.h"
#include "lib/Compiler/QuantizedWriter.h"

namespace cheems {

class CodeWriter : public ParameterWriter {
public:
  explicit CodeWriter(llvm::raw_ostream &os) : quantized(os) {}
  llvm::Error write(StoredParameterAttr parameter,
                    llvm::ArrayRef<const TensorView *> parts) override;

private:
  QuantizedWriter quantized;
};

} // namespace cheems

#endif
