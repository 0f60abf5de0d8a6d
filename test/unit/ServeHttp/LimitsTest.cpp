// Slow, long and too many clients.
#include "HttpFixture.h"

using namespace cheems::test;

namespace {
class LimitTests : public HttpFixture {};
} // namespace

TEST_F(LimitTests, SlowHeadersAreRefused) {
  limits.header = milliseconds(100);
  Client client = connect();
  client.send("GET /echo HTT");
  Received refused = client.receive();
  EXPECT_EQ(refused.status, 408);
  EXPECT_TRUE(client.ends());
}

TEST_F(LimitTests, DrippingHeadersAreRefused) {
  limits.header = milliseconds(200);
  Client client = connect();
  client.send("GET /echo HTTP/1.1\r\n");
  for (int i = 0; i < 100 && client.send("x: y\r\n"); ++i) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_EQ(client.receive().status, 408);
}

TEST_F(LimitTests, SlowBodiesAreRefused) {
  limits.body = milliseconds(100);
  Client client = connect();
  client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab");
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_TRUE(client.ends());
}

TEST_F(LimitTests, SilentConnectionsAreClosed) {
  limits.header = milliseconds(1000);
  limits.idle = milliseconds(50);
  Client client = connect();
  EXPECT_TRUE(client.ends());
  Client used = connect();
  used.send(get("/echo"));
  EXPECT_EQ(used.receive().status, 200);
  EXPECT_TRUE(used.ends());
}

TEST_F(LimitTests, AnswersTakeAsLongAsTheyTake) {
  limits.header = limits.body = limits.idle = milliseconds(1000);
  Client client = connect();
  client.send(post("/hold", "x"));
  auto held = handler->wait();
  std::this_thread::sleep_for(milliseconds(1500));
  held.responder->respond({});
  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(LimitTests, LongBodiesAreRefusedBeforeTheyCome) {
  limits.bodyBytes = 1000;
  Client client = connect();
  client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n"
              "Expect: 100-continue\r\n\r\n");
  Received refused = client.receive();
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(client.continues, 0);
  EXPECT_TRUE(client.ends());
}

TEST_F(LimitTests, ARefusedClientThatGoesOnSendingSeesWhy) {
  limits.bodyBytes = 1000;
  Client client = connect();
  ASSERT_TRUE(client.send(post("/echo", std::string(200000, 'x'))));
  EXPECT_EQ(client.receive().status, 413);
}

TEST_F(LimitTests, LongHeadersAreRefused) {
  EXPECT_EQ(ask(get("/echo", "x: " + std::string(20000, 'x') + "\r\n")).status,
            431);
  EXPECT_EQ(ask(get("/" + std::string(20000, 'x'))).status, 414);
}

TEST_F(LimitTests, OneConnectionTooManyIsTurnedAway) {
  limits.connections = 2;
  Client first = connect(), second = connect();
  first.send(get("/echo"));
  second.send(get("/echo"));
  EXPECT_EQ(first.receive().status, 200);
  EXPECT_EQ(second.receive().status, 200);
  Client third = connect();
  Received refused = third.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(errorOf(refused)["code"], "connections");
  first.close();
  // the place is free as soon as the server has seen that
  for (int i = 0; i < 100 && listener->connections() > 1; ++i) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_EQ(ask(get("/echo")).status, 200);
}

TEST_F(LimitTests, AClientThatReadsNothingIsDropped) {
  limits.stall = milliseconds(200);
  Client client = connect(4096);
  client.send(get("/hold"));
  HttpResponse large; // more than the kernel keeps for it
  large.body.assign(64 << 20, 'x');
  handler->wait().responder->respond(std::move(large));
  for (int i = 0; i < 500 && listener->connections() > 0; ++i) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_EQ(listener->connections(), 0u);
  EXPECT_EQ(records().at(0)["end"], "stalled");
}

TEST_F(LimitTests, AClientThatReadsSteadilyIsNotHoweverSlowly) {
  limits.stall = milliseconds(300);
  Client client = connect(4096);
  client.send(get("/hold"));
  HttpResponse large; // more than the kernel keeps for it
  large.body.assign(16 << 20, 'x');
  handler->wait().responder->respond(std::move(large));
  // while no more is written, as the system's buffer is nearly full
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(milliseconds(20));
    ASSERT_TRUE(client.readSome(4096)) << i;
  }
  EXPECT_EQ(listener->connections(), 1u);
  EXPECT_EQ(client.receive().body.size(), size_t{16} << 20);
}

