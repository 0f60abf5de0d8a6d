// Which strategy an op has, if it becomes kernels.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_STRATEGY_SELECTSTRATEGY_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_STRATEGY_SELECTSTRATEGY_H

#include "Matmul/MatmulGroup.h"

namespace cheems::tile {

/// The strategy of an op by itself; null if no kernel begins with it. Of a
/// matmul it lacks the tiles of very many rows, which depend on what is in
/// one launch with it.
StrategyAttrInterface strategyFor(Operation *op, const Strategy &strategy);

/// Returns the strategy of matmuls whose launch begins with a chain, likewise.
MatmulStrategyAttr strategyOfMatmuls(const MatmulChain &chain,
                                     const Strategy &strategy);

/// The ops of a group by whose strategies its kernels are made: of matmuls and
/// of experts the first one, else all that the group is about.
SmallVector<Operation *> opsWithStrategy(GroupOp group);

} // namespace cheems::tile

#endif
