// Runs a step so that it chooses what another computation of it chose.
#include "Follow.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace cheems::interpreter {
using namespace mlir;

namespace {
/// What so many runs one after the other do not bring nearer differs by
/// something else than choices.
constexpr int kMostInVain = 6, kMostRuns = 60;

/// Changes of what is given, by the name of the op and the index.
using Changes = std::map<std::pair<std::string, size_t>, double>;

struct Outcome {
  Choices choices;
  std::vector<double> errors; ///< of rows
};

class Follower {
public:
  Follower(const Followed &followed, const LogitsOf &run)
      : followed(followed), run(run), unit(deviationOf(followed.logits)) {}

  FailureOr<std::map<std::string, Tensor>> search() {
    FailureOr<Outcome> now = outcomeOf(taken);
    int inVain = 0;
    while (succeeded(now) && runs < kMostRuns && inVain < kMostInVain) {
      std::map<int64_t, Alternative> trials = nextTrials(*now);
      if (trials.empty()) {
        break;
      }
      FailureOr<Outcome> tried = outcomeOf(with(trials));
      if (failed(tried)) {
        return failure();
      }
      bool all = true;
      for (auto at = trials.begin(); at != trials.end();) {
        // The noise of other rows alone would not reduce the errors so much.
        constexpr double kNearer = 0.7;
        bool nearer =
            tried->errors[at->first] <= kNearer * now->errors[at->first];
        all &= nearer;
        at = nearer ? std::next(at) : trials.erase(at);
      }
      inVain = trials.empty() ? inVain + 1 : 0;
      if (trials.empty()) {
        continue;
      }
      taken = with(trials);
      now = all ? std::move(tried) : outcomeOf(taken);
    }
    if (failed(now)) {
      return failure();
    }
    return givenBy(taken, *now);
  }

private:
  FailureOr<Outcome> outcomeOf(const Changes &changes) {
    ++runs;
    Outcome outcome;
    outcome.choices.given = givenBy(changes, first);
    FailureOr<Tensor> logits = run(outcome.choices);
    if (failed(logits)) {
      return failure();
    }
    if (runs == 1) {
      first.choices = outcome.choices;
    }
    int64_t columns = logits->shape.back();
    for (size_t at = 0; at < logits->data.size(); at += columns) {
      double squares = 0.0;
      for (int64_t i = 0; i < columns; ++i) {
        double apart =
            (logits->data[at + i] - followed.logits.data[at + i]) / unit;
        squares += apart * apart;
      }
      double error = std::sqrt(squares / static_cast<double>(columns));
      outcome.errors.push_back(
          std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
    }
    return outcome;
  }

  /// Returns what each op is to choose: what was noted, with the changes.
  static std::map<std::string, Tensor> givenBy(const Changes &changes,
                                               const Outcome &noted) {
    std::map<std::string, Tensor> given;
    for (const Choice &choice : noted.choices.made) {
      for (auto at = changes.lower_bound({choice.name, 0});
           at != changes.end() && at->first.first == choice.name; ++at) {
        auto &tensor =
            given.try_emplace(choice.name, ownChoice(choice)).first->second;
        tensor.data[at->first.second] = at->second;
      }
    }
    return given;
  }

  Changes with(const std::map<int64_t, Alternative> &trials) const {
    Changes changes = taken;
    for (const auto &[row, alternative] : trials) {
      for (auto [place, value] : alternative.changes) {
        changes[{alternative.name, place}] = value;
      }
    }
    return changes;
  }

  /// Chooses, for each row that differs by too much, what has not been tried
  /// yet and loses least. Ones that change the same numbers wait for each
  /// other.
  std::map<int64_t, Alternative> nextTrials(const Outcome &now) {
    std::map<int64_t, Alternative> trials;
    std::set<std::pair<std::string, size_t>> changed;
    for (size_t row = 0; row < now.errors.size(); ++row) {
      if (now.errors[row] <= followed.within) {
        continue;
      }
      std::vector<Alternative> all;
      for (const Choice &choice : now.choices.made) {
        auto some = alternatives(choice, int64_t(row), followed.reach);
        all.insert(all.end(), some.begin(), some.end());
      }
      std::sort(all.begin(), all.end());
      for (Alternative &each : all) {
        bool waits = std::any_of(
            each.changes.begin(), each.changes.end(), [&](const auto &change) {
              return changed.count({each.name, change.first}) != 0;
            });
        if (!waits && tried.insert({row, each.name, each.changes}).second) {
          for (auto [place, value] : each.changes) {
            changed.insert({each.name, place});
          }
          trials.emplace(int64_t(row), std::move(each));
          break;
        }
      }
    }
    return trials;
  }

  const Followed &followed;
  const LogitsOf &run;
  double unit;
  int runs = 0;
  Outcome first; ///< which says the shapes of what ops are given
  Changes taken;
  std::set<
      std::tuple<size_t, std::string, std::vector<std::pair<size_t, double>>>>
      tried;
};
} // namespace

FailureOr<std::map<std::string, Tensor>> follow(const Followed &followed,
                                                const LogitsOf &run) {
  return Follower(followed, run).search();
}

} // namespace cheems::interpreter
