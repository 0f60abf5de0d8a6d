// Partial states of a slot that goes on, and is put back, again and again.
#ifndef CHEEMS_TEST_INTEGRATION_CPU_SAMENESS_PARTIALSTATES_H
#define CHEEMS_TEST_INTEGRATION_CPU_SAMENESS_PARTIALSTATES_H

#include "runtime/Session/Session.h"
#include <memory>

namespace cheems::test {

/// Expects the bits of a sequence that was fed straight on.
void partialStatesGoOn(const std::shared_ptr<const Model> &model, int rounds);

} // namespace cheems::test

#endif