TEST_F(LimitTests, AnswersThatNobodyTakesHaveALimitOfMemory) {
  limits.memoryBytes = limits.bodyBytes = 8 << 20;
  Client idle = connect(4096), other = connect();
  idle.send(get("/hold"));
  HttpResponse large;
  large.body.assign(7 << 20, 'x'); // of which the kernel takes a part
  handler->wait(0).responder->respond(large);
  other.send(get("/hold"));
  handler->wait(1).responder->respond(large);
  Received refused = other.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.fields["retry-after"], "1");
  EXPECT_EQ(ask(get("/health")).status, 200);
  idle.close();
  for (int i = 0; i < 500 && listener->connections() > 1; ++i) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  other.send(get("/hold"));
  handler->wait(2).responder->respond(large);
  EXPECT_EQ(other.receive().body.size(), size_t{7} << 20);
}

TEST_F(LimitTests, AStreamThatIsReadGoesOnWhereNoMemoryIsLeft) {
  limits.memoryBytes = 8 << 20;
  limits.bodyBytes = 1 << 20;
  Client idle = connect(4096), reading = connect();
  reading.send(get("/hold"));
  SseWriter events(handler->wait(0).responder);
  events.begin();
  idle.send(get("/hold"));
  SseWriter large(handler->wait(1).responder);
  large.begin();
  large.event(std::string((8 << 20) - 100, 'x'));
  EXPECT_EQ(idle.receive(true).status, 200);
  EXPECT_TRUE(idle.readSome(4096)); // of the event, which has all memory
  EXPECT_EQ(ask(post("/echo", "x")).status, 503);
  std::string data(1000, 'y');
  events.event(data);
  events.done();
  EXPECT_EQ(reading.receive().body, "data: " + data + "\n\ndata: [DONE]\n\n");
  EXPECT_EQ(handler->dropCount(), 0);
}

TEST_F(LimitTests, AClientThatReadsSlowlyIsNot) {
  limits.stall = milliseconds(1000);
  Client client = connect(4096);
  client.send(get("/hold"));
  HttpResponse large;
  large.body.assign(8 << 20, 'x');
  handler->wait().responder->respond(std::move(large));
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(client.receive().body.size(), size_t{8} << 20);
}

TEST_F(LimitTests, AnEventMayBeLongerThanTheBuffer) {
  limits.waitingBytes = 100000;
  Client client = connect();
  client.send(get("/hold"));
  SseWriter writer(handler->wait().responder);
  writer.begin();
  std::string data(4 << 20, 'x');
  writer.event(data);
  writer.event("more"); // while the client reads the first one
  writer.done();
  Received received = client.receive();
  EXPECT_TRUE(received.whole);
  EXPECT_TRUE(received.body ==
              "data: " + data + "\n\ndata: more\n\ndata: [DONE]\n\n")
      << received.body.size();
  client.send(get("/echo")); // the connection goes on
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(handler->dropCount(), 0);
}

TEST_F(LimitTests, AllBodiesTogetherHaveALimit) {
  limits.bodyBytes = limits.memoryBytes = 1000;
  std::string body(800, 'x');
  Client holding = connect();
  holding.send(post("/hold", body));
  handler->wait();
  Received refused = ask(post("/echo", body));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.fields["retry-after"], "1");
  EXPECT_EQ(ask(post("/echo", "short")).status, 200);
  handler->wait().responder->respond({});
  EXPECT_EQ(holding.receive().status, 200);
  handler->clear(); // the handler lets the request go
  EXPECT_EQ(ask(post("/echo", body)).status, 200);
  EXPECT_EQ(ask(post("/echo", body)).status, 200);
}

TEST_F(LimitTests, AStreamWaitsInABoundedBuffer) {
  limits.waitingBytes = 100000;
  Client client = connect(4096);
  client.send(get("/hold"));
  SseWriter writer(handler->wait().responder);
  writer.begin();
  std::string data(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) { // far more than kernel and buffer hold
    writer.event(data);
  }
  EXPECT_TRUE(handler->dropped());
  EXPECT_EQ(records().at(0)["end"], "stalled");
}
