// Every op of the dialect, for TableGen.
#ifndef CHEEMS_DIALECT_CHEEMSPLAN_IR_CHEEMSPLANOPS_TD
#define CHEEMS_DIALECT_CHEEMSPLAN_IR_CHEEMSPLANOPS_TD

include "cheems/Dialect/CheemsPlan/IR/EntryOps.td"
include "cheems/Dialect/CheemsPlan/IR/ValueOps.td"

#endif
