#include "server/Engine/Metrics.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace cheems::serve {

namespace {

/// The shortest of three forms that is read back as the same value.
std::string number(double value) {
  char text[32];
  for (int digits : {6, 15, 17}) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) {
      break;
    }
  }
  return text;
}

/// A label's value: the three characters that the format escapes.
std::string escaped(const std::string &value) {
  std::string text;
  for (char each : value) {
    if (each == '\\' || each == '"') {
      text += '\\';
      text += each;
    } else if (each == '\n') {
      text += "\\n";
    } else {
      text += each;
    }
  }
  return text;
}

std::vector<double> latencies() {
  return {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75,
          1,     2.5,   5,    7.5,  10,   20,   40,   80,  160,  320, 640};
}

class Page {
public:
  explicit Page(const std::string &model)
      : labels("model_name=\"" + escaped(model) + "\"") {}

  void head(const std::string &name, const char *type, const char *help) {
    text +=
        "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
  }
  void value(const std::string &name, const std::string &more, double value) {
    text += name + "{" + labels + more + "} " + number(value) + "\n";
  }
  void gauge(const std::string &name, const char *help, double now) {
    head(name, "gauge", help);
    value(name, "", now);
  }
  void counter(const std::string &name, const char *help, int64_t count) {
    head(name, "counter", help);
    value(name, "", static_cast<double>(count));
  }
  void histogram(const std::string &name, const char *help,
                 const Histogram &values) {
    head(name, "histogram", help);
    values.render(name, labels, text);
  }

  std::string text;

private:
  std::string labels;
};

} // namespace

Histogram::Histogram(std::vector<double> given)
    : bounds(std::move(given)), buckets(bounds.size() + 1) {}

void Histogram::observe(double value) {
  size_t bucket =
      std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin();
  buckets[bucket].fetch_add(1, std::memory_order_relaxed);
  total.fetch_add(1, std::memory_order_relaxed);
  double before = all.load(std::memory_order_relaxed);
  while (!all.compare_exchange_weak(before, before + value,
                                    std::memory_order_relaxed)) {
  }
}

void Histogram::render(const std::string &name, const std::string &labels,
                       std::string &text) const {
  int64_t below = 0;
  for (size_t i = 0; i < buckets.size(); ++i) {
    below += buckets[i].load(std::memory_order_relaxed);
    std::string bound = i < bounds.size() ? number(bounds[i]) : "+Inf";
    text.append(name).append("_bucket{").append(labels).append(",le=\"");
    text.append(bound).append("\"} ").append(std::to_string(below));
    text.append("\n");
  }
  text += name + "_sum{" + labels + "} " + number(sum()) + "\n" + name +
          "_count{" + labels + "} " + std::to_string(below) + "\n";
}

Metrics::Metrics()
    : timeToFirstToken(latencies()), interTokenLatency(latencies()),
      endToEnd(latencies()), queueTime(latencies()),
      iterationTokens({1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}) {}

std::string Metrics::render(const std::string &model) const {
  Page page(model);
  page.gauge("cheems:num_requests_running", "Requests that have a slot.",
             double(running));
  page.gauge("cheems:num_requests_waiting", "Requests that wait for a slot.",
             double(waiting));
  int64_t all = entriesAll;
  page.gauge("cheems:kv_cache_usage_perc",
             "Part of the slots' tokens that is in use, 1 is all.",
             all == 0 ? 0 : double(entriesUsed) / double(all));
  page.counter("cheems:prefix_cache_queries_total",
               "Tokens of prompts that were looked for.", prefixQueries);
  page.counter("cheems:prefix_cache_hits_total",
               "Tokens of them whose state was there.", prefixHits);
  page.counter("cheems:prompt_tokens_total", "Tokens of prompts.",
               promptTokens);
  page.counter("cheems:generation_tokens_total", "Tokens generated.",
               generatedTokens);
  page.head("cheems:request_success_total", "counter",
            "Requests that ended, by reason.");
  for (auto [reason, count] : {std::make_pair("stop", &finishedStop),
                               std::make_pair("length", &finishedLength),
                               std::make_pair("abort", &finishedAbort),
                               std::make_pair("error", &finishedError)}) {
    page.value("cheems:request_success_total",
               std::string(",finished_reason=\"") + reason + "\"",
               double(*count));
  }
  page.histogram("cheems:time_to_first_token_seconds",
                 "From a request to its first token.", timeToFirstToken);
  page.histogram("cheems:inter_token_latency_seconds",
                 "From a token of a text to the next.", interTokenLatency);
  page.histogram("cheems:e2e_request_latency_seconds",
                 "From a request to its end.", endToEnd);
  page.histogram("cheems:request_queue_time_seconds",
                 "From a request to its slot.", queueTime);
  page.histogram("cheems:iteration_tokens_total", "Tokens of a step.",
                 iterationTokens);
  page.gauge("cheems:state_cache_bytes",
             "Bytes of states that are kept beside the slots'.",
             double(cacheBytes));
  page.counter("cheems:state_cache_evictions_total",
               "States that went to make room.", cacheEvictions);
  page.head("cheems:requests_cancelled_total", "counter",
            "Requests that ended early, by reason.");
  for (auto [reason, count] :
       {std::make_pair("client", &cancelledByClient),
        std::make_pair("timeout", &cancelledByTimeout),
        std::make_pair("shutdown", &cancelledByShutdown)}) {
    page.value("cheems:requests_cancelled_total",
               std::string(",reason=\"") + reason + "\"", double(*count));
  }
  page.counter("cheems:requests_refused_total",
               "Requests that found the queue full.", refusedQueueFull);
  page.head("cheems:engine_seconds_total", "counter",
            "Seconds that the engine's thread spent, by what it did.");
  for (auto [part, spent] :
       {std::make_pair("compute", &computing), std::make_pair("draw", &drawing),
        std::make_pair("tell", &telling),
        std::make_pair("schedule", &scheduling)}) {
    page.value("cheems:engine_seconds_total",
               std::string(",part=\"") + part + "\"", 1e-9 * double(*spent));
  }
  // what dashboards of llama-server look for
  page.counter("llamacpp:prompt_tokens_total", "Tokens of prompts.",
               promptTokens);
  page.counter("llamacpp:tokens_predicted_total", "Tokens generated.",
               generatedTokens);
  page.gauge("llamacpp:requests_processing", "Requests that have a slot.",
             double(running));
  page.gauge("llamacpp:requests_deferred", "Requests that wait for a slot.",
             double(waiting));
  return page.text;
}

} // namespace cheems::serve
