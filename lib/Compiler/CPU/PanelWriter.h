// Writes parameters in the layouts of CPUs.
#ifndef CHEEMS_LIB_COMPILER_CPU_PANELWRITER_H
#define CHEEMS_LIB_COMPILER_CPU_PANELWRITER_H

#include "cheems/Compiler/Backend.h"
#include "lib/Compiler/QuantizedWriter.h"

namespace cheems {

class PanelWriter : public ParameterWriter {
public:
  explicit PanelWriter(llvm::raw_ostream &os) : os(os), quantized(os) {}
  llvm::Error write(StoredParameterAttr parameter,
                    llvm::ArrayRef<const TensorView *> parts) override;

private:
  llvm::raw_ostream &os;
  QuantizedWriter quantized;
};

} // namespace cheems

#endif
