// What the modes of cheems-run begin with.
#ifndef CHEEMS_TOOLS_CHEEMS_RUN_SETUP_H
#define CHEEMS_TOOLS_CHEEMS_RUN_SETUP_H

#include "Options.h"
#include "runtime/Generation/Generator.h"
#include "runtime/Generation/SavedRun.h"
#include "runtime/Text/TextModel.h"

namespace cheems::run {

/// One line on standard error.
void say(const std::string &text);

std::shared_ptr<const Model> open(const Options &options);
/// For what the file says, whatever it runs on: unless a device was asked for,
/// none is needed, and its code is not loaded.
std::shared_ptr<const Model> openToRead(const Options &options);

/// Warnings wait until nothing can be refused any more: an error is one line.
class Warnings {
public:
  void add(const std::string &warning) { lines.push_back(warning); }
  void print();

private:
  std::vector<std::string> lines;
};

/// With --verbose: which code runs, and what memory it has.
void sayWhereItRuns(const Options &options, const Session &session);

SessionOptions sessionOptions(const Options &options, Warnings &warnings);
/// Reads the tokenizer where there is a grammar.
GenerationLimits limitsOf(const Options &options, TextModel &text);
Sampler makeSampler(const Options &options, const TextModel &text,
                    Warnings &warnings);
/// Returns the tokens of --prompt-ids, whose `ids` were read, or of -p or -f,
/// which get no special tokens after a loaded state; none where a state goes on
/// by itself.
std::vector<int32_t> promptTokens(const Options &options,
                                  const std::vector<int64_t> &ids,
                                  TextModel &text);
/// The prompt of -p or -f.
std::string givenText(const Options &options);
/// The last line of a run, and what makes it repeatable.
void sayStatistics(const Statistics &statistics, const Sampler &sampler);

/// --load-state: slot 0 holds the state, the sampler goes on where it was
/// unless another seed was asked for. Throws Error, also where a chat was saved
/// and none is wanted, or the other way round.
SavedRun loadState(const Options &options, Session &session, Sampler &sampler);
/// Throws Error if --save-state could not write its file: before the work.
void checkSaveState(const Options &options);

} // namespace cheems::run

#endif
