// What a run keeps of entries and retrieves of experts: noted, or followed.
#ifndef CHEEMS_INTERPRETER_CHOICES_H
#define CHEEMS_INTERPRETER_CHOICES_H

#include "cheems/Reference/Tensor.h"
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace cheems::interpreter {

using reference::Tensor;

/// What one op chose.
struct Choice {
  std::string name; ///< `experts.0`: of the first op that retrieves; `masks.0`:
                    ///< of the first attention that drops or hides keys
  Tensor own;       ///< scores [T, 2, H, K], or masks [T, M]
  Tensor chosen;    ///< experts [T, H, k], or what keys are ranked by, [T, M]
  Tensor loss;      ///< by how much the own numbers speak against it, in
                    ///< deviations of these: [T, H] or [T, M]
  int64_t keep = 0; ///< of masks: how many stay; 0: those from the threshold on
  double hideBelow = 0.0;          ///< the threshold
  std::vector<int64_t> first = {}; ///< of each row the first of its sequence

  bool isOfExperts() const { return own.rank() == 4; }
};

struct Choices {
  /// What is to be chosen, by the names of the ops. An op that is not there
  /// chooses by itself, and so does one whose first expert of a head is -1, or
  /// whose rank is NaN.
  std::map<std::string, Tensor> given;
  std::vector<Choice> made;

  /// The name of the next op of a kind.
  std::string next(const std::string &kind) {
    return kind + "." + std::to_string(counts[kind]++);
  }
  const Tensor *find(const std::string &name) const {
    auto found = given.find(name);
    return found == given.end() ? nullptr : &found->second;
  }

private:
  std::map<std::string, int64_t> counts;
};

/// The numbers' deviation; 1 where they have none.
double deviationOf(const Tensor &numbers);

/// Another choice for a row that the own numbers of an op speak little against:
/// what changes in the tensor that it is given.
struct Alternative {
  std::string name;
  double loss; ///< in deviations
  std::vector<std::pair<size_t, double>> changes;

  /// Those that lose least come first.
  bool operator<(const Alternative &other) const {
    return std::tie(loss, name, changes) <
           std::tie(other.loss, other.name, other.changes);
  }
};

/// Those that lose up to `reach`: of a head one expert for another, or for the
/// keys that a row sees the last one that stays for the first one that does
/// not.
std::vector<Alternative> alternatives(const Choice &choice, int64_t row,
                                      double reach);

/// A tensor with which an op chooses by itself.
Tensor ownChoice(const Choice &choice);

} // namespace cheems::interpreter

#endif
