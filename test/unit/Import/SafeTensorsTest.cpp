// The safetensors reader on good files and on files that lie.
#include "cheems/Import/SafeTensors.h"
#include "cheems/Import/Error.h"
#include "test/unit/Import/ModelFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

llvm::Expected<SafeTensorsFile> parse(const std::string &bytes) {
  return SafeTensorsFile::parse(llvm::MemoryBuffer::getMemBufferCopy(bytes),
                                "x.safetensors");
}

/// The message, checked to be one line that names the file; empty where parsing
/// worked.
std::string errorOf(const std::string &bytes) {
  auto file = parse(bytes);
  if (file) {
    return "";
  }
  std::string message = llvm::toString(file.takeError());
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(message.find("x.safetensors: "), 0u) << message;
  return message;
}
std::string errorOf(const std::string &header, size_t dataBytes) {
  return errorOf(safeTensorsBytes(header, std::string(dataBytes, '\0')));
}

TEST(SafeTensors, AWebPageInPlaceOfAFileIsNamed) {
  EXPECT_THAT(errorOf("\n<!DOCTYPE html><html>not found</html>"),
              HasSubstr("web page"));
  // the first byte is a part of the header's length
  std::string header = "{\"__metadata__\": {\"a\": \"b\"}}";
  header.resize('<', ' ');
  EXPECT_EQ(errorOf(header, 0), "");
}

TEST(SafeTensors, EveryTypeIsWidenedExactly) {
  TensorMap tensors;
  for (const char *type : {"F32", "BF16", "F16", "F64"}) {
    tensors[type] = patterned({2, 3}, type);
  }
  tensors["I32"] = patterned({2, 3}, "I32");
  tensors["I64"] = patterned({2, 3}, "I64");
  auto file = parse(safeTensorsBytes(tensors));
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  ASSERT_EQ(file->tensors().size(), 6u);
  for (const TensorView &view : file->tensors()) {
    EXPECT_EQ(spelling(view.type), view.name);
    EXPECT_EQ(view.shape, (llvm::SmallVector<int64_t, 4>{2, 3}));
    EXPECT_EQ(view.elements(), 6);
    bool integers = view.name[0] == 'I';
    for (int64_t i = 0; i < 6; ++i) {
      EXPECT_EQ(view.at(i), integers
                                ? static_cast<double>(i)
                                : 0.25 * static_cast<double>(1 + i * 7 % 6))
          << view.name << " " << i;
    }
  }
  EXPECT_EQ(file->metadata(), (std::vector<std::pair<std::string, std::string>>{
                                  {"format", "pt"}}));
}

TEST(SafeTensors, HalfPrecisionHasSubnormalsInfinitiesAndSigns) {
  const uint16_t bits[] = {0x0001, 0x8001, 0x03ff, 0x7c00,
                           0xfc00, 0x7bff, 0x8000, 0x7e00};
  std::string bytes(reinterpret_cast<const char *>(bits), sizeof(bits));
  auto file = parse(safeTensorsBytes(
      R"({"h":{"dtype":"F16","shape":[8],"data_offsets":[0,16]}})", bytes));
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  const TensorView &view = *file->find("h");
  EXPECT_EQ(view.at(0), 0x1p-24);
  EXPECT_EQ(view.at(1), -0x1p-24);
  EXPECT_EQ(view.at(2), 1023 * 0x1p-24);
  EXPECT_EQ(view.at(3), INFINITY);
  EXPECT_EQ(view.at(4), -INFINITY);
  EXPECT_EQ(view.at(5), 65504.0);
  EXPECT_TRUE(view.at(6) == 0.0 && std::signbit(view.at(6)));
  EXPECT_TRUE(std::isnan(view.at(7)));
}

TEST(SafeTensors, UnalignedTensorsAreRead) {
  TensorMap tensors{{"a", {"F16", {1}, std::string("\x00\x3c", 2)}},
                    {"b", patterned({5}, "F64")}};
  std::string bytes = safeTensorsBytes(tensors);
  auto file = parse(bytes);
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  EXPECT_EQ(file->find("a")->at(0), 1.0);
  EXPECT_EQ(file->find("b")->at(1), 0.5);
}

TEST(SafeTensors, ScalarsAndEmptyTensorsAreLegal) {
  auto file = parse(
      safeTensorsBytes(R"({"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]},
      "e":{"dtype":"F32","shape":[0,7],"data_offsets":[4,4]}}   )",
                       std::string(4, '\0')));
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  EXPECT_EQ(file->find("s")->elements(), 1);
  EXPECT_EQ(file->find("e")->elements(), 0);
  EXPECT_EQ(file->find("x"), nullptr);
}

TEST(SafeTensors, FilesAreOpenedAndMissingOnesNamed) {
  ModelFolder folder;
  folder.write();
  auto file = SafeTensorsFile::open(folder.path + "/model.safetensors");
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  EXPECT_EQ(file->tensors().size(), folder.tensors.size());
  auto missing = SafeTensorsFile::open(folder.path + "/none.safetensors");
  ASSERT_FALSE(bool(missing));
  EXPECT_THAT(llvm::toString(missing.takeError()),
              HasSubstr("none.safetensors"));
}

