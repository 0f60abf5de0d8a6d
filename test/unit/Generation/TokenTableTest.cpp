// input_ids of safetensors files, and headers that lie.
#include "runtime/Generation/TokenTable.h"
#include "runtime/Error.h"
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string file(const std::string &header, const std::string &data) {
  uint64_t size = header.size();
  std::string bytes(reinterpret_cast<const char *>(&size), sizeof(size));
  return bytes + header + data;
}

template <typename Number> std::string bytesOf(std::vector<Number> numbers) {
  return std::string(reinterpret_cast<const char *>(numbers.data()),
                     numbers.size() * sizeof(Number));
}

std::string entry(const std::string &type, const std::string &shape,
                  const std::string &offsets) {
  return R"({"input_ids":{"dtype":")" + type + R"(","shape":)" + shape +
         R"(,"data_offsets":)" + offsets + "}}";
}

std::string refusal(const std::string &bytes) {
  try {
    TokenTable::parse(bytes, "in.safetensors");
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::failed);
    EXPECT_THAT(error.what(), HasSubstr("in.safetensors"));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(TokenTable, readsRowsOfBothWidths) {
  TokenTable wide =
      TokenTable::parse(file(entry("I64", "[2,3]", "[0,48]"),
                             bytesOf<int64_t>({1, 2, 3, 4, -5, INT64_MAX})),
                        "x");
  EXPECT_EQ(wide.rows, 2);
  EXPECT_EQ(wide.columns, 3);
  EXPECT_THAT(wide.ids, ElementsAre(1, 2, 3, 4, -5, INT64_MAX));
  TokenTable narrow = TokenTable::parse(
      file(entry("I32", "[2]", "[4,12]"), bytesOf<int32_t>({9, -1, 7})), "x");
  EXPECT_EQ(narrow.rows, 1);
  EXPECT_THAT(narrow.ids, ElementsAre(-1, 7));
}

TEST(TokenTable, otherTensorsDoNotMatter) {
  TokenTable table = TokenTable::parse(
      file(R"({"__metadata__":{"a":"b"},"logits":{"dtype":"F8","shape":"no"},)"
           R"("input_ids":{"dtype":"I64","shape":[1,1],"data_offsets":[0,8]}})",
           bytesOf<int64_t>({3})),
      "x");
  EXPECT_THAT(table.ids, ElementsAre(3));
}

TEST(TokenTable, liesAreRefused) {
  std::string ids = bytesOf<int64_t>({1, 2});
  EXPECT_THAT(refusal(""), HasSubstr("shorter"));
  EXPECT_THAT(refusal("1234567"), HasSubstr("shorter"));
  EXPECT_THAT(refusal(std::string(8, '\xff')), HasSubstr("header"));
  EXPECT_THAT(refusal(file("{", "")), HasSubstr("JSON"));
  EXPECT_THAT(refusal(file("[1]", "")), HasSubstr("JSON"));
  EXPECT_THAT(refusal(file("\xff\xfe", "")), HasSubstr("JSON"));
  EXPECT_THAT(refusal(file(R"({"ids":{}})", ids)), HasSubstr("no tensor"));
  EXPECT_THAT(refusal(file(R"({"input_ids":[1]})", ids)), HasSubstr("object"));
  std::string deep(100000, '['), end(100000, ']');
  EXPECT_THAT(refusal(file(R"({"input_ids":)" + deep + end + "}", ids)),
              HasSubstr("object"));
  EXPECT_THAT(refusal(file(entry("F32", "[1,2]", "[0,8]"), ids)),
              HasSubstr("F32"));
  EXPECT_THAT(refusal(file(R"({"input_ids":{"dtype":7}})", ids)),
              HasSubstr("type"));
}

TEST(TokenTable, sizesThatLieAreRefused) {
  std::string ids = bytesOf<int64_t>({1, 2});
  for (const char *shape :
       {"[]", "[1,2,1]", "[0,2]", "[2,0]", "[4294967296,4294967296]",
        "[9223372036854775807,9223372036854775807]", "[1152921504606846976]",
        "[-1,2]", "[1.5,2]", "7", "[\"1\",2]", "[18446744073709551615,1]"}) {
    EXPECT_THAT(refusal(file(entry("I64", shape, "[0,16]"), ids)),
                HasSubstr("input_ids"))
        << shape;
  }
  for (const char *offsets :
       {"[]", "[0]", "[16,0]", "[0,17]", "[8,24]", "[0,8]", "[0,16,16]",
        "[-8,8]", "[18446744073709551600,18446744073709551615]",
        "[9223372036854775807,9223372036854775807]", "null"}) {
    EXPECT_THAT(refusal(file(entry("I64", "[1,2]", offsets), ids)),
                HasSubstr("input_ids"))
        << offsets;
  }
}

} // namespace
