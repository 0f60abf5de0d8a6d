// Every op of the dialect, for TableGen.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_CHEEMSTILEOPS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_CHEEMSTILEOPS_TD

include "cheems/Dialect/CheemsTile/IR/ChoiceOps.td"
include "cheems/Dialect/CheemsTile/IR/QuantizedMatmulOps.td"
include "cheems/Dialect/CheemsTile/IR/ComputeOps.td"
include "cheems/Dialect/CheemsTile/IR/FetchOps.td"
include "cheems/Dialect/CheemsTile/IR/GroupOps.td"
include "cheems/Dialect/CheemsTile/IR/KernelOps.td"
include "cheems/Dialect/CheemsTile/IR/MemoryOps.td"
include "cheems/Dialect/CheemsTile/IR/RingOps.td"
include "cheems/Dialect/CheemsTile/IR/StrategyAttrs.td"
include "cheems/Dialect/CheemsTile/IR/WarpgroupOps.td"

#endif
