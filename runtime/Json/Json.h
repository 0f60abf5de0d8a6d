// Reads and writes JSON. The parser and the printer of nlohmann/json are
// templates. They take seconds to compile in each file that calls them, and
// longer with sanitizers. So they are compiled here, once for each kind of
// document.
#ifndef CHEEMS_RUNTIME_JSON_JSON_H
#define CHEEMS_RUNTIME_JSON_JSON_H

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace cheems {

/// `Document` is nlohmann::json or nlohmann::ordered_json. A text that is not
/// JSON gives a discarded document.
template <typename Document> Document parseJson(std::string_view text);

/// Throws Document::parse_error for what is not JSON. `check` sees what the
/// parser meets, and may throw; it returns whether to keep the value.
template <typename Document>
Document parseJsonOrThrow(std::string_view text,
                          typename Document::parser_callback_t check = nullptr);

/// On one line, or with `indent` spaces for each level. Throws
/// Document::type_error for bytes that are not UTF-8.
template <typename Document>
std::string printJson(const Document &document, int indent = -1);

/// The same, but bytes that are not UTF-8 become U+FFFD. With `ascii` what is
/// not ASCII is escaped.
template <typename Document>
std::string printJsonOfAnyBytes(const Document &document, int indent = -1,
                                bool ascii = false);

} // namespace cheems

#endif
