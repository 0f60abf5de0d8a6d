// A sampler's state as bytes: where its random sequence is, and what the
// penalties have seen.
#include "runtime/Sampler/Sampler.h"

#include "runtime/Error.h"

#include <algorithm>
#include <cstring>

#include <xxhash.h>

namespace cheems {

namespace {

/// The first bytes; integers are little-endian. After it are the generator as
/// std::mt19937_64 spells it, the tokens, and XXH3-64 of all bytes before.
struct Header {
  char magic[8];
  uint64_t seed, generatorBytes, tokens;
};
constexpr char magic[] = "CHEEMSS1"; ///< eight bytes, the last is the version

DamagedFile damaged(const std::string &what) {
  return DamagedFile("the sampler's state: " + what);
}

} // namespace

std::string Sampler::state() const {
  RandomState random = randomState();
  Header header = {};
  std::memcpy(header.magic, magic, sizeof(header.magic));
  header.seed = random.seed;
  header.generatorBytes = random.state.size();
  header.tokens = history.size();
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof(header));
  bytes += random.state;
  for (int32_t token : history) {
    bytes.append(reinterpret_cast<const char *>(&token), sizeof(token));
  }
  uint64_t sum = XXH3_64bits(bytes.data(), bytes.size());
  return bytes.append(reinterpret_cast<const char *>(&sum), sizeof(sum));
}

void Sampler::setState(std::string_view bytes) {
  Header header;
  uint64_t sum;
  if (bytes.size() < sizeof(header) + sizeof(sum) ||
      bytes.substr(0, sizeof(header.magic)) !=
          std::string_view(magic, sizeof(header.magic))) {
    throw damaged("it is none, or of another version");
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  std::string_view rest = bytes.substr(sizeof(header));
  rest.remove_suffix(sizeof(sum));
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof(sum), sizeof(sum));
  if (sum != XXH3_64bits(bytes.data(), bytes.size() - sizeof(sum)) ||
      header.generatorBytes > rest.size() ||
      header.tokens !=
          (rest.size() - header.generatorBytes) / sizeof(int32_t) ||
      (rest.size() - header.generatorBytes) % sizeof(int32_t) != 0) {
    throw damaged("its bytes do not match its checksum");
  }
  RandomState random{header.seed,
                     std::string(rest.substr(0, header.generatorBytes))};
  std::vector<int32_t> tokens(header.tokens);
  rest.remove_prefix(header.generatorBytes);
  if (!rest.empty()) {
    std::memcpy(tokens.data(), rest.data(), rest.size());
  }
  if (std::any_of(tokens.begin(), tokens.end(),
                  [](int32_t token) { return token < 0; })) {
    throw damaged("it has a token that is negative");
  }
  setRandomState(random); // throws before anything is changed
  forget();
  accept(tokens.data(), tokens.size());
}

} // namespace cheems
