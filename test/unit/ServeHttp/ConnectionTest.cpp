// Requests and answers on one connection.
#include "HttpFixture.h"
#include <set>

using namespace cheems::test;

namespace {
class ConnectionTests : public HttpFixture {};

nlohmann::json echoed(const Received &received) {
  EXPECT_EQ(received.status, 200);
  return nlohmann::json::parse(received.body);
}
} // namespace

TEST_F(ConnectionTests, TakesManyRequests) {
  Client client = connect();
  for (int i = 0; i < 20; ++i) {
    std::string body(static_cast<size_t>(i) * 1000, 'x');
    ASSERT_TRUE(client.send(post("/echo?n=" + std::to_string(i), body)));
    auto answer = echoed(client.receive());
    EXPECT_EQ(answer["body"], body);
    EXPECT_EQ(answer["query"], "n=" + std::to_string(i));
    EXPECT_EQ(answer["client"], "127.0.0.1");
  }
}

TEST_F(ConnectionTests, AnswersPipelinedRequestsInOrder) {
  Client client = connect();
  client.send(post("/hold", "") + post("/echo", "second") + get("/nothing") +
              post("/echo", "fourth"));
  auto held = handler->wait();
  HttpResponse first;
  first.body = "first";
  held.responder->respond(first);
  EXPECT_EQ(client.receive().body, "first");
  EXPECT_EQ(echoed(client.receive())["body"], "second");
  EXPECT_EQ(client.receive().status, 404);
  EXPECT_EQ(echoed(client.receive())["body"], "fourth");
}

TEST_F(ConnectionTests, ReadsMoreThanItKeepsOfPipelinedRequests) {
  limits.aheadBytes = 1000;
  Client client = connect();
  std::string body(500, 'p'), all;
  for (int i = 0; i < 100; ++i) {
    all += post("/echo", body);
  }
  client.send(post("/hold", "") + all);
  handler->wait().responder->respond({});
  EXPECT_EQ(client.receive().status, 200);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(echoed(client.receive())["body"], body);
  }
}

TEST_F(ConnectionTests, ReadsByteByByte) {
  Client client = connect();
  for (char c : post("/echo", "slow", "Transfer: none\r\n")) {
    ASSERT_TRUE(client.send(std::string(1, c)));
  }
  EXPECT_EQ(echoed(client.receive())["body"], "slow");
}

TEST_F(ConnectionTests, ReadsLargeBodiesAndSendsThemBack) {
  Client client = connect();
  std::string body(3 << 20, 'l');
  client.send(post("/echo", body));
  EXPECT_EQ(echoed(client.receive())["body"], body);
  client.send("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked"
              "\r\n\r\n200000\r\n" +
              std::string(0x200000, 'c') + "\r\n0\r\n\r\n");
  EXPECT_EQ(echoed(client.receive())["body"].get<std::string>().size(),
            0x200000u);
}

TEST_F(ConnectionTests, ClosesWhereTheClientAsksForIt) {
  Client client = connect();
  client.send(get("/echo", "Connection: close\r\n") + get("/echo"));
  Received answer = client.receive();
  EXPECT_EQ(answer.fields["connection"], "close");
  EXPECT_TRUE(client.ends());
}

TEST_F(ConnectionTests, SpeaksTheOlderVersion) {
  Client client = connect();
  client.send("GET /echo HTTP/1.0\r\n\r\n");
  Received answer = client.receive();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.fields["connection"], "close");
  EXPECT_TRUE(client.ends());
}

