// cheems-perplexity: what a compiled model makes of a text.
#include "Options.h"
#include "runtime/Generation/ModelCache.h"
#include "runtime/Generation/Program.h"
#include "runtime/Generation/ProgressLine.h"
#include "runtime/Generation/Prompt.h"
#include "runtime/Perplexity/Evaluate.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/Output.h"
#include "runtime/Text/TextModel.h"
#include "tools/Support/Format.h"
#include <chrono>

using namespace cheems;
using namespace cheems::perplexity;

namespace {

void say(const std::string &text) {
  printMessage("cheems-perplexity: " + text);
}

SessionOptions sessionOptions(const Options &options, std::string &warning) {
  SessionOptions result;
  result.context = options.context;
  result.threads = options.threads;
  result.uploading = UploadProgress();
  result.warn = [&](const std::string &line) { warning = line; };
  return result;
}

/// Both read the same tokens, or their distributions are of different things.
void checkSameTokens(TextModel &model, TextModel &base,
                     const TextChunks &chunks, const TextChunks &baseChunks,
                     const Options &options) {
  if (model.model().metadata().vocabulary !=
          base.model().metadata().vocabulary ||
      chunks.tokens != baseChunks.tokens) {
    throw Error(Status::usage,
                options.base.value() + ": reads " + options.file +
                    " as other tokens than " + options.model +
                    " does; --kl-base needs a model of the same tokenizer");
  }
}

std::string results(const Evaluation &found, bool base) {
  std::string text;
  if (base) {
    const Divergence &other = found.divergence;
    text += format("Mean PPL(base): %.4f +/- %.5f\n", found.base.value(),
                   found.base.error());
    text += format("PPL / PPL(base): %.6f\n",
                   found.perplexity.value() / found.base.value());
    text += format("Mean KLD: %.6f +/- %.6f\n", other.divergence().mean(),
                   other.divergence().error());
    text += format("Maximum KLD: %.6f\n", other.largest());
    text +=
        format("Same top p: %.3f +/- %.3f %%\n", 100 * other.agreement().mean(),
               100 * other.agreement().error());
  }
  text += format("Final estimate: PPL = %.4f +/- %.5f\n",
                 found.perplexity.value(), found.perplexity.error());
  return text;
}

int run(const Options &options) {
  std::string text = readText(options.file);
  TextModel model(
      openModel(options.model, say, options.compileArguments, options.device));
  TextChunks chunks = chunksOf(model.tokenizer(), text, options.file,
                               options.context, options.chunks);
  std::optional<TextModel> base;
  std::string warning, baseWarning;
  std::optional<Session> baseSession;
  if (options.base) {
    base.emplace(openModel(*options.base, say));
    checkSameTokens(model, *base, chunks,
                    chunksOf(base->tokenizer(), text, options.file,
                             options.context, options.chunks),
                    options);
    baseSession.emplace(base->sharedModel(),
                        sessionOptions(options, baseWarning));
  }
  Session session(model.sharedModel(), sessionOptions(options, warning));
  for (const std::string &line : {warning, baseWarning}) {
    if (!line.empty()) {
      say("warning: " + line);
    }
  }
  say(std::to_string(chunks.count()) + " chunks of " +
      std::to_string(chunks.length) + " tokens");
  ProgressLine progress;
  auto begin = std::chrono::steady_clock::now();
  Evaluation found =
      evaluate(session, baseSession ? &*baseSession : nullptr, chunks,
               [&](int64_t done, int64_t count, const Evaluation &soFar) {
                 if (interrupt::requested()) {
                   throw Error(Status::interrupted, "interrupted");
                 }
                 std::chrono::duration<double> passed =
                     std::chrono::steady_clock::now() - begin;
                 progress.show(format("PPL %.4f; ", soFar.perplexity.value()) +
                               promptProgress(done, count, passed.count()));
               });
  progress.clear();
  writeOutput(results(found, options.base.has_value()));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  return runProgram("cheems-perplexity", "a lower -c needs less", [&] {
    auto options = parseOptions(argc, argv);
    return options ? run(*options) : 0;
  });
}
