// Server-sent events.
#include "HttpFixture.h"
#include <sys/resource.h>

using namespace cheems::test;

namespace {
class Streams : public HttpFixture {};
} // namespace

TEST(SseWriter, PutsEveryLineInAField) {
  EXPECT_EQ(SseWriter::text("", "{}"), "data: {}\n\n");
  EXPECT_EQ(SseWriter::text("error", "a\nb"),
            "event: error\ndata: a\ndata: b\n\n");
  EXPECT_EQ(SseWriter::text("", ""), "data: \n\n");
}

TEST_F(Streams, SendEventsAndDone) {
  Client client = connect();
  client.send(post("/hold", "x", "x-request-id: abc\r\n") + get("/echo"));
  SseWriter writer(handler->wait().responder);
  writer.begin({{"X-More", "yes"}});
  writer.event("{\"n\":1}");
  writer.event("named", "{}");
  writer.done();
  Received received = client.receive();
  EXPECT_EQ(received.status, 200);
  EXPECT_EQ(received.fields["content-type"],
            "text/event-stream; charset=utf-8");
  EXPECT_EQ(received.fields["cache-control"], "no-cache");
  EXPECT_EQ(received.fields["x-more"], "yes");
  EXPECT_EQ(received.fields["x-request-id"], "abc");
  EXPECT_EQ(received.body, "data: {\"n\":1}\n\nevent: named\ndata: {}\n\n"
                           "data: [DONE]\n\n");
  EXPECT_TRUE(received.whole);
  // the connection goes on
  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(Streams, SendTheFirstEventAtOnceAndTheNextOnesTogether) {
  limits.streamInterval = milliseconds(500);
  Client client = connect();
  client.send(post("/hold", "x"));
  SseWriter writer(handler->wait().responder);
  writer.begin();
  client.receive(true);
  writer.event("0");
  EXPECT_EQ(client.until("data: 0\n\n\r\n"), "9\r\ndata: 0\n\n\r\n");
  for (int i = 1; i <= 100; ++i) {
    writer.event(std::to_string(i));
  }
  std::string chunks = client.until("data: 100\n\n");
  size_t count = 0;
  for (size_t at = chunks.find("\r\ndata"); at != std::string::npos;
       at = chunks.find("\r\ndata", at + 1)) {
    ++count;
  }
  // one, unless the interval ended between two events
  EXPECT_GE(count, 1u);
  EXPECT_LT(count, 50u);
}

TEST_F(Streams, EndWithWhatWasToBeSentLater) {
  limits.streamInterval = milliseconds(60000);
  Client client = connect();
  client.send(post("/hold", "x"));
  SseWriter writer(handler->wait().responder);
  writer.begin();
  writer.event("0");
  writer.event("1");
  writer.done();
  EXPECT_EQ(client.receive().body, "data: 0\n\ndata: 1\n\ndata: [DONE]\n\n");
}

TEST_F(Streams, SendEachEventAtOnceWithoutAnInterval) {
  limits.streamInterval = milliseconds(0);
  Client client = connect();
  client.send(post("/hold", "x"));
  SseWriter writer(handler->wait().responder);
  writer.begin();
  client.receive(true);
  for (int i = 0; i < 10; ++i) {
    std::string data = "event-" + std::to_string(i);
    writer.event(data);
    EXPECT_NE(client.until("\n\n").find(data), std::string::npos);
  }
}

TEST_F(Streams, EndWithAnErrorEvent) {
  Client client = connect();
  client.send(post("/hold", "x"));
  SseWriter writer(handler->wait().responder);
  writer.begin();
  writer.fail(errorJson(500, "it broke"));
  Received received = client.receive();
  EXPECT_EQ(received.body.compare(0, 13, "event: error\n"), 0);
  EXPECT_NE(received.body.find("it broke"), std::string::npos);
  EXPECT_TRUE(received.whole);
}

TEST_F(Streams, AreKeptAwakeByComments) {
  limits.ping = milliseconds(50);
  Client client = connect();
  client.send(post("/hold", "x"));
  SseWriter writer(handler->wait().responder);
  writer.begin();
  client.receive(true);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(client.until(": ping\n\n").find(": ping"), std::string::npos);
  }
  writer.done();
  std::string end = client.until("0\r\n\r\n");
  EXPECT_NE(end.find("[DONE]"), std::string::npos);
}

TEST_F(Streams, OfTheOlderVersionEndWithTheConnection) {
  Client client = connect();
  client.send("POST /hold HTTP/1.0\r\nContent-Length: 0\r\n\r\n");
  SseWriter writer(handler->wait().responder);
  writer.begin();
  writer.event("a");
  writer.done();
  Received received = client.receive();
  EXPECT_EQ(received.fields.count("transfer-encoding"), 0u);
  EXPECT_EQ(received.body, "data: a\n\ndata: [DONE]\n\n");
}

TEST_F(Streams, OfTheOlderVersionHaveCommentsWithoutChunks) {
  limits.ping = milliseconds(50);
  Client client = connect();
  client.send("POST /hold HTTP/1.0\r\nContent-Length: 0\r\n\r\n");
  SseWriter writer(handler->wait().responder);
  writer.begin();
  client.receive(true);
  EXPECT_EQ(client.until("\n\n"), ": ping\n\n"); // as time passes
  client.halfClose();                            // is probed for by another one
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.until("\n\n"), ": ping\n\n");
  }
}

TEST_F(Streams, KeepTheirOrderFromOtherThreads) {
  Client client = connect();
  client.send(post("/hold", "x"));
  auto responder = handler->wait().responder;
  std::thread other([&] {
    SseWriter writer(responder);
    writer.begin();
    for (int i = 0; i < 5000; ++i) {
      writer.event(std::to_string(i));
    }
    writer.done();
  });
  std::string expected;
  for (int i = 0; i < 5000; ++i) {
    expected += "data: " + std::to_string(i) + "\n\n";
  }
  EXPECT_EQ(client.receive().body, expected + "data: [DONE]\n\n");
  other.join();
}

TEST_F(Streams, ThousandsWaitWhileOthersAreAnswered) {
  rlimit files = {};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  // two ends a stream are in this process
  size_t count = std::min<size_t>(2000, (files.rlim_cur - 100) / 2);
  ASSERT_GT(count, 100u);
  place.threads = 2;
  std::vector<Client> clients;
  for (size_t i = 0; i < count; ++i) {
    clients.push_back(connect());
    ASSERT_TRUE(clients.back().send(post("/hold", "x")));
  }
  for (size_t i = 0; i < count; ++i) {
    handler->wait(i).responder->beginStream({200, SseWriter::type, "", {}});
  }
  EXPECT_EQ(ask(get("/health")).status, 200);
  EXPECT_EQ(ask(post("/echo", "hi")).status, 200);
  for (size_t i = 0; i < count; ++i) {
    handler->wait(i).responder->send("data: x\n\n");
  }
  for (Client &client : clients) {
    ASSERT_EQ(client.until("data: x\n\n").compare(0, 12, "HTTP/1.1 200"), 0);
  }
  for (Client &client : clients) {
    client.close();
  }
  EXPECT_TRUE(handler->dropped(static_cast<int>(count)));
}
