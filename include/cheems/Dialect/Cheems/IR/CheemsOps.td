// Every op of the dialect, for TableGen; the ops themselves are in the files included here.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_CHEEMSOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_CHEEMSOPS_TD

include "cheems/Dialect/Cheems/IR/ParameterOps.td"
include "cheems/Dialect/Cheems/IR/ProfileOps.td"
include "cheems/Dialect/Cheems/IR/NormOps.td"
include "cheems/Dialect/Cheems/IR/RotaryOps.td"
include "cheems/Dialect/Cheems/IR/MaskOps.td"
include "cheems/Dialect/Cheems/IR/EntryOps.td"
include "cheems/Dialect/Cheems/IR/ExpertOps.td"
include "cheems/Dialect/Cheems/IR/SegmentOps.td"
include "cheems/Dialect/Cheems/IR/SegmentedSSDOps.td"
include "cheems/Dialect/Cheems/IR/SegmentedAttentionOps.td"
include "cheems/Dialect/Cheems/IR/SamplingOps.td"

#endif
