// Sums over the tokens of a text, of one model's distributions or of two.
#ifndef CHEEMS_RUNTIME_PERPLEXITY_STATISTICS_H
#define CHEEMS_RUNTIME_PERPLEXITY_STATISTICS_H

#include "runtime/Sampler/LogSoftmax.h"
#include <cstdint>
#include <vector>

namespace cheems {

/// Mean and the standard error of the mean.
class Mean {
public:
  void add(double value) {
    ++number;
    sum += value;
    squares += value * value;
  }
  int64_t count() const { return number; }
  double mean() const;
  /// 0 for fewer than two values.
  double error() const;

private:
  int64_t number = 0;
  double sum = 0, squares = 0;
};

/// exp of the mean of -log p(token).
class Perplexity {
public:
  void add(const LogSoftmax &distribution, int64_t token) {
    losses.add(-distribution[token]);
  }
  int64_t tokens() const { return losses.count(); }
  double value() const;
  /// Returns the error of the value, to first order.
  double error() const;

private:
  Mean losses;
};

/// How a model's distributions q differ from those p of another.
class Divergence {
public:
  /// Both of `vocabulary` tokens.
  void add(const LogSoftmax &p, const LogSoftmax &q, int64_t vocabulary);
  /// Mean and largest of KL(p, q) = sum of p (log p - log q), in nats.
  const Mean &divergence() const { return divergences; }
  double largest() const { return worst; }
  /// The share of tokens whose most probable token is the same.
  const Mean &agreement() const { return agreements; }

private:
  Mean divergences, agreements;
  double worst = 0;
};

} // namespace cheems

#endif
