// Lines of the log.
#include "server/Http/RequestLog.h"
#include <future>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace cheems::serve;
using nlohmann::json;

TEST(RequestLog, WritesOneJsonLineARequest) {
  RequestRecord record;
  record.time =
      std::chrono::system_clock::time_point(std::chrono::milliseconds(1250));
  record.id = "a\n\"b";
  record.path = "/\xff";
  record.status = 200;
  record.seconds = 0.5;
  record.notes = {{"prompt_tokens", "7"}, {"model", "\"m\""}, {"bad", "{"}};
  std::string line = record.line();
  EXPECT_EQ(line.find('\n'), std::string::npos);
  json read = json::parse(line);
  EXPECT_EQ(read["time"], "1970-01-01T00:00:01.250Z");
  EXPECT_EQ(read["id"], "a\n\"b");
  EXPECT_EQ(read["prompt_tokens"], 7);
  EXPECT_EQ(read["model"], "m");
  EXPECT_EQ(read["bad"], "{");
  EXPECT_EQ(read["seconds"], 0.5);
}

TEST(RequestLog, KeepsTheOrderAndLosesNothing) {
  std::string all;
  {
    RequestLog log([&](const std::string &lines) { all += lines; });
    RequestRecord record;
    for (int i = 0; i < 1000; ++i) {
      record.id = std::to_string(i);
      log.write(record);
    }
  }
  std::istringstream lines(all);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_EQ(json::parse(line)["id"], std::to_string(count));
  }
  EXPECT_EQ(count, 1000);
}

TEST(RequestLog, NeverWaitsForASlowReader) {
  std::promise<void> go;
  std::shared_future<void> gone = go.get_future().share();
  std::string all;
  {
    RequestLog log([&](const std::string &lines) {
      gone.wait();
      all += lines;
    });
    RequestRecord record;
    // Up to 8,192 lines wait, and as many may be with the reader, who takes all
    // that there are when it wakes.
    for (int i = 0; i < 20000; ++i) {
      log.write(record);
    }
    go.set_value();
  }
  EXPECT_NE(all.find("{\"lost_lines\":"), std::string::npos);
}
