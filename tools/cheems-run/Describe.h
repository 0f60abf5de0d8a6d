// What --describe prints.
#ifndef CHEEMS_TOOLS_CHEEMS_RUN_DESCRIBE_H
#define CHEEMS_TOOLS_CHEEMS_RUN_DESCRIBE_H

#include "runtime/Artifact/Model.h"
#include <memory>
#include <string>

namespace cheems::run {

using ModelPointer = std::shared_ptr<const Model>;

/// What a user wants to know of a model, on one screen.
std::string summary(const ModelPointer &model);
/// The summary, and after it all that the file says, a line for each tensor.
std::string fullDescription(const ModelPointer &model);

} // namespace cheems::run

#endif
