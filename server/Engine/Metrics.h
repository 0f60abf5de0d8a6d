// What a server counts, for Prometheus: vLLM's names, so that dashboards fit.
#ifndef CHEEMS_SERVER_ENGINE_METRICS_H
#define CHEEMS_SERVER_ENGINE_METRICS_H

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace cheems::serve {

/// Counts of values up to each bound. Any thread may observe and read: what is
/// read while another observes may lack that one value.
class Histogram {
public:
  explicit Histogram(std::vector<double> bounds);
  void observe(double value);
  int64_t count() const { return total.load(std::memory_order_relaxed); }
  double sum() const { return all.load(std::memory_order_relaxed); }
  /// Appends the lines of a histogram called `name`; `labels` is what is in the
  /// braces.
  void render(const std::string &name, const std::string &labels,
              std::string &text) const;

private:
  std::vector<double> bounds;                ///< ascending
  std::vector<std::atomic<int64_t>> buckets; ///< one more: above all bounds
  std::atomic<int64_t> total{0};
  std::atomic<double> all{0};
};

class Metrics {
public:
  Metrics();

  using Count = std::atomic<int64_t>;
  // What is so now.
  Count running{0}, waiting{0}, slotsBusy{0}, slots{0};
  Count entriesUsed{0}, entriesAll{0}; ///< tokens of slots
  Count cacheBytes{0};
  /// When the request came that has waited longest, in ticks of steady_clock;
  /// 0: none waits.
  Count oldestWaiting{0};
  // What was.
  Count prefixQueries{0}, prefixHits{0}; ///< tokens, as vLLM counts
  Count promptTokens{0}, generatedTokens{0};
  Count finishedStop{0}, finishedLength{0}, finishedAbort{0}, finishedError{0};
  Count cacheEvictions{0};
  Count cancelledByClient{0}, cancelledByTimeout{0}, cancelledByShutdown{0};
  Count refusedQueueFull{0};
  // Nanoseconds of the engine's thread: in the session, for the next tokens,
  // for what sinks make of them, for all else.
  Count computing{0}, drawing{0}, telling{0}, scheduling{0};
  Histogram timeToFirstToken, interTokenLatency, endToEnd, queueTime,
      iterationTokens;

  /// The text of /metrics. `model` is the label model_name of each line.
  std::string render(const std::string &model) const;
};

} // namespace cheems::serve

#endif
