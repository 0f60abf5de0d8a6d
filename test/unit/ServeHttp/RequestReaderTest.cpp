// Requests from bytes: what is read, what is refused, however it is cut.
#include "server/Http/RequestReader.h"
#include <gtest/gtest.h>

using namespace cheems::serve;
using State = RequestReader::State;

namespace {

const Limits limits = [] {
  Limits small;
  small.headerBytes = 1024;
  small.bodyBytes = 100;
  return small;
}();

/// What becomes of a text that comes `step` bytes at a time.
struct Result {
  Result(const std::string &text, size_t step)
      : held(std::make_unique<RequestReader>(limits)), reader(*held) {
    for (size_t i = 0; i < text.size(); i += step) {
      rest += text.substr(i, step);
      while (reader.take(rest)) {
      }
    }
  }
  std::unique_ptr<RequestReader> held;
  RequestReader &reader;
  std::string rest;
};

/// Reads the text as a whole, and in every small step: all are the same.
Result readAll(const std::string &text) {
  Result whole(text, text.size());
  for (size_t step : {1, 2, 3, 7}) {
    Result cut(text, step);
    EXPECT_EQ(cut.reader.state(), whole.reader.state()) << step << text;
    EXPECT_EQ(cut.reader.status(), whole.reader.status()) << step << text;
    EXPECT_EQ(cut.reader.request().body, whole.reader.request().body);
    if (whole.reader.state() == State::whole) {
      EXPECT_EQ(cut.rest, whole.rest);
    }
  }
  return whole;
}

int statusOf(const std::string &text) {
  Result result = readAll(text);
  EXPECT_EQ(result.reader.state(), State::refused) << text;
  EXPECT_EQ(result.reader.reason().find('\n'), std::string::npos);
  EXPECT_FALSE(result.reader.keepsAlive()) << text;
  return result.reader.status();
}

const std::string start = "POST /x HTTP/1.1\r\nHost: h\r\n";

} // namespace

TEST(RequestReader, ReadsOneRequestAndLeavesTheNext) {
  Result result = readAll("POST /v1/a%20b?q=1 HTTP/1.1\r\nHost: h\r\n"
                          "X-Thing:  two words \r\nContent-Length: 5\r\n\r\n"
                          "helloGET / HTTP/1.1\r\n");
  ASSERT_EQ(result.reader.state(), State::whole);
  HttpRequest &request = result.reader.request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/v1/a b");
  EXPECT_EQ(request.query, "q=1");
  EXPECT_EQ(request.field("x-thing"), "two words");
  EXPECT_EQ(request.field("missing"), "");
  EXPECT_EQ(request.body, "hello");
  EXPECT_EQ(result.rest, "GET / HTTP/1.1\r\n");
  EXPECT_TRUE(result.reader.keepsAlive());
}

TEST(RequestReader, StopsAfterTheHeader) {
  RequestReader reader(limits);
  std::string bytes = start + "Content-Length: 2\r\n\r\nok";
  EXPECT_TRUE(reader.take(bytes));
  EXPECT_EQ(reader.state(), State::body);
  EXPECT_EQ(bytes, "ok");
  EXPECT_EQ(reader.request().path, "/x");
  EXPECT_TRUE(reader.take(bytes));
  EXPECT_EQ(reader.state(), State::whole);
  EXPECT_FALSE(reader.take(bytes));
}

TEST(RequestReader, ReadsChunks) {
  Result result = readAll(
      start + "Transfer-Encoding: Chunked\r\n\r\n"
              "3\r\nabc\r\n0A;name=value\r\n0123456789\r\n0\r\n"
              "x-request-id: from-a-trailer\r\nContent-Length: 9\r\n\r\nnext");
  ASSERT_EQ(result.reader.state(), State::whole);
  EXPECT_EQ(result.reader.request().body, "abc0123456789");
  EXPECT_EQ(result.rest, "next");
  EXPECT_EQ(result.reader.request().field("x-request-id"), "");
}

TEST(RequestReader, ReadsALastChunkThatIsTheFirstByteByByte) {
  const std::string chunked = start + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(readAll(chunked + "0\r\n\r\n").reader.state(), State::whole);
  EXPECT_EQ(readAll(chunked + "0\r\nA: b\r\n\r\n").reader.state(),
            State::whole);
}

