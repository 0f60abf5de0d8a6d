// Reads and writes JSON. The parser and the printer of nlohmann/json are
// templates. They take seconds to compile in each file that calls them, and
// longer with sanitizers. So they are compiled here, once for each kind of
// document.
#ifndef CHEEMS_RUNTIME_JSON_JSON_H
#define CHEEMS_RUNTIME_JSON_JSON_H

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace cheems {

/// What the parser meets: an object or an array begins, or a member has its
/// name. The first one that begins has depth 0.
enum class JsonEvent { object, array, name };
using JsonCheck = std::function<void(size_t depth, JsonEvent event)>;

/// `Document` is nlohmann::json or nlohmann::ordered_json. A text that is not
/// JSON gives a discarded document. Of members of one name the last one counts.
template <typename Document> Document parseJson(std::string_view text);

/// Throws Document::parse_error for what is not JSON. `check` sees what the
/// parser meets, and may throw.
template <typename Document>
Document parseJsonOrThrow(std::string_view text,
                          const JsonCheck &check = nullptr);

template <> nlohmann::ordered_json parseJson(std::string_view text);
template <>
nlohmann::ordered_json parseJsonOrThrow(std::string_view text,
                                        const JsonCheck &check);

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
