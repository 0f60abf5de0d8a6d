#include "server/Api/TokenText.h"

#include "runtime/Error.h"
#include "runtime/Tokenizer/StreamingDecoder.h"
#include "runtime/Tokenizer/Utf8.h"

#include <algorithm>
#include <cmath>

namespace cheems::serve {

/// Nothing where there is no such token.
static std::optional<std::string> bytesOf(const Tokenizer &tokenizer,
                                          int32_t token) {
  try {
    return tokenizer.tokenBytes(token);
  } catch (const Error &) {
    return std::nullopt;
  }
}

static std::string named(int32_t token) {
  return "token_id:" + std::to_string(token);
}

std::string tokenText(const Tokenizer &tokenizer, int32_t token) {
  std::optional<std::string> known = bytesOf(tokenizer, token);
  if (!known) {
    return named(token);
  }
  const std::string &bytes = *known;
  if (utf8::firstInvalid(bytes) == std::string::npos) {
    return bytes;
  }
  std::string out = "bytes:";
  for (unsigned char byte : bytes) {
    out += "\\x";
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

Json tokenBytes(const Tokenizer &tokenizer, int32_t token) {
  Json out = Json::array();
  for (unsigned char byte : bytesOf(tokenizer, token).value_or("")) {
    out.push_back(int(byte));
  }
  return out;
}

std::vector<std::string> tokenPieces(const Tokenizer &tokenizer,
                                     const std::vector<int32_t> &tokens,
                                     bool skipSpecial) {
  StreamingDecoder decoder(tokenizer, skipSpecial);
  std::vector<std::string> pieces;
  for (int32_t token : tokens) {
    try {
      pieces.push_back(decoder.push(token));
    } catch (const Error &) {
      pieces.emplace_back();
    }
  }
  pieces.push_back(decoder.finish());
  return pieces;
}

int64_t characterCount(const std::string &text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (c & 0xC0) != 0x80; });
}

Json logprobNumber(double logprob) {
  return std::isfinite(logprob) ? logprob : -9999.0;
}

void CompletionLogprobs::add(const TokenLogprob &logprob,
                             const std::string &text) {
  std::string name = tokenText(tokenizer, logprob.token);
  tokens.push_back(name);
  offsets.push_back(offset);
  offset += characterCount(text);
  if (!logprob.logprob) { // the first of a prompt
    logprobs.push_back(nullptr);
    top.push_back(nullptr);
    return;
  }
  Json number = logprobNumber(*logprob.logprob);
  Json best = {{name, number}};
  for (const TokenLogprob::Candidate &each : logprob.best) {
    if (each.token != logprob.token) {
      std::string key = tokenText(tokenizer, each.token);
      // two tokens may have one text: both are told
      best[best.contains(key) ? named(each.token) : key] =
          logprobNumber(each.logprob);
    }
  }
  logprobs.push_back(std::move(number));
  top.push_back(std::move(best));
}

Json CompletionLogprobs::take() {
  Json out = {{"text_offset", std::move(offsets)},
              {"token_logprobs", std::move(logprobs)},
              {"tokens", std::move(tokens)},
              {"top_logprobs", std::move(top)}};
  offsets = logprobs = tokens = top = Json::array();
  return out;
}

Json chatLogprob(const Tokenizer &tokenizer, const TokenLogprob &logprob) {
  auto entry = [&](int32_t token, double value) {
    return Json{{"id", token},
                {"token", tokenText(tokenizer, token)},
                {"bytes", tokenBytes(tokenizer, token)},
                {"logprob", logprobNumber(value)}};
  };
  Json out = entry(logprob.token, logprob.logprob.value_or(0));
  Json &top = out["top_logprobs"] = Json::array();
  for (const TokenLogprob::Candidate &each : logprob.best) {
    top.push_back(entry(each.token, each.logprob));
  }
  return out;
}

} // namespace cheems::serve
