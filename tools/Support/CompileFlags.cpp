#include "CompileFlags.h"
#include "CommandLine.h"
#include <sstream>

namespace cheems {

const std::vector<std::string> &CompileFlags::weightFormats() {
  static const std::vector<std::string> formats = {"stored", "f32",  "bf16",
                                                   "f16",    "int8", "int4"};
  return formats;
}

void CompileFlags::declare(CLI::App &app) {
  app.add_option("--kv", kv,
                 "type of keys and values: stored (the default) or int8")
      ->check(CLI::IsMember({"stored", "int8"}))
      ->type_name("TEXT")
      ->group(group);
  addNumber(app, "--max-context", maxContext, 1, INT32_MAX,
            "default context of the model, in tokens")
      ->group(group);
  app.add_flag("--allow-links", allowLinks,
               "JSON files and the chat template of the folder may be links to "
               "files outside of it")
      ->group(group);
  app.add_option("--compile-args", others,
                 "other options of cheems-compile, in quotes")
      ->group(group);
}

void CompileFlags::declareFormats(CLI::App &app) {
  app.add_option(
         "--weights", weights,
         "type of matrices: stored (the default), f32, bf16, f16 (for GPUs "
         "alone), int8 or int4")
      ->check(CLI::IsMember(weightFormats()))
      ->type_name("TEXT")
      ->group(group);
  addNumber(app, "--group-experts", groupExperts, 0, 4096,
            "read the rows of experts once for this many tokens of a "
            "prompt; 0 (the default): token by token")
      ->group(group);
}

std::vector<std::string> CompileFlags::arguments() const {
  std::vector<std::string> words;
  auto add = [&](const char *name, const std::string &value) {
    words.insert(words.end(), {name, value});
  };
  if (weights) {
    add("--weights", *weights);
  }
  if (kv) {
    add("--kv", *kv);
  }
  if (groupExperts) {
    add("--group-experts", std::to_string(*groupExperts));
  }
  if (maxContext) {
    add("--max-context", std::to_string(*maxContext));
  }
  if (allowLinks) {
    words.push_back("--allow-links");
  }
  std::istringstream more(others.value_or(""));
  for (std::string word; more >> word;) {
    words.push_back(word);
  }
  return words;
}

} // namespace cheems