TEST(RequestReader, KnowsWhetherTheClientGoesOn) {
  auto keeps = [](const std::string &version, const std::string &field) {
    Result result =
        readAll("GET / " + version + "\r\nHost: h\r\n" + field + "\r\n");
    EXPECT_EQ(result.reader.state(), State::whole);
    return result.reader.keepsAlive();
  };
  EXPECT_TRUE(keeps("HTTP/1.1", ""));
  EXPECT_FALSE(keeps("HTTP/1.1", "Connection: close\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.0", ""));
  EXPECT_TRUE(keeps("HTTP/1.0", "Connection: keep-alive\r\n"));
}

TEST(RequestReader, SkipsAnEmptyLineInFront) {
  EXPECT_EQ(readAll("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n").reader.state(),
            State::whole);
  EXPECT_EQ(statusOf("\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
}

TEST(RequestReader, RefusesTwoLengths) {
  EXPECT_EQ(statusOf(start + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n"),
            400);
  // the same one twice is no better: who adds them up reads another body
  EXPECT_EQ(statusOf(start + "Content-Length: 3\r\nContent-Length: 3\r\n\r\n"),
            400);
  EXPECT_EQ(statusOf(start + "Content-Length: 3, 3\r\n\r\nabc"), 400);
  EXPECT_EQ(statusOf(start + "Content-Length: 3\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n"),
            400);
  EXPECT_EQ(statusOf(start + "Transfer-Encoding: chunked\r\n"
                             "Content-Length: 3\r\n\r\n"),
            400);
  EXPECT_EQ(statusOf(start + "Transfer-Encoding: chunked\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n"),
            400);
}

TEST(RequestReader, RefusesLengthsThatAreNoNumbers) {
  for (const char *length : {"", "-1", "+3", "0x3", "3 ", "3a", "3.0",
                             "99999999999999999999999", "3;"}) {
    std::string text = start + "Content-Length: " + length + "\r\n\r\n" + "abc";
    if (std::string(length) == "3 ") { // spaces around a value are none of it
      EXPECT_EQ(readAll(text).reader.state(), State::whole);
    } else {
      EXPECT_EQ(statusOf(text), 400) << length;
    }
  }
}

TEST(RequestReader, RefusesOtherTransferEncodings) {
  for (const char *name :
       {"gzip", "gzip, chunked", "chunked, identity", "identity", "xchunked",
        "chunked;q=1", "\"chunked\"", "chunked,chunked"}) {
    int status = statusOf(start + "Transfer-Encoding: " + name + "\r\n\r\n");
    EXPECT_EQ(status, 501) << name;
  }
  EXPECT_EQ(statusOf("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
            400);
}

TEST(RequestReader, RefusesOddChunks) {
  const std::string chunked = start + "Transfer-Encoding: chunked\r\n\r\n";
  for (const char *body :
       {"g\r\n", "\r\n", "-1\r\na\r\n", "0x1\r\na\r\n", "+1\r\na\r\n",
        " 1\r\na\r\n", "1\na\n", "1\r\nab\r\n", "1\r\na\n0\r\n\r\n",
        "1;\x01\r\na\r\n0\r\n\r\n", "1 x\r\na\r\n", "0\r\nnocolon\r\n\r\n"}) {
    EXPECT_EQ(statusOf(chunked + body + "\r\n0\r\n\r\n"), 400) << body;
  }
  // what could pass for a negative size
  EXPECT_EQ(statusOf(chunked + "10000000000000000\r\na\r\n"), 400);
  EXPECT_EQ(statusOf(chunked + "fffffffffffffffe\r\na\r\n"), 413);
  EXPECT_EQ(statusOf(chunked + "1;a=\"b\r\na\r\n0\r\n\x01\"\r\n\r\n"), 400);
  EXPECT_EQ(statusOf(chunked + "1;" + std::string(5000, 'x')), 400);
  EXPECT_EQ(statusOf(chunked + "0\r\nx: " + std::string(5000, 'x')), 400);
}

TEST(RequestReader, RefusesBodiesThatAreTooLong) {
  EXPECT_EQ(statusOf(start + "Content-Length: 101\r\n\r\n"), 413);
  const std::string chunked = start + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(statusOf(chunked + "65\r\na"), 413);
  EXPECT_EQ(statusOf(chunked + "32\r\n" + std::string(50, 'a') + "\r\n33\r\nb"),
            413);
  Result most =
      readAll(start + "Content-Length: 100\r\n\r\n" + std::string(100, 'b'));
  EXPECT_EQ(most.reader.state(), State::whole);
}

TEST(RequestReader, RefusesHeadersThatAreTooLong) {
  EXPECT_EQ(statusOf(start + "x: " + std::string(1024, 'a')), 431);
  EXPECT_EQ(statusOf("GET /" + std::string(1024, 'a')), 414);
  std::string many = start;
  for (int i = 0; i < 200; ++i) {
    many += "a: b\r\n";
  }
  EXPECT_EQ(statusOf(many + "\r\n"), 431);
  std::string full = start + "x: \r\n\r\n";
  full.insert(full.size() - 4, std::string(1024 - full.size(), 'a'));
  EXPECT_EQ(readAll(full).reader.state(), State::whole);
  full.insert(full.size() - 4, "a");
  EXPECT_EQ(statusOf(full), 431);
}

TEST(RequestReader, RefusesLinesThatOthersReadDifferently) {
  for (const char *field : {"X: a\r\n folded", "X: a\r\n\tfolded", "X : a",
                            " X: a", "X\t: a", "X: a\nY: b", "X: a\rY: b",
                            "no colon", ": no name", "X y: a", "X: a\x01"}) {
    EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost: h\r\n" + std::string(field) +
                       "\r\n\r\n"),
              400)
        << field;
  }
  std::string zero = "GET / HTTP/1.1\r\nHost: h\r\nX: a";
  zero += '\0';
  EXPECT_EQ(statusOf(zero + "b\r\n\r\n"), 400);
}

TEST(RequestReader, RefusesWhatIsNoRequest) {
  EXPECT_EQ(statusOf("\x16\x03\x01\x02"), 400); // TLS
  EXPECT_EQ(statusOf(" GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(statusOf("GET\r\n\r\n"), 400);
  EXPECT_EQ(statusOf("GET  / HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(statusOf("GET / HTTP/1.1 \r\nHost: h\r\n\r\n"), 505);
  EXPECT_EQ(statusOf("G\xc3\xa9T / HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(statusOf("GET x HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(statusOf("GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(statusOf("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), 505);
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\n\r\n"), 400); // no Host
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
}

TEST(RequestReader, RefusesWhatIsNotThere) {
  EXPECT_EQ(statusOf(start + "Content-Encoding: gzip\r\n\r\n"), 415);
  EXPECT_EQ(statusOf(start + "Expect: 200-ok\r\n\r\n"), 417);
}

TEST(RequestReader, KnowsWhoWaitsForContinue) {
  auto waits = [](const std::string &version) {
    Result result = readAll("POST / " + version +
                            "\r\nHost: h\r\nExpect: 100-Continue\r\n"
                            "Content-Length: 1\r\n\r\n");
    return result.reader.expectsContinue();
  };
  EXPECT_TRUE(waits("HTTP/1.1"));
  EXPECT_FALSE(waits("HTTP/1.0"));
}

TEST(RequestReader, BodiesShareABudget) {
  auto memory = std::make_shared<Budget>(100);
  auto share = [&] { return std::make_shared<BudgetShare>(memory); };
  std::string told = start + "Content-Length: 60\r\n\r\n",
              chunked = start + "Transfer-Encoding: chunked\r\n\r\n3c\r\n" +
                        std::string(60, 'x') + "\r\n0\r\n\r\n";
  for (std::string bytes : {told + std::string(60, 'x'), chunked}) {
    RequestReader first(limits, share());
    std::string half = told + std::string(50, 'x');
    while (first.take(half)) {
    }
    {
      RequestReader second(limits, share());
      std::string copy = bytes;
      while (second.take(copy)) {
      }
      EXPECT_EQ(second.state(), State::refused);
      EXPECT_EQ(second.status(), 503);
      EXPECT_FALSE(second.keepsAlive());
    }
    half = std::string(10, 'x');
    while (first.take(half)) {
    }
    EXPECT_EQ(first.state(), State::whole);
    {
      HttpRequest gone = std::move(first.request());
    }
    RequestReader third(limits, share());
    while (third.take(bytes)) {
    }
    EXPECT_EQ(third.state(), State::whole);
  }
}
