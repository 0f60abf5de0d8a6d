// Verification of ssd and ssd_chunk.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

LogicalResult SSDOp::verify() { return success(); }
LogicalResult SSDChunkOp::verify() { return success(); }
