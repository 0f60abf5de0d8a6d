#include "ForeignFlags.h"
#include <string_view>

namespace cheems {

namespace {

struct Foreign {
  std::string_view names; ///< with spaces between
  std::string_view reason;
  /// The reason is for programs that have this option; empty: for all.
  std::string_view with = {};

  bool isFor(const CLI::App &app) const {
    return with.empty() || app.get_option_no_throw(std::string(with));
  }
  bool has(const std::string &flag) const {
    return (" " + std::string(names) + " ").find(" " + flag + " ") !=
           std::string::npos;
  }
};

constexpr std::string_view
    devices = "-ngl --gpu-layers --n-gpu-layers -sm --split-mode -ts "
              "--tensor-split -mg --main-gpu -nkvo --no-kv-offload -kvo "
              "--kv-offload -ot --override-tensor -cmoe --cpu-moe -ncmoe "
              "--n-cpu-moe --rpc --op-offload --no-op-offload",
    sampling =
        "-s --seed --temp --temperature --top-k --top-p --min-p "
        "--repeat-penalty --repeat-last-n --presence-penalty "
        "--frequency-penalty -l --logit-bias --ignore-eos -r --reverse-prompt "
        "--grammar --grammar-file -j --json-schema -jf --json-schema-file",
    forPrograms = "it is for programs that run the model; give it to "
                  "cheems-run or cheems-serve";

// If a flag has several reasons, the first one that is for the program counts.
constexpr Foreign foreignFlags[] = {
    // devices and memory
    {devices, "a whole model runs on one device; choose it with --target",
     "--emit"},
    {devices, "a whole model runs on one device; choose it with --device"},
    {"-fa --flash-attn", "attention is always fused; drop it"},
    {"-ctk --cache-type-k -ctv --cache-type-v",
     "keys and values are kept as the model is compiled; use --kv int8",
     "--emit"},
    {"-ctk --cache-type-k -ctv --cache-type-v",
     "keys and values are kept as the model was compiled; use cheems-compile "
     "--kv int8"},
    {"-mmp --mmap --no-mmap --mlock -dio --direct-io",
     "a model is always mapped; drop it"},
    {"-fit --fit -fitt --fit-target -fitc --fit-ctx",
     "memory is as the context needs; use -c"},
    {"-nr --no-repack --repack --no-host -dt --defrag-thold --poll "
     "--poll-batch",
     "there is nothing like it; drop it"},
    {"--check-tensors", "use --verify", "--verify"},
    {"--override-kv", "change config.json and compile again"},

    // threads and steps
    {"-tb --threads-batch", "prompts and answers use the same threads; use -t",
     "--threads"},
    {"-C --cpu-mask -Cr --cpu-range --cpu-strict -Cb --cpu-mask-batch -Crb "
     "--cpu-range-batch --cpu-strict-batch",
     "threads run where the system lets them; use taskset"},
    {"--numa", "memory is where the system puts it; use numactl"},
    {"--prio --prio-batch", "the system has a command for it; use nice"},
    {"-b --batch-size -ub --ubatch-size",
     "a model says how many tokens of a prompt are processed at once; use "
     "--prefill-chunk for another number",
     "--prefill-chunk"},
    {"-b --batch-size -ub --ubatch-size",
     "a model says how many tokens of a prompt are processed at once; drop it"},
    {"--warmup --no-warmup",
     "each test has one run to warm up, which is not counted; drop it",
     "--repetitions"},
    {"--warmup --no-warmup", "there is no warm-up run; drop it"},
    {"--keep --context-shift --no-context-shift --ctx-shift --no-ctx-shift",
     "a text ends where the context is full; drop it"},
    {"--swa-full -kvu --kv-unified -no-kvu --no-kv-unified",
     "each sequence has a context of its own; drop it"},
    {"-cb --cont-batching -nocb --no-cont-batching",
     "requests always share steps; drop it"},

    // models
    {"-hf -hfr --hf-repo -hff --hf-file -hft --hf-token -mu -dr --docker-repo "
     "--model-url",
     "nothing is downloaded; give a compiled model or a model folder"},
    {"--offline", "nothing is downloaded; drop it"},
    {"-cl --cache-list", "use cheems-cache list"},
    {"--lora --lora-scaled --control-vector --control-vector-scaled",
     "there are no adapters; merge them into the weights and compile again"},
    {"-mm --mmproj -mmu --mmproj-url --image --audio",
     "models read text alone; drop it"},
    {"-md --model-draft -ngld -ps --draft-p-split --draft --draft-max "
     "--draft-min --draft-p-min -cd --ctx-size-draft -devd --device-draft -td "
     "--threads-draft",
     "there is no speculative decoding; drop it"},
    {"--models-dir --models-max --models-preset --models-autoload",
     "a server has one model; start one for each"},
    {"--rope-scaling --rope-scale --rope-freq-base --rope-freq-scale "
     "--yarn-orig-ctx --yarn-ext-factor --yarn-attn-factor --yarn-beta-slow "
     "--yarn-beta-fast",
     "config.json says how positions are rotated; drop it"},
    {"--outfile", "use -o", "--emit"},
    {"--outtype", "use --weights", "--emit"},

    // chats and text
    {"--jinja --no-jinja", "chat templates always run, in Jinja; drop it"},
    {"--chat-template",
     "write the template into a file, and use --chat-template-file",
     "--chat-template-file"},
    {"--chat-template-kwargs",
     "each request may have chat_template_kwargs; drop it", "--port"},
    {"--interactive-first -if", "use --chat", "--chat"},
    {"-gan --grp-attn-n -gaw --grp-attn-w",
     "config.json says how positions are used; drop it"},
    {"-ld --logdir", "what there is to say goes to standard error; write "
                     "2>FILE"},
    {"--penalty-last-n", "use --repeat-last-n", "--repeat-last-n"},
    {"--reasoning-format --reasoning-budget -rea --reasoning",
     "a text is given as the model writes it; drop it"},
    {"-no-cnv --no-conversation",
     "there is no conversation without --chat; drop it", "--chat"},
    {"-st --single-turn",
     "a chat ends with its input; use --chat -p TEXT </dev/null", "--chat"},
    {"-sysf --system-prompt-file", "use --system-prompt \"$(cat FILE)\"",
     "--system-prompt"},
    {"-sys --system-prompt -sysf --system-prompt-file",
     "each request has a system message of its own; drop it", "--port"},
    {"-i --interactive -cnv --conversation -no-cnv --no-conversation -st "
     "--single-turn",
     "clients hold the conversations; drop it", "--port"},
    {"-mli --multiline-input",
     "a line that ends in a backslash goes on in the next one; drop it"},
    {"--in-prefix --in-suffix --in-prefix-bos",
     "the chat template says what is around a message; drop it"},
    {"--simple-io --display-prompt --no-display-prompt --verbose-prompt",
     "a prompt is not printed, and text is as it comes; drop it"},
    {"-sp --special",
     "special tokens have no text here; see them with --print-ids",
     "--print-ids"},
    {"-sp --special",
     "special tokens have no text in answers; ask for logprobs to see them",
     "--port"},
    {"-co", "use --color always", "--color"},
    {"-co --color", "nothing has a color here; drop it"},
    {"-e --escape --no-escape", "a prompt is taken as it is; drop it"},
    {"-bf --binary-file", "use -f", "--file"},
    {"--prompt-cache --prompt-cache-all --prompt-cache-ro",
     "use --save-state and --load-state", "--save-state"},
    {"--perf --no-perf --show-timings --no-show-timings",
     "the line with the speed goes to standard error; drop it"},

    // what is printed besides
    {"-v --log-verbose -lv --verbosity --log-verbosity", "use --verbose",
     "--verbose"},
    {"-v --verbose --log-verbose -lv --verbosity --log-verbosity --log-colors "
     "--log-prefix --log-timestamps",
     "what there is to say goes to standard error; drop it"},
    {"--log-file --log-disable",
     "what there is to say goes to standard error; write 2>FILE"},

    // sampling
    {"--samplers --sampling-seq --sampler-seq --typical --typical-p "
     "--top-nsigma --top-n-sigma --xtc-probability --xtc-threshold "
     "--dry-multiplier --dry-base --dry-allowed-length --dry-penalty-last-n "
     "--dry-sequence-breaker --dynatemp-range --dynatemp-exp --mirostat "
     "--mirostat-lr --mirostat-ent -bs --backend-sampling",
     "there is no such way to sample; there are a temperature, top-k, top-p, "
     "min-p and penalties"},
    {"-n --n-predict --predict",
     "each request says how long its text is (max_tokens); drop it", "--port"},
    {"-p --prompt -f --file", "each request has a prompt of its own; drop it",
     "--port"},
    {sampling,
     "each request says how its text is chosen; defaults are those of the "
     "model's generation_config.json",
     "--port"},

    // servers
    {"--api-key",
     "write the key into a file, and use --api-key-file: all users see the "
     "words of a command",
     "--api-key-file"},
    {"--metrics --props --slots --no-slots --embedding --embeddings",
     "/metrics, /props, /slots and embeddings are always served; drop it",
     "--port"},
    // those of vLLM
    {"--max-model-len", "use -c", "--port"},
    {"--served-model-name", "use --alias", "--port"},
    {"--max-num-seqs", "use --parallel", "--port"},
    {"--enable-auto-tool-choice --tool-call-parser --reasoning-parser "
     "--enable-prefix-caching --guided-decoding-backend",
     "it is always so; drop it", "--port"},
    {"--dtype --quantization",
     "weights are kept as the model was compiled; use cheems-compile "
     "--weights",
     "--port"},
    {"--gpu-memory-utilization --kv-cache-dtype",
     "there is nothing like it; --memory bounds the server's memory", "--port"},
    {"--tensor-parallel-size -tp --pipeline-parallel-size -pp",
     "a whole model runs on one device; drop it", "--port"},
    {"--pooling", "each request chooses it (pooling); drop it", "--port"},
    {"--rerank --reranking", "models do not rank texts; drop it"},
    {"--webui --ui --path", "the page at / is always served; drop it",
     "--no-page"},
    {"--no-webui --no-ui", "use --no-page", "--no-page"},
    {"--ssl-key-file --ssl-cert-file", "there is no TLS; put a proxy in front",
     "--port"},
    {"--api-prefix", "let a proxy in front take the prefix off", "--port"},
    {"-a", "use --alias", "--alias"},
    {"-to", "use --stall-timeout", "--stall-timeout"},
    {"--threads-http", "connections need no threads of their own; drop it"},
    {"-cram", "use --cache-ram, with a unit as in 2G", "--cache-ram"},
    {"--cache-prompt --no-cache-prompt --cache-reuse -sps "
     "--slot-prompt-similarity -ctxcp --ctx-checkpoints --swa-checkpoints "
     "--cache-idle-slots",
     "a common beginning of prompts is computed once; --cache-ram says how "
     "much is kept for it",
     "--cache-ram"},

    // those that only some of our programs have
    {"-c --ctx-size", "use --max-context", "--emit"},
    {"-q --quantize", "use --weights int8 or int4", "--emit"},
    {"-np --parallel",
     "there is one text at a time; use cheems-serve for several", "--chat"},
    {"-np --parallel", "use -b", "--ops"},
    {"--host --port", "use cheems-serve", "--chat"},
    {"-p --prompt -bf --binary-file", "write the text into a file, and use -f",
     "--kl-base"},
    {"--ppl-stride --ppl-output-type --hellaswag --winogrande "
     "--multiple-choice",
     "the perplexity of a text is all that is measured; drop it", "--kl-base"},
    {"--kl-divergence --kl-divergence-base",
     "use --kl-base with the other model", "--kl-base"},
    {sampling, forPrograms, "--emit"},
    {"-t --threads -tb --threads-batch -dev --device -p --prompt -f --file -n "
     "--n-predict --predict -np --parallel --host --port --alias --api-key "
     "--api-key-file -i -cnv --chat --conversation -sys --system-prompt -sysf "
     "--system-prompt-file -st --single-turn -no-cnv --no-conversation "
     "--chat-template --chat-template-file --metrics --props --slots "
     "--embedding --embeddings --pooling",
     forPrograms, "--emit"},
    {sampling, "no text is chosen here; drop it", "--model"},
    {"--embeddings", "use --embedding", "--embedding"},
    {"--metrics --props --slots --no-slots --embedding --embeddings --api-key "
     "--api-key-file --alias -a -to --timeout --webui --no-webui --ui --no-ui "
     "--path --ssl-key-file --ssl-cert-file --api-prefix --cache-reuse -sps "
     "--slot-prompt-similarity -cram --cache-ram --cache-prompt "
     "--no-cache-prompt --slot-save-path --host --port -np --parallel",
     "it is for a server; give it to cheems-serve", "--model"},
};

} // namespace

std::string reasonAgainst(const CLI::App &app, const std::string &flag) {
  for (const Foreign &entry : foreignFlags) {
    if (entry.has(flag) && entry.isFor(app)) {
      return std::string(entry.reason);
    }
  }
  return "";
}

} // namespace cheems
