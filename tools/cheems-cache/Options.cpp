#include "Options.h"
#include "tools/Support/CommandLine.h"

namespace cheems::cache {

std::optional<Options> parseOptions(int argc, char **argv) {
  CLI::App app("Shows and removes what other tools have compiled of model "
               "folders.\nCHEEMS_CACHE_SIZE (20G; 0: no limit) is what they "
               "keep at most.",
               "cheems-cache");
  prepare(app, 30);
  Options options;
  app.add_subcommand("list", "show the compiled models, the last used first");
  CLI::App *remove = app.add_subcommand(
      "remove", "remove compiled models; processes that run them go on");
  remove->add_option("KEY|MODEL", options.model,
                     "key or its beginning, or the model folder");
  remove->add_flag("--all", options.all, "remove all");
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
