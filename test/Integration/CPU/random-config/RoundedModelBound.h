// How far an artefact may be from its evaluation where many numbers are
// rounded.
#ifndef CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_ROUNDEDMODELBOUND_H
#define CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_ROUNDEDMODELBOUND_H

#include "cheems/Reference/Model.h"

namespace cheems::test {

/// Both round the same numbers, and f32 takes some the other way. This bounds
/// the farthest logit of a row, in deviations of all. It follows from unit
/// roundoffs and the depth alone (RoundingBound.h). `length` is how many rows a
/// sequence has.
double roundedModelBound(const ModelDescription &model,
                         const reference::Rounding &rounding, int64_t length);

} // namespace cheems::test

#endif