TEST_F(ConnectionTests, AnswersHeadWithoutABody) {
  Client client = connect();
  client.send("HEAD /echo HTTP/1.1\r\nHost: h\r\n\r\n" + get("/health"));
  Received head = client.receive(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_GT(std::stoi(head.fields["content-length"]), 10);
  EXPECT_EQ(client.receive().body, R"({"status":"ok"})");
}

TEST_F(ConnectionTests, AnswersOptionsAndOtherMethods) {
  Received options = ask("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(options.status, 204);
  EXPECT_NE(options.fields["allow"].find("POST"), std::string::npos);
  for (const char *method : {"DELETE", "PUT", "TRACE", "BREW"}) {
    Received refused =
        ask(std::string(method) + " /echo HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(refused.status, 405) << method;
    EXPECT_EQ(refused.fields["allow"], "GET, HEAD, POST, OPTIONS");
  }
  Received health = ask(post("/health", ""));
  EXPECT_EQ(health.status, 405);
  EXPECT_EQ(health.fields["allow"], "GET, HEAD, OPTIONS");
}

TEST_F(ConnectionTests, SaysContinueToWhoWaitsForIt) {
  Client client = connect();
  client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n"
              "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("body");
  EXPECT_EQ(echoed(client.receive())["body"], "body");
  // one that did not wait is not told
  client.send(post("/echo", "at once", "Expect: 100-continue\r\n"));
  EXPECT_EQ(echoed(client.receive())["body"], "at once");
  EXPECT_EQ(client.continues, 0);
}

TEST_F(ConnectionTests, GivesEveryAnswerAnId) {
  Received own = ask(get("/echo", "x-request-id: mine-1.2_3\r\n"));
  EXPECT_EQ(own.fields["x-request-id"], "mine-1.2_3");
  EXPECT_EQ(echoed(own)["id"], "mine-1.2_3");
  std::set<std::string> ids;
  for (const std::string &request :
       {get("/echo"), get("/nothing"), get("/throw"), get("/health"),
        std::string("nonsense\r\n\r\n"),
        get("/echo", "x-request-id: {\"a\"}\r\n"),
        get("/echo", "x-request-id: " + std::string(65, 'a') + "\r\n")}) {
    std::string id = ask(request).fields["x-request-id"];
    EXPECT_EQ(id.size(), 28u) << request;
    EXPECT_EQ(id.compare(0, 4, "req-"), 0) << id;
    EXPECT_TRUE(ids.insert(id).second);
  }
}

TEST_F(ConnectionTests, AnswersWhereTheHandlerFails) {
  EXPECT_EQ(ask(get("/throw")).status, 500);
  EXPECT_EQ(errorOf(ask(get("/forget")))["type"], "server_error");
}

TEST_F(ConnectionTests, TakesOneAnswerOnly) {
  Client client = connect();
  client.send(get("/hold") + get("/echo"));
  auto held = handler->wait();
  HttpResponse first, second;
  first.body = "one";
  second.body = "two";
  held.responder->respond(first);
  held.responder->respond(second);
  held.responder->beginStream(second);
  held.responder->send("three");
  held.responder->endStream();
  EXPECT_EQ(client.receive().body, "one");
  EXPECT_EQ(echoed(client.receive())["method"], "GET");
}

TEST_F(ConnectionTests, IsLogged) {
  ask(post("/echo?secret=1", "12345", "x-request-id: abc\r\n"));
  ask(get("/nothing"));
  ask("broken\r\n\r\n");
  auto lines = records();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["id"], "abc");
  EXPECT_EQ(lines[0]["path"], "/echo");
  EXPECT_EQ(lines[0]["method"], "POST");
  EXPECT_EQ(lines[0]["status"], 200);
  EXPECT_EQ(lines[0]["received"], 5);
  EXPECT_EQ(lines[0]["echoed"], 5);
  EXPECT_EQ(lines[0]["end"], "done");
  EXPECT_EQ(lines[0]["client"], "127.0.0.1");
  EXPECT_EQ(lines[0].dump().find("secret"), std::string::npos);
  EXPECT_EQ(lines[1]["status"], 404);
  EXPECT_EQ(lines[2]["status"], 400);
}

TEST_F(ConnectionTests, OutlivesItsListener) {
  Client client = connect();
  client.send(get("/hold"));
  auto held = handler->wait();
  stop();
  held.responder->respond({});
  held.responder->send("nobody hears this");
  EXPECT_EQ(client.rest(), "");
}
