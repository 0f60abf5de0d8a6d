// The text for Prometheus, and what the engine counts.
#include "../Support/TemporaryFolder.h"
#include "EngineHarness.h"
#include "runtime/Error.h"
#include "server/Engine/Job.h"
#include "server/Engine/MemoryLimit.h"
#include <array>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

using namespace cheems;
using namespace cheems::test;
using namespace cheems::serve;
using testing::HasSubstr;

namespace {

TEST(Metrics, everyLineIsOneOfTheFormat) {
  Metrics metrics;
  metrics.timeToFirstToken.observe(0.3);
  std::istringstream page(metrics.render("a \"model\"\\\n"));
  std::regex sample("[a-zA-Z0-9_:]+\\{model_name=\"a \\\\\"model\\\\\"\\\\\\\\"
                    "\\\\n\"(,[a-z_]+=\"[^\"]+\")*\\} [-+0-9.e]+"),
      comment("# (HELP|TYPE) [a-zA-Z0-9_:]+ .+");
  std::set<std::string> names;
  for (std::string line; std::getline(page, line);) {
    EXPECT_TRUE(std::regex_match(line, sample) ||
                std::regex_match(line, comment))
        << line;
    if (line.rfind("# TYPE ", 0) == 0) {
      EXPECT_TRUE(names.insert(line.substr(7, line.find(' ', 7) - 7)).second);
    }
  }
  for (const char *name :
       {"num_requests_running", "num_requests_waiting", "kv_cache_usage_perc",
        "prefix_cache_queries_total", "prefix_cache_hits_total",
        "prompt_tokens_total", "generation_tokens_total",
        "request_success_total", "time_to_first_token_seconds",
        "inter_token_latency_seconds", "e2e_request_latency_seconds",
        "request_queue_time_seconds", "iteration_tokens_total",
        "state_cache_bytes", "state_cache_evictions_total",
        "requests_cancelled_total", "engine_seconds_total"}) {
    EXPECT_EQ(names.count(std::string("cheems:") + name), 1u) << name;
  }
}

TEST(Metrics, aHistogramCountsUpToEachBound) {
  Histogram values({1, 2.5});
  for (double value : {0.5, 1.0, 2.0, 9.0}) {
    values.observe(value);
  }
  std::string text;
  values.render("h", "a=\"b\"", text);
  EXPECT_EQ(text, "h_bucket{a=\"b\",le=\"1\"} 2\n"
                  "h_bucket{a=\"b\",le=\"2.5\"} 3\n"
                  "h_bucket{a=\"b\",le=\"+Inf\"} 4\n"
                  "h_sum{a=\"b\"} 12.5\nh_count{a=\"b\"} 4\n");
}

TEST(Metrics, theEngineCountsWhatItDoes) {
  EngineOptions options = engineOptions(2);
  options.metrics = std::make_shared<Metrics>();
  auto engine = makeEngine(textModel(Kind::entries), options);
  GenerationRequest each = request(randomPrompt(1, 40), 6);
  each.ignoreEos = true;
  ask(*engine, each);
  ask(*engine, each);
  const Metrics &metrics = *options.metrics;
  EXPECT_EQ(metrics.promptTokens, 80);
  EXPECT_EQ(metrics.generatedTokens, 12);
  EXPECT_EQ(metrics.prefixQueries, 80);
  EXPECT_EQ(metrics.prefixHits, 39);
  EXPECT_EQ(metrics.finishedLength, 2);
  EXPECT_EQ(metrics.timeToFirstToken.count(), 2);
  EXPECT_EQ(metrics.interTokenLatency.count(), 10);
  EXPECT_EQ(metrics.endToEnd.count(), 2);
}

TEST(Metrics, theEnginesTimeIsSharedOut) {
  EngineOptions options = engineOptions(2);
  options.metrics = std::make_shared<Metrics>();
  const Metrics &metrics = *options.metrics;
  auto parts = [&] {
    return std::array<int64_t, 4>{metrics.computing, metrics.drawing,
                                  metrics.telling, metrics.scheduling};
  };
  EXPECT_EQ(parts(), (std::array<int64_t, 4>{}));
  Clock::time_point begin = Clock::now();
  {
    auto engine = makeEngine(textModel(Kind::entries), options);
    GenerationRequest each = request(randomPrompt(1, 40), 6);
    each.ignoreEos = true;
    ask(*engine, each);
  } // the last turn of its loop has ended
  int64_t passed = nanosecondsSince(begin), sum = 0;
  for (int64_t part : parts()) {
    EXPECT_GT(part, 0);
    sum += part;
  }
  EXPECT_LE(sum, passed);
}

TEST(Metrics, promptsThatMayNotBeginWithAnEarlierStateAreNotLookedFor) {
  EngineOptions options = engineOptions(1);
  options.metrics = std::make_shared<Metrics>();
  auto engine = makeEngine(textModel(Kind::entries), options);
  GenerationRequest each = request(randomPrompt(1, 40), 1);
  each.cachePrompt = false;
  ask(*engine, each);
  EXPECT_EQ(options.metrics->prefixQueries, 0);
  EXPECT_EQ(options.metrics->promptTokens, 40);
}

TEST(MemoryLimit, theLeastOfAllCounts) {
  TemporaryFolder root;
  auto write = [&](const std::string &path, const std::string &text) {
    auto file = root.path / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  };
  EXPECT_EQ(memoryLimit(root.path), INT64_MAX);
  write("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 5 kB\n");
  EXPECT_EQ(memoryLimit(root.path), 1024000);
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(memoryLimit(root.path), 1024000);
  write("sys/fs/cgroup/a/memory.max", "5000\n");
  EXPECT_EQ(memoryLimit(root.path), 5000);
  write("sys/fs/cgroup/a/b/memory.max", "4000\n");
  EXPECT_EQ(memoryLimit(root.path), 4000);
  write("proc/self/cgroup", "3:cpu,memory:/x\n1:name=systemd:/y\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "3000\n");
  EXPECT_EQ(memoryLimit(root.path), 3000);
}

TEST(MemoryLimit, whatDoesNotFitIsRefusedByTheOptionToLower) {
  auto refusal = [](int64_t limit, int64_t cache) -> std::string {
    EngineOptions options = engineOptions(2);
    options.memoryLimit = limit;
    options.cacheBytes = cache;
    try {
      makeEngine(textModel(Kind::entries), options);
      return "";
    } catch (const Error &error) {
      return error.what();
    }
  };
  EXPECT_THAT(refusal(100, 0), HasSubstr("lower --parallel or --ctx-size"));
  EXPECT_THAT(refusal(1 << 20, 1 << 21), HasSubstr("lower --cache-ram"));
  EXPECT_EQ(refusal(1 << 20, 1 << 10), "");
}

} // namespace