TEST(SafeTensors, HeaderLengthMustFit) {
  EXPECT_THAT(errorOf(""), HasSubstr("0 bytes long"));
  EXPECT_THAT(errorOf("1234567"), HasSubstr("7 bytes long"));
  EXPECT_THAT(errorOf(std::string("\x03\0\0\0\0\0\0\0{}", 10)),
              HasSubstr("claims 3 bytes"));
  EXPECT_THAT(errorOf(std::string(8, '\xff') + "{}"),
              HasSubstr("claims 18446744073709551615 bytes"));
  std::string tooLong =
      safeTensorsBytes("{}" + std::string(100'000'001, ' '), "");
  EXPECT_THAT(errorOf(tooLong), HasSubstr("claims 100000003 bytes"));
}

TEST(SafeTensors, HeaderMustBeAnObjectOfUniqueNames) {
  EXPECT_THAT(errorOf("not json", 0), HasSubstr("not valid JSON"));
  EXPECT_THAT(errorOf("[]", 0), HasSubstr("not a JSON object"));
  EXPECT_THAT(errorOf("", 0), HasSubstr("not valid JSON"));
  EXPECT_THAT(errorOf("{\"\xff\":1}", 0), HasSubstr("UTF-8"));
  EXPECT_THAT(errorOf(std::string(100'000, '['), 0),
              HasSubstr("nested deeper"));
  std::string tensor = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  EXPECT_THAT(errorOf("{\"a\":" + tensor + ",\"a\":" + tensor + "}", 4),
              HasSubstr("'a' is given twice"));
  EXPECT_THAT(errorOf("{\"a\":" + tensor + ",\"\\u0061\":" + tensor + "}", 4),
              HasSubstr("'a' is given twice"));
}

TEST(SafeTensors, EntriesMustBeComplete) {
  EXPECT_THAT(errorOf(R"({"w":3})", 0),
              HasSubstr("'w' is not described by an object"));
  EXPECT_THAT(errorOf(R"({"w":{"shape":[1],"data_offsets":[0,4]}})", 4),
              HasSubstr("'w' has no dtype"));
  EXPECT_THAT(errorOf(R"({"w":{"dtype":"F32","data_offsets":[0,4]}})", 4),
              HasSubstr("'w' has no shape"));
  EXPECT_THAT(
      errorOf(R"({"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4),
      HasSubstr("'w' has no shape"));
  EXPECT_THAT(
      errorOf(R"({"w":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", 4),
      HasSubstr("'w' has no shape"));
  EXPECT_THAT(errorOf(R"({"w":{"dtype":"F32","shape":[1]}})", 4),
              HasSubstr("'w' has no data_offsets"));
  EXPECT_THAT(
      errorOf(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[4]}})", 4),
      HasSubstr("no data_offsets"));
  EXPECT_THAT(
      errorOf(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4),
      HasSubstr("no data_offsets"));
  EXPECT_THAT(errorOf(R"({"__metadata__":[]})", 0), HasSubstr("__metadata__"));
  EXPECT_THAT(errorOf(R"({"__metadata__":{"k":1}})", 0),
              HasSubstr("'k' is not a string"));
}

TEST(SafeTensors, SizesMustAgree) {
  EXPECT_THAT(
      errorOf(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4),
      HasSubstr("'w' has 4 bytes, but F32 [2] needs 8"));
  EXPECT_THAT(
      errorOf(
          R"({"w":{"dtype":"F32","shape":[3037000500,3037000500],"data_offsets":[0,4]}})",
          4),
      HasSubstr("'w' has an impossible shape"));
  EXPECT_THAT(
      errorOf(
          R"({"w":{"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,4]}})",
          4),
      HasSubstr("'w' has no shape"));
  EXPECT_THAT(
      errorOf(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4),
      HasSubstr("'w' ends at byte 8 of the data, but the file holds 4"));
}

TEST(SafeTensors, TensorsMustCoverTheDataExactlyOnce) {
  auto two = [](int b0, int e0, int b1, int e1) {
    auto entry = [](int begin, int end) {
      return "{\"dtype\":\"F32\",\"shape\":[" +
             std::to_string((end - begin) / 4) + "],\"data_offsets\":[" +
             std::to_string(begin) + "," + std::to_string(end) + "]}";
    };
    return "{\"a\":" + entry(b0, e0) + ",\"b\":" + entry(b1, e1) + "}";
  };
  EXPECT_EQ(errorOf(two(0, 8, 8, 12), 12), "");
  EXPECT_EQ(errorOf(two(4, 12, 0, 4), 12), "");
  EXPECT_THAT(errorOf(two(0, 8, 4, 12), 12), HasSubstr("'a' and 'b' overlap"));
  EXPECT_THAT(errorOf(two(0, 8, 0, 8), 8), HasSubstr("overlap"));
  EXPECT_THAT(errorOf(two(0, 4, 8, 12), 12),
              HasSubstr("4 bytes before tensor 'b'"));
  EXPECT_THAT(errorOf(two(0, 4, 4, 8), 12), HasSubstr("last 4 bytes"));
}

TEST(SafeTensors, UnknownTypesAreUnsupported) {
  auto file = parse(safeTensorsBytes(
      R"({"w":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]}})", "abcd"));
  ASSERT_FALSE(bool(file));
  EXPECT_TRUE(file.errorIsA<UnsupportedError>());
  EXPECT_THAT(llvm::toString(file.takeError()),
              HasSubstr("'w' has dtype 'F8_E4M3'"));
}

TEST(SafeTensors, ControlCharactersInNamesStayOffTheTerminal) {
  EXPECT_THAT(errorOf("{\"a\\n\\u001b[2J\":1}", 0),
              HasSubstr("'a\\x0a\\x1b[2J'"));
  EXPECT_LT(errorOf("{\"" + std::string(5000, 'n') + "\":1}", 0).size(), 400u);
}

} // namespace
