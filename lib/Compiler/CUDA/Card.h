// What passes are told of a card.
#ifndef CHEEMS_LIB_COMPILER_CUDA_CARD_H
#define CHEEMS_LIB_COMPILER_CUDA_CARD_H

#include "cheems/Compiler/Compiler.h"
#include "cheems/Pipelines/CUDAPipelines.h"

namespace cheems {

/// Of the back end: cuda.unit and cuda.copy.
constexpr llvm::StringLiteral kUnitOption = "unit", kCopyOption = "copy";

/// The card that `architecture` names, with what options say of it.
llvm::Expected<CardOptions> cardOf(llvm::StringRef architecture,
                                   const CompileOptions &options);

} // namespace cheems

#endif
