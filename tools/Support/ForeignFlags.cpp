#include "ForeignFlags.h"
#include <algorithm>
#include <iterator>
#include <vector>

namespace cheems {

namespace {

struct Foreign {
  std::vector<const char *> names;
  const char *reason;
};

} // namespace

std::string reasonAgainst(const std::string &flag) {
  static const Foreign foreign[] = {
      {{"-ngl", "--gpu-layers", "--n-gpu-layers", "-sm", "--split-mode", "-ts",
        "--tensor-split", "-mg", "--main-gpu", "-nkvo", "--no-kv-offload",
        "-ot", "--override-tensor"},
       "a whole model runs on one device; choose it with --device"},
      {{"-fa", "--flash-attn"}, "attention is always fused; drop it"},
      {{"-ctk", "--cache-type-k", "-ctv", "--cache-type-v"},
       "keys and values are kept as the model was compiled; use cheems-compile "
       "--kv int8"},
      {{"-tb", "--threads-batch"},
       "prompts and answers use the same threads; use -t"},
      {{"-ub", "--ubatch-size"},
       "a model says how many tokens of a prompt are processed at once; use "
       "--prefill-chunk for another number"},
      {{"-hf", "-hfr", "--hf-repo", "-hff", "--hf-file", "-mu", "--model-url"},
       "nothing is downloaded; give a compiled model or a model folder"},
      {{"-no-cnv", "--no-conversation"},
       "there is no conversation without --chat; drop it"},
      {{"-st", "--single-turn"},
       "a chat ends with its input; use --chat -p TEXT </dev/null"},
      {{"-sysf", "--system-prompt-file"},
       "use --system-prompt \"$(cat FILE)\""},
      {{"-md", "--model-draft", "-ngld", "-ps", "--draft-p-split"},
       "there is no speculative decoding; drop it"},
      {{"-mmp", "--mmap", "--no-mmap", "--mlock"},
       "a model is always mapped; drop it"},
      {{"-pg"}, "use -n with -d: it generates tokens after a prompt"},
  };
  for (const Foreign &entry : foreign) {
    if (std::find(entry.names.begin(), entry.names.end(), flag) !=
        entry.names.end()) {
      return entry.reason;
    }
  }
  return "";
}

} // namespace cheems
