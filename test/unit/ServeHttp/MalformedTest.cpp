// Broken and smuggled requests: refused, and nothing after them is read.
#include "HttpFixture.h"
#include <random>

using namespace cheems::test;

namespace {

class Malformed : public HttpFixture {
protected:
  /// `text` is refused so, a request that follows is not answered, and the
  /// handler sees none.
  void refused(const std::string &text, int status) {
    Client client = connect();
    client.send(text + get("/hold"));
    Received received = client.receive();
    EXPECT_EQ(received.status, status) << text;
    EXPECT_EQ(received.fields["connection"], "close") << text;
    EXPECT_EQ(received.fields["content-type"], "application/json");
    auto error = errorOf(received);
    for (const char *name : {"message", "type", "param", "code"}) {
      EXPECT_TRUE(error.contains(name)) << name;
    }
    EXPECT_EQ(client.rest(), "") << text;
    EXPECT_EQ(handler->heldCount(), 0u) << text;
  }
};

const std::string head = "POST /echo HTTP/1.1\r\nHost: h\r\n";

} // namespace

TEST_F(Malformed, SmuggledRequestsAreRefused) {
  std::string inner = get("/hold");
  std::string length =
      "Content-Length: " + std::to_string(inner.size()) + "\r\n";
  refused(head + length + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
          400);
  refused(head + "Transfer-Encoding: chunked\r\n" + length + "\r\n0\r\n\r\n" +
              inner,
          400);
  refused(head + "Content-Length: 0\r\n" + length + "\r\n" + inner, 400);
  refused(head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + inner, 501);
  refused(head + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + inner, 400);
  refused(head + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + inner,
          400);
  refused(head + "X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
          400);
}

TEST_F(Malformed, BrokenChunksAreRefused) {
  refused(head + "Transfer-Encoding: chunked\r\n\r\n5\r\nabc\r\n0\r\n\r\n",
          400);
  refused(head + "Transfer-Encoding: chunked\r\n\r\n-2\r\nabc\r\n", 400);
  refused(head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", 413);
}

TEST_F(Malformed, NonsenseIsRefused) {
  refused("\x16\x03\x01 hello\r\n\r\n", 400);
  refused("nonsense\r\n\r\n", 400);
  refused("GET / HTTP/3.0\r\nHost: h\r\n\r\n", 505);
  refused("GET /%0a HTTP/1.1\r\nHost: h\r\n\r\n", 400);
  refused("GET / HTTP/1.1\r\n\r\n", 400);
}

TEST_F(Malformed, WhatCameBeforeIsAnswered) {
  Client client = connect();
  client.send(get("/echo") + "nonsense\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(client.receive().status, 400);
  EXPECT_TRUE(client.ends());
}

TEST_F(Malformed, RandomBytesEndInAnAnswerOrAClose) {
  std::mt19937 random(7);
  const std::string letters = "GET /:POST HTTP/1.1\r\n\r\n 0123;,%";
  for (int i = 0; i < 200; ++i) {
    Client client = connect();
    std::string text = get("/echo").substr(0, random() % 30);
    for (size_t n = random() % 60; n > 0; --n) {
      text += letters[random() % letters.size()];
    }
    client.send(text);
    client.halfClose();
    std::string all = client.rest();
    EXPECT_TRUE(all.empty() || all.compare(0, 9, "HTTP/1.1 ") == 0) << text;
  }
  EXPECT_EQ(ask(get("/echo")).status, 200);
}
