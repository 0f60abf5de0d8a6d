// Who may ask, and from which pages.
#include "../Support/TemporaryFolder.h"
#include "HttpFixture.h"
#include "runtime/Error.h"
#include <fstream>

using namespace cheems;
using namespace cheems::test;

namespace {

std::string write(const TemporaryFolder &folder, const std::string &text) {
  std::string path = (folder.path / "keys").string();
  std::ofstream(path) << text;
  return path;
}

std::string bearer(const std::string &key) {
  return "Authorization: Bearer " + key + "\r\n";
}

class Access : public HttpFixture {};

} // namespace

TEST(ApiKeys, AreReadFromLines) {
  TemporaryFolder folder;
  ApiKeys keys =
      ApiKeys::read(write(folder, "# ours\n\n  first-key \r\nsecond\n"));
  EXPECT_TRUE(keys.any());
  for (const char *allowed :
       {"Bearer first-key", "bearer second", "Bearer  second"}) {
    EXPECT_TRUE(keys.allows(allowed)) << allowed;
  }
  for (const char *refused :
       {"", "Bearer", "Bearer ", "second", "Basic second", "Bearer secon",
        "Bearer second2", "Bearer secondsecond", "Bearer # ours",
        "Bearer Second", "Bearer first-key second"}) {
    EXPECT_FALSE(keys.allows(refused)) << refused;
  }
}

TEST(ApiKeys, MayStandAfterAByteOrderMark) {
  TemporaryFolder folder;
  ApiKeys keys = ApiKeys::read(write(folder, "\xef\xbb\xbf"
                                             "key\r\n"));
  EXPECT_TRUE(keys.allows("Bearer key"));
}

TEST(ApiKeys, OfNobodyLetEverybodyIn) {
  EXPECT_FALSE(ApiKeys().any());
  EXPECT_TRUE(ApiKeys().allows(""));
}

TEST(ApiKeys, AreNotReadFromAFileWithoutThem) {
  TemporaryFolder folder;
  EXPECT_THROW(ApiKeys::read(write(folder, "# none\n\n")), Error);
  EXPECT_THROW(ApiKeys::read(write(folder, "two words\n")), Error);
  EXPECT_THROW(ApiKeys::read((folder.path / "missing").string()), FileUnusable);
  EXPECT_THROW(ApiKeys::read(folder.path.string()), FileUnusable);
}

TEST(Cors, RefusesWhatIsNoOrigin) {
  for (const char *text : {"", "example.org", "https://", "://x",
                           "https://a/path", "https://a, https://b"}) {
    EXPECT_THROW(Cors({text}), Error) << text;
  }
}

TEST_F(Access, NeedsAKeyButForHealthAndPage) {
  keys = ApiKeys({"secret"});
  files.add("/", "text/html", "page", "");
  Received refused = ask(get("/echo"));
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.fields["www-authenticate"], "Bearer");
  EXPECT_EQ(errorOf(refused)["code"], "invalid_api_key");
  EXPECT_EQ(ask(get("/echo", bearer("wrong"))).status, 401);
  EXPECT_EQ(ask(get("/echo", bearer("secret"))).status, 200);
  EXPECT_EQ(ask(get("/health")).status, 200);
  EXPECT_EQ(ask(get("/")).body, "page");
  for (const auto &record : records()) {
    EXPECT_EQ(record.dump().find("secret"), std::string::npos);
    EXPECT_EQ(record.dump().find("wrong"), std::string::npos);
  }
}

TEST_F(Access, RefusesAWrongKeyBeforeTheBodyComes) {
  keys = ApiKeys({"secret"});
  Client client = connect();
  client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n"
              "Expect: 100-continue\r\n\r\n");
  Received refused = client.receive();
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(client.continues, 0);
  EXPECT_EQ(refused.fields["connection"], "close");
  EXPECT_TRUE(client.ends());
}

TEST_F(Access, KeepsAConnectionWhoseRefusedBodyIsThere) {
  keys = ApiKeys({"secret"});
  Client client = connect();
  client.send(post("/echo", "body") + post("/echo", "two", bearer("secret")));
  EXPECT_EQ(client.receive().status, 401);
  EXPECT_EQ(nlohmann::json::parse(client.receive().body)["body"], "two");
}

