#include "runtime/Perplexity/Statistics.h"
#include <algorithm>
#include <cmath>

namespace cheems {

double Mean::mean() const {
  return number == 0 ? 0 : sum / static_cast<double>(number);
}

double Mean::error() const {
  if (number < 2) {
    return 0;
  }
  double variance = squares / static_cast<double>(number) - mean() * mean();
  return std::sqrt(std::max(0.0, variance) / static_cast<double>(number - 1));
}

double Perplexity::value() const { return std::exp(losses.mean()); }

double Perplexity::error() const { return value() * losses.error(); }

void Divergence::add(const LogSoftmax &p, const LogSoftmax &q,
                     int64_t vocabulary) {
  double sum = 0;
  for (int64_t i = 0; i < vocabulary; ++i) {
    double logP = p[i];
    sum += std::exp(static_cast<float>(logP)) * (logP - q[i]);
  }
  divergences.add(sum);
  agreements.add(p.best == q.best ? 1 : 0);
  worst = std::max(worst, sum);
}

} // namespace cheems
