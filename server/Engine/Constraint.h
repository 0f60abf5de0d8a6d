// What keeps a text to a grammar, as the engine sees it: so the engine links no
// grammars.
#ifndef CHEEMS_SERVER_ENGINE_CONSTRAINT_H
#define CHEEMS_SERVER_ENGINE_CONSTRAINT_H

#include "runtime/Grammar/Grammar.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace cheems::serve {

/// Does for one choice what TokenConstraint does.
class Constraint {
public:
  virtual ~Constraint() = default;
  /// Goes on in the same way.
  virtual std::unique_ptr<Constraint> clone() const = 0;
  /// Does a piece of the work for the mask, which takes less than a step of a
  /// model; whether the mask is there then. May throw Error, as `mask`.
  virtual bool prepare(const std::vector<int32_t> &endTokens) = 0;
  virtual const std::vector<uint32_t> &
  mask(const std::vector<int32_t> &endTokens) = 0;
  virtual void accept(int32_t token) = 0;
  virtual bool mustEnd() const = 0;
  /// About what it takes of memory.
  virtual size_t bytes() const { return 0; }
};

/// Called on the thread that submits a request; `thinksFirst` as in
/// GenerationRequest. May throw Error.
using ConstraintFactory = std::function<std::unique_ptr<Constraint>(
    const std::shared_ptr<const Grammar> &grammar, bool thinksFirst)>;

} // namespace cheems::serve

#endif
