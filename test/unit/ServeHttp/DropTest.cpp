// Clients that go before their answer is complete, and those that only stop
// sending.
#include "HttpFixture.h"
#include <future>

using namespace cheems::test;

namespace {
class Drops : public HttpFixture {
protected:
  std::string endOf(size_t index) {
    auto lines = records();
    return index < lines.size() ? lines[index]["end"].get<std::string>() : "";
  }
};
} // namespace

TEST_F(Drops, AreNoticedWhileAnAnswerIsMade) {
  Client client = connect();
  client.send(post("/hold", "x"));
  handler->wait();
  client.close();
  EXPECT_TRUE(handler->dropped());
  EXPECT_EQ(endOf(0), "dropped");
}

TEST_F(Drops, AreNoticedByAReset) {
  Client client = connect();
  client.send(post("/hold", "x"));
  handler->wait();
  client.reset();
  EXPECT_TRUE(handler->dropped());
}

TEST_F(Drops, AreNoticedInASilentStream) {
  Client client = connect();
  client.send(post("/hold", "x"));
  SseWriter writer(handler->wait().responder);
  writer.begin();
  writer.event("{}");
  EXPECT_EQ(client.receive(true).status, 200);
  client.close();
  EXPECT_TRUE(handler->dropped());
  writer.event("{}"); // does nothing
  writer.done();
  EXPECT_EQ(endOf(0), "dropped");
}

TEST_F(Drops, AreToldAtOnceToWhoAsksLate) {
  Client client = connect();
  client.send(post("/hold", "x"));
  auto held = handler->wait();
  client.close();
  ASSERT_TRUE(handler->dropped());
  std::promise<void> late;
  held.responder->onDropped([&] { late.set_value(); });
  EXPECT_EQ(late.get_future().wait_for(std::chrono::seconds(10)),
            std::future_status::ready);
}

TEST_F(Drops, AreNotToldOfAnswersThatAreComplete) {
  Client client = connect();
  client.send(get("/hold"));
  handler->wait().responder->respond({});
  EXPECT_EQ(client.receive().status, 200);
  client.close();
  ask(get("/echo"));
  stop();
  EXPECT_EQ(handler->dropCount(), 0);
}

TEST_F(Drops, OfAPipeliningClientAreToldOnce) {
  Client client = connect();
  client.send(get("/hold") + get("/hold"));
  handler->wait();
  client.reset();
  EXPECT_TRUE(handler->dropped());
  stop();
  EXPECT_EQ(handler->heldCount(), 1u); // the second was never begun
}

TEST_F(Drops, AreNoticedAfterPipelinedBytes) {
  limits.aheadBytes = 1000;
  limits.look = milliseconds(20);
  for (bool reset : {false, true}) {
    handler = std::make_shared<StandIn>();
    start();
    Client client = connect();
    std::string more;
    for (int i = 0; i < 1000; ++i) {
      more += get("/echo");
    }
    client.send(get("/hold") + more);
    handler->wait();
    std::this_thread::sleep_for(milliseconds(50)); // reading has paused
    if (reset) {
      client.reset();
    } else {
      client.close();
    }
    EXPECT_TRUE(handler->dropped()) << reset;
    stop();
  }
}

TEST_F(Drops, AreNoticedAfterMoreBytesThanTheSystemKeeps) {
  limits.aheadBytes = 1000;
  limits.look = milliseconds(20);
  limits.ping = milliseconds(100);
  Client client = connect();
  client.send(get("/hold"));
  handler->wait();
  client.sendWhatGoes(std::string(64 << 20, 'x')); // no end can follow it
  client.close();
  EXPECT_TRUE(handler->dropped());
}

TEST_F(Drops, HalfClosedClientsGetTheirAnswerAfterPipelinedBytes) {
  limits.aheadBytes = 1000;
  limits.look = milliseconds(20);
  Client client = connect();
  std::string more;
  for (int i = 0; i < 100; ++i) {
    more += get("/echo");
  }
  client.send(get("/hold") + more);
  client.halfClose();
  auto held = handler->wait();
  std::this_thread::sleep_for(milliseconds(200));
  held.responder->respond({});
  for (int i = 0; i < 101; ++i) {
    ASSERT_EQ(client.receive().status, 200) << i;
  }
  EXPECT_EQ(handler->dropCount(), 0);
}

TEST_F(Drops, HalfClosedClientsOfTheOlderVersionGetTheirAnswer) {
  Client client = connect();
  client.send("POST /hold HTTP/1.0\r\nContent-Length: 0\r\n\r\n");
  client.halfClose();
  auto held = handler->wait();
  std::this_thread::sleep_for(milliseconds(50));
  HttpResponse response;
  response.body = "still here";
  held.responder->respond(response);
  EXPECT_EQ(client.receive().body, "still here");
  EXPECT_EQ(handler->dropCount(), 0);
}

TEST_F(Drops, OfTheOlderVersionAreNoticedByAReset) {
  Client client = connect();
  client.send("POST /hold HTTP/1.0\r\nContent-Length: 0\r\n\r\n");
  client.halfClose();
  handler->wait();
  std::this_thread::sleep_for(milliseconds(50)); // its end has been seen
  client.reset();
  EXPECT_TRUE(handler->dropped());
}

TEST_F(Drops, HalfClosedClientsGetTheirAnswer) {
  Client client = connect();
  client.send(post("/hold", "x"));
  client.halfClose();
  auto held = handler->wait();
  std::this_thread::sleep_for(milliseconds(50));
  HttpResponse response;
  response.body = "still here";
  held.responder->respond(response);
  EXPECT_EQ(client.receive().body, "still here");
  EXPECT_TRUE(client.ends());
  EXPECT_EQ(handler->dropCount(), 0);
  EXPECT_EQ(endOf(0), "done");
}

TEST_F(Drops, HalfClosedClientsGetTheirStream) {
  Client client = connect();
  client.send(post("/hold", "x"));
  SseWriter writer(handler->wait().responder);
  writer.begin();
  client.halfClose();
  std::this_thread::sleep_for(milliseconds(50));
  writer.event("{\"a\":1}");
  writer.done();
  std::string body = client.receive().body;
  EXPECT_NE(body.find("data: {\"a\":1}\n\n"), std::string::npos);
  EXPECT_NE(body.find("data: [DONE]\n\n"), std::string::npos);
  EXPECT_TRUE(client.ends());
  EXPECT_EQ(handler->dropCount(), 0);
}

TEST_F(Drops, HalfClosedClientsGetAllPipelinedAnswers) {
  Client client = connect();
  client.send(get("/echo?1") + get("/hold") + get("/echo?3"));
  client.halfClose();
  EXPECT_EQ(client.receive().status, 200);
  handler->wait().responder->respond({});
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(nlohmann::json::parse(client.receive().body)["query"], "3");
  EXPECT_TRUE(client.ends());
}

TEST_F(Drops, AHalfRequestIsRefused) {
  Client client = connect();
  client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab");
  client.halfClose();
  EXPECT_EQ(client.receive().status, 400);
  EXPECT_TRUE(client.ends());
  Client silent = connect();
  silent.halfClose();
  EXPECT_TRUE(silent.ends());
}

TEST_F(Drops, HandlersThatLetAStreamGoDoNotMakeItLookWhole) {
  Client client = connect();
  client.send(get("/hold"));
  {
    auto held = handler->wait();
    held.responder->beginStream({});
    held.responder->send("half");
  }
  handler->clear();
  Received received = client.receive();
  EXPECT_EQ(received.status, 200);
  EXPECT_FALSE(received.whole);
}
