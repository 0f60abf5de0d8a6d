// The library's parser and printer, for the kinds of documents that we have.
#include "runtime/Json/Json.h"

#include <utility>

namespace cheems {

template <typename Document> Document parseJson(std::string_view text) {
  return Document::parse(text, nullptr, /*allow_exceptions=*/false);
}

template <typename Document>
Document parseJsonOrThrow(std::string_view text,
                          typename Document::parser_callback_t check) {
  return Document::parse(text, std::move(check));
}

template <typename Document>
std::string printJson(const Document &document, int indent) {
  return document.dump(indent);
}

template <typename Document>
std::string printJsonOfAnyBytes(const Document &document, int indent,
                                bool ascii) {
  return document.dump(indent, ' ', ascii, Document::error_handler_t::replace);
}

using nlohmann::json;
using nlohmann::ordered_json;
template json parseJson<json>(std::string_view);
template json parseJsonOrThrow<json>(std::string_view, json::parser_callback_t);
template std::string printJson<json>(const json &, int);
template std::string printJsonOfAnyBytes<json>(const json &, int, bool);
template ordered_json parseJson<ordered_json>(std::string_view);
template ordered_json
    parseJsonOrThrow<ordered_json>(std::string_view,
                                   ordered_json::parser_callback_t);
template std::string printJson<ordered_json>(const ordered_json &, int);
template std::string printJsonOfAnyBytes<ordered_json>(const ordered_json &,
                                                       int, bool);

} // namespace cheems
