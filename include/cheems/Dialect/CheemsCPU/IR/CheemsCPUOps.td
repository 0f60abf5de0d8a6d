// Every op of the dialect, for TableGen.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUOPS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUOPS_TD

include "cheems/Dialect/CheemsCPU/IR/CheemsCPUAttrs.td"
include "cheems/Dialect/CheemsCPU/IR/AppendOps.td"
include "cheems/Dialect/CheemsCPU/IR/AttentionOps.td"
include "cheems/Dialect/CheemsCPU/IR/ColumnEpilogueOps.td"
include "cheems/Dialect/CheemsCPU/IR/KeepOps.td"
include "cheems/Dialect/CheemsCPU/IR/LinearOps.td"
include "cheems/Dialect/CheemsCPU/IR/MergeAttentionOps.td"
include "cheems/Dialect/CheemsCPU/IR/OnlineAttentionOps.td"
include "cheems/Dialect/CheemsCPU/IR/SSDOps.td"
include "cheems/Dialect/CheemsCPU/IR/WorkerOps.td"

#endif
