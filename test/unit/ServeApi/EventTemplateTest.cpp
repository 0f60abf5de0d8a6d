// Events that are filled in, against those that are written anew.
#include "server/Api/EventTemplate.h"

#include <gtest/gtest.h>

using namespace cheems::serve;

namespace {

/// Values in another order than they stand in.
Json made(const std::vector<Json> &values) {
  return {{"id", "0\"1,0"},
          {"choices", Json::array({{{"text", values[1]}, {"n", 0}}})},
          {"index", values[0]},
          {"rest", values[2]}};
}

TEST(EventTemplate, HasTheTextOfTheObject) {
  EventTemplate event(3, made);
  for (const std::vector<Json> &values :
       {std::vector<Json>{7, "a \"quote\"\n\u00e9", nullptr},
        std::vector<Json>{-1, "", Json::array({1, "0"})},
        std::vector<Json>{0, 1, Json{{"index", 0}}}}) {
    EXPECT_EQ(
        event.with({dumped(values[0]), dumped(values[1]), dumped(values[2])}),
        dumped(made(values)));
  }
}

TEST(EventTemplate, OfNoValuesIsOneText) {
  Json whole = {{"stop", true}};
  EXPECT_EQ(EventTemplate(0, [&](const auto &) { return whole; }).with({}),
            dumped(whole));
}

} // namespace
