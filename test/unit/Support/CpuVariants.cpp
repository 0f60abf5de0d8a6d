// Reads /proc/cpuinfo. No CPUID here: the runtime's own reading of it is what
// tests are to be held against.
#include "test/unit/Support/CpuVariants.h"
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace cheems::test {

static const std::set<std::string> &flags() {
  static const std::set<std::string> read = [] {
    std::ifstream file("/proc/cpuinfo");
    std::set<std::string> words;
    for (std::string line; words.empty() && std::getline(file, line);) {
      if (line.rfind("flags", 0) == 0) {
        std::istringstream text(line.substr(line.find(':') + 1));
        for (std::string word; text >> word;) {
          words.insert(word);
        }
      }
    }
    if (words.empty()) {
      throw std::runtime_error("/proc/cpuinfo lists no flags");
    }
    return words;
  }();
  return read;
}

/// What each variant needs beside those before it in Linux's words.
static const std::map<std::string, std::vector<std::string>> &needs() {
  static const std::map<std::string, std::vector<std::string>> all = [] {
    std::vector<std::string> v3{"avx", "avx2", "bmi1",  "bmi2", "f16c",
                                "fma", "abm",  "movbe", "xsave"};
    auto with = [](std::vector<std::string> base,
                   const std::vector<std::string> &more) {
      base.insert(base.end(), more.begin(), more.end());
      return base;
    };
    std::vector<std::string> v4 =
        with(v3, {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
    return std::map<std::string, std::vector<std::string>>{
        {"avx2", v3},
        {"avxvnni", with(v3, {"avx_vnni"})},
        {"avx512", v4},
        {"avx512vnni", with(v4, {"avx512_vnni"})},
        {"avx512bf16", with(v4, {"avx512_vnni", "avx512_bf16"})},
        {"amx", with(v4, {"avx512_vnni", "avx512_bf16", "amx_tile", "amx_bf16",
                          "amx_int8"})}};
  }();
  return all;
}

std::string lackingFlag(const std::string &variant) {
  auto needed = needs().find(variant);
  if (needed == needs().end()) {
    throw std::invalid_argument("no variant is called " + variant);
  }
  for (const std::string &flag : needed->second) {
    if (flags().count(flag) == 0) {
      return flag;
    }
  }
  return "";
}

const std::vector<std::string> &variantNames() {
  static const std::vector<std::string> names{"avx2", "avx512", "avx512vnni",
                                              "avx512bf16", "amx"};
  return names;
}

} // namespace cheems::test
