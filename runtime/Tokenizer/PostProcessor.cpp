// A template is a list of pieces: special tokens, and exactly one place for the
// text.
#include "runtime/Tokenizer/PostProcessor.h"

namespace cheems {

namespace {

using tokenizer_json::Json;

PostProcessor parseTemplate(const Json &component, const std::string &where) {
  PostProcessor made;
  bool textSeen = false;
  for (const Json &piece :
       tokenizer_json::requireArray(component, "single", where)) {
    if (const Json *sequence = tokenizer_json::find(piece, "Sequence", where)) {
      if (textSeen ||
          tokenizer_json::requireString(*sequence, "id", where) != "A") {
        tokenizer_json::unsupported(
            where, "a TemplateProcessing whose 'single' is not one text",
            "one Sequence A");
      }
      textSeen = true;
      continue;
    }
    const Json &special = tokenizer_json::require(piece, "SpecialToken", where);
    const std::string &name =
        tokenizer_json::requireString(special, "id", where);
    const Json *definition = tokenizer_json::find(
        tokenizer_json::require(component, "special_tokens", where),
        name.c_str(), where);
    if (!definition) {
      tokenizer_json::malformed(where, "special_tokens does not define " +
                                           tokenizer_json::shown(name));
    }
    for (const Json &id :
         tokenizer_json::requireArray(*definition, "ids", where)) {
      (textSeen ? made.suffix : made.prefix)
          .push_back(tokenizer_json::tokenId(id, where));
    }
  }
  if (!textSeen) {
    tokenizer_json::malformed(
        where, "the 'single' template has no place for the text");
  }
  return made;
}

/// Counts templates through nested Sequences: what a second one wraps is not
/// defined by its file alone.
void collect(const Json &component, const std::string &where, int depth,
             int &templates, PostProcessor &made) {
  const std::string &type = tokenizer_json::typeOf(component, where);
  if (type == "ByteLevel") {
    return;
  }
  if (type == "TemplateProcessing") {
    if (templates++ > 0) {
      tokenizer_json::unsupported(where, "a second 'TemplateProcessing'",
                                  "one TemplateProcessing");
    }
    made = parseTemplate(component, where);
    return;
  }
  if (type == "Sequence") {
    if (depth == tokenizer_json::maximumDepth) {
      tokenizer_json::malformed(where, "Sequences nest too deeply");
    }
    for (const Json &part :
         tokenizer_json::requireArray(component, "processors", where)) {
      collect(part, where, depth + 1, templates, made);
    }
    return;
  }
  tokenizer_json::unsupported(where,
                              "post-processor " + tokenizer_json::shown(type),
                              "TemplateProcessing, ByteLevel, Sequence");
}

} // namespace

PostProcessor PostProcessor::make(const Json *component,
                                  const std::string &where) {
  PostProcessor made;
  int templates = 0;
  if (component) {
    collect(*component, where, 0, templates, made);
  }
  return made;
}

} // namespace cheems