TEST_F(Access, TellsBrowsersOfListedOrigins) {
  cors = Cors({"https://one.example", "https://two.example/"});
  keys = ApiKeys({"secret"});
  Received asked = ask("OPTIONS /v1/x HTTP/1.1\r\nHost: h\r\n"
                       "Origin: https://two.example\r\n"
                       "Access-Control-Request-Method: POST\r\n"
                       "Access-Control-Request-Headers: authorization, x-a\r\n"
                       "\r\n");
  EXPECT_EQ(asked.status, 204);
  EXPECT_EQ(asked.fields["access-control-allow-origin"], "https://two.example");
  EXPECT_EQ(asked.fields["access-control-allow-headers"], "authorization, x-a");
  EXPECT_NE(asked.fields["access-control-allow-methods"].find("POST"),
            std::string::npos);
  Received answer =
      ask(get("/echo", bearer("secret") + "Origin: https://one.example\r\n"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.fields["access-control-allow-origin"],
            "https://one.example");
  EXPECT_EQ(answer.fields["vary"], "Origin");
  // a page must be able to read why it was refused
  Received refused = ask(get("/echo", "Origin: https://one.example\r\n"));
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.fields["access-control-allow-origin"],
            "https://one.example");
}

TEST_F(Access, RefusesPagesOfOtherOrigins) {
  Received refused = ask(get("/echo", "Origin: https://evil.example\r\n"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.fields.count("access-control-allow-origin"), 0u);
  EXPECT_EQ(ask(get("/echo", "Origin: null\r\n")).status, 403);
  EXPECT_EQ(ask(get("/echo", "Origin: http://localhost\r\n")).status, 200);
  EXPECT_EQ(ask(get("/echo", "Origin: http://localhost.evil\r\n")).status, 403);
}

TEST(Hosts, AreComparedAsNamesAre) {
  Hosts hosts({"localhost", "127.0.0.1", "::1", "Models.Example.org."});
  for (const char *allowed :
       {"localhost", "LocalHost:8080", "localhost.", "127.0.0.1:1", "[::1]",
        "[::1]:65535", "models.example.org:443", "localhost:"}) {
    EXPECT_TRUE(hosts.allows(allowed)) << allowed;
  }
  for (const char *refused :
       {"", ":8080", "evil.example", "localhost.evil.example", "localhost:x",
        "localhost:80:80", "localhost:123456", "127.0.0.1.evil.example",
        "127.0.0.2", "[::2]:80", "a@localhost", "localhost, evil.example",
        "[::1]x", "models.example.org.evil"}) {
    EXPECT_FALSE(hosts.allows(refused)) << refused;
  }
  EXPECT_TRUE(Hosts().allows("anything"));
}

TEST(Hosts, AreNamesWithoutSchemeAndPort) {
  for (const char *wrong : {"", "https://a", "a:80", "a/b", "*", "a b", ".a"}) {
    EXPECT_THROW(Hosts({wrong}), Error) << wrong;
  }
}

TEST_F(Access, RefusesOtherNamesThanTheServersOwn) {
  start();
  gate->set(Readiness::loading);
  gate->limitHosts(Hosts(Hosts::ofLoopback()));
  gate->set(Readiness::ready);
  auto named = [](const std::string &host) {
    return "GET /echo HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  };
  EXPECT_EQ(ask(named("localhost:1234")).status, 200);
  EXPECT_EQ(ask("GET /echo HTTP/1.0\r\n\r\n").status, 200);
  Received refused = ask(named("evil.example:8080"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(errorOf(refused)["message"].get<std::string>().find(
                "'evil.example:8080'; start it with --allowed-host"),
            std::string::npos);
  // to its browser such a page is of the server's own origin
  EXPECT_EQ(ask("GET /health HTTP/1.1\r\nHost: evil.example\r\n"
                "Origin: http://evil.example\r\n\r\n")
                .status,
            403);
}

TEST_F(Access, TellsMoreOfHealthWhereAsked) {
  start();
  gate->tellHealth([] { return R"("waiting":3)"; });
  gate->set(Readiness::ready); // after which it is seen
  EXPECT_EQ(ask(get("/health")).body, R"({"status":"ok","waiting":3})");
}

TEST_F(Access, LetsAllOriginsInWhereAsked) {
  cors = Cors({"*"});
  Received answer = ask(get("/echo", "Origin: null\r\n"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.fields["access-control-allow-origin"], "*");
}

TEST_F(Access, SaysWhetherItIsReady) {
  start();
  gate->set(Readiness::loading);
  Received health = ask(get("/health"));
  EXPECT_EQ(health.status, 503);
  EXPECT_EQ(errorOf(health)["code"], "loading");
  EXPECT_EQ(health.fields.count("retry-after"), 1u);
  EXPECT_EQ(ask(get("/echo")).status, 503);
  gate->set(Readiness::ready);
  EXPECT_EQ(ask(get("/health")).status, 200);
  EXPECT_EQ(ask(get("/echo")).status, 200);
  gate->set(Readiness::draining);
  Received draining = ask(get("/echo"));
  EXPECT_EQ(draining.status, 503);
  EXPECT_EQ(draining.fields["connection"], "close");
  EXPECT_EQ(draining.fields.count("retry-after"), 1u);
  EXPECT_EQ(errorOf(draining)["code"], "shutting_down");
}
