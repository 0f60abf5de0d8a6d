// Files that are a part of the program.
#include "HttpFixture.h"

using namespace cheems::test;

namespace {
class Static : public HttpFixture {
protected:
  Static() {
    files.add("/", "text/html; charset=utf-8", "<p>page</p>",
              "default-src 'none'");
    files.add("/other", "text/plain", "other", "");
  }
};
} // namespace

TEST_F(Static, AreSentWithTheirPolicy) {
  Received page = ask(get("/"));
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<p>page</p>");
  EXPECT_EQ(page.fields["content-type"], "text/html; charset=utf-8");
  EXPECT_EQ(page.fields["content-security-policy"], "default-src 'none'");
  EXPECT_EQ(page.fields["x-content-type-options"], "nosniff");
  EXPECT_EQ(ask(get("/other")).fields.count("content-security-policy"), 0u);
  EXPECT_EQ(ask("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n").fields["content-length"],
            "11");
}

TEST_F(Static, AreNotSentTwice) {
  std::string tag = ask(get("/")).fields["etag"];
  EXPECT_NE(tag, ask(get("/other")).fields["etag"]);
  Client client = connect();
  client.send(get("/", "If-None-Match: W/" + tag + "\r\n") +
              get("/", "If-None-Match: \"old\"\r\n"));
  Received kept = client.receive();
  EXPECT_EQ(kept.status, 304);
  EXPECT_EQ(kept.fields["etag"], tag);
  EXPECT_EQ(client.receive().body, "<p>page</p>");
}

TEST_F(Static, AreThereWhileTheModelIsLoaded) {
  start();
  gate->set(Readiness::loading);
  EXPECT_EQ(ask(get("/")).status, 200);
}

TEST_F(Static, TakeNoPost) {
  EXPECT_EQ(ask(post("/", "")).fields["allow"], "GET, HEAD, OPTIONS");
}
