// Heads of answers.
#include "server/Http/ResponseHead.h"
#include "server/Http/Refusal.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace cheems::serve;

TEST(ResponseHead, HasNoSecondFieldInAValue) {
  HttpResponse response;
  response.fields = {{"X-Name", "a\r\nSet-Cookie: b\r\n\r\n<html>"}};
  Framing framing;
  framing.id = "id";
  framing.length = 3;
  std::string text = headText(response, framing);
  EXPECT_EQ(text.find("\nSet-Cookie"), std::string::npos);
  EXPECT_EQ(text.find("\r\n\r\n"), text.size() - 4);
  EXPECT_EQ(text.compare(0, 17, "HTTP/1.1 200 OK\r\n"), 0);
  EXPECT_NE(text.find("Content-Length: 3\r\n"), std::string::npos);
  EXPECT_NE(text.find("x-request-id: id\r\n"), std::string::npos);
}

TEST(ResponseHead, HasNoLengthWhereNoBodyMayFollow) {
  HttpResponse response;
  Framing framing;
  framing.length = 0;
  for (int status : {204, 304}) {
    response.status = status;
    EXPECT_EQ(headText(response, framing).find("Content-"), std::string::npos);
  }
}

TEST(ResponseHead, WritesChunks) {
  EXPECT_EQ(chunkText("abc"), "3\r\nabc\r\n");
  EXPECT_EQ(chunkText(std::string(26, 'x')),
            "1a\r\n" + std::string(26, 'x') + "\r\n");
}

TEST(Refusal, HasOpenAIsForm) {
  auto read = nlohmann::json::parse(errorJson(400, "no \xff", "top_p", "bad"));
  EXPECT_EQ(read["error"]["message"], "no \xef\xbf\xbd");
  EXPECT_EQ(read["error"]["type"], "invalid_request_error");
  EXPECT_EQ(read["error"]["param"], "top_p");
  EXPECT_EQ(read["error"]["code"], "bad");
  for (auto [status, type] : {std::pair{403, "permission_error"},
                              std::pair{501, "not_supported_error"},
                              std::pair{503, "unavailable_error"}}) {
    auto error = nlohmann::json::parse(errorJson(status, "no"))["error"];
    EXPECT_EQ(error["type"], type) << status;
  }
  auto plain = nlohmann::json::parse(errorJson(500, "it broke"));
  EXPECT_EQ(plain["error"]["type"], "server_error");
  EXPECT_TRUE(plain["error"]["param"].is_null());
  EXPECT_TRUE(plain["error"]["code"].is_null());
}
