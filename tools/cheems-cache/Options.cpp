#include "Options.h"
#include "tools/Support/CommandLine.h"

namespace cheems::cache {

std::optional<Options> parseOptions(int argc, char **argv) {
  CLI::App app(
      "Lists and removes the compiled models that other tools made from "
      "model folders.\nCHEEMS_CACHE_SIZE is how large the cache may "
      "become (default 20G; 0: no limit).",
      "cheems-cache");
  prepare(app, 30);
  Options options;
  app.add_subcommand("list", "list the compiled models, the last used first");
  CLI::App *remove = app.add_subcommand(
      "remove", "remove compiled models; a process that runs one goes on");
  remove->add_option("KEY|MODEL", options.model,
                     "key or its beginning, or the model folder");
  remove->add_flag("--all", options.all, "remove all models");
  app.require_subcommand(1);
  if (!parse(app, argc, argv)) {
    return std::nullopt;
  }
  options.remove = remove->parsed();
  if (options.remove && options.all != options.model.empty()) {
    throw usage("remove takes a key, a model folder or --all");
  }
  return options;
}

} // namespace cheems::cache
