// Metadata is read strictly, and sizes that cannot be are refused by field.
#include "runtime/Artifact/Metadata.h"
#include "FakeArtifact.h"
#include "cheems/abi.h"
#include "runtime/Artifact/CpuImage.h"
#include "runtime/Error.h"
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;
using nlohmann::json;
using testing::HasSubstr;

namespace {

std::string refusal(const std::string &text) {
  try {
    Metadata data = Metadata::parse(text, 8, "m.cheems");
    CpuImage::parse(data.images[0], "m.cheems");
    return "";
  } catch (const Error &error) {
    EXPECT_EQ(std::string(error.what()).find("m.cheems: "), 0u);
    return error.what();
  }
}

std::string refusalWith(const std::function<void(json &)> &change) {
  json metadata = fakeMetadata();
  change(metadata);
  return refusal(metadata.dump());
}

TEST(Metadata, fieldsArriveAsWritten) {
  Metadata data = Metadata::parse(fakeMetadata().dump(), 8, "m.cheems");
  EXPECT_EQ(data.vocabulary, fakeVocabulary);
  EXPECT_EQ(data.defaultContext, 32);
  EXPECT_EQ(data.bosToken, 1);
  EXPECT_EQ(data.padToken, std::nullopt);
  EXPECT_EQ(data.eosTokens, (std::vector<int64_t>{2, 3}));
  ASSERT_EQ(data.images.size(), 1u);
  EXPECT_EQ(data.image("cpu"), &data.images[0]);
  EXPECT_EQ(data.image("gpu"), nullptr);
  CpuImage image = CpuImage::parse(data.images[0], "m.cheems");
  ASSERT_EQ(image.variants.size(), 1u);
  EXPECT_EQ(image.variants[0].decodeEntry, "cheems_step_decode");
  EXPECT_EQ(image.variants[0].generalWorkspace.bytes(10, 2),
            100 + 64 * 10 + 64 * 2);
  ASSERT_EQ(data.state.size(), 1u);
  EXPECT_EQ(data.state[0].slotBytes(32), 128);
  ASSERT_EQ(data.parameters.size(), 1u);
  EXPECT_EQ(data.parameters[0].name, "w");
  EXPECT_EQ(data.parameters[0].use, ParameterUse::vector);
  EXPECT_EQ(data.parameters[0].logical, std::vector<int64_t>{2});
  EXPECT_EQ(data.parameters[0].layout, "rows");
  EXPECT_TRUE(data.parameters[0].readBy("cpu"));
  EXPECT_FALSE(data.parameters[0].readBy("gpu"));
  EXPECT_EQ(data.parameters[0].shape, std::vector<int64_t>{2});
  EXPECT_EQ(data.parameters[0].bytes, 8);
}

TEST(Metadata, capacityFollowsTheWindow) {
  Metadata data;
  data.block = 64;
  EXPECT_EQ(data.capacity(100), 100);
  data.keepWindow = 16;
  EXPECT_EQ(data.capacity(0), 80);
  EXPECT_EQ(data.capacity(100), 80);
  EXPECT_EQ(data.capacity(10), 74);
}

TEST(Metadata, everyFieldIsNeeded) {
  json whole = fakeMetadata();
  for (auto &[field, value] : whole.items()) {
    if (field == "bos_token_id" || field == "pad_token_id" ||
        field == "state_layout") {
      continue;
    }
    std::string name = field;
    EXPECT_THAT(refusalWith([&](json &m) { m.erase(name); }),
                HasSubstr("'" + name + "' is missing"));
    EXPECT_THAT(
        refusalWith([&](json &m) { m[name] = json::object({{"x", 1}}); }),
        HasSubstr("'" + name))
        << name;
    EXPECT_NE(refusalWith([&](json &m) { m[name] = true; }), "") << name;
  }
}

TEST(Metadata, filesThatDoNotTellTheirStateLayoutHaveTheFirst) {
  json metadata = fakeMetadata();
  EXPECT_EQ(Metadata::parse(metadata.dump(), 8, "m.cheems").stateLayout,
            CHEEMS_STATE_LAYOUT_VERSION);
  metadata.erase("state_layout");
  EXPECT_EQ(Metadata::parse(metadata.dump(), 8, "m.cheems").stateLayout, 1);
  EXPECT_THAT(refusalWith([](json &m) { m["state_layout"] = 0; }),
              HasSubstr("'state_layout'"));
}

TEST(Metadata, otherAbiVersionNamesBoth) {
  std::string reason = refusalWith([](json &m) { m["abi"] = 9; });
  EXPECT_THAT(reason, HasSubstr("ABI version 9"));
  EXPECT_THAT(reason,
              HasSubstr("takes version " + std::to_string(CHEEMS_ABI_VERSION)));
  // Nothing else of a foreign version is looked at.
  EXPECT_THAT(refusal("{\"abi\": 9}"), HasSubstr("ABI version 9"));
}

TEST(Metadata, notJsonIsRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("{\"abi\": 1"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("{\"abi\": 1, \"compiler\": \"\xff\"}"),
              HasSubstr("not JSON"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("not an object"));
  EXPECT_THAT(refusal(std::string(200000, '[')), HasSubstr("not JSON"));
}

TEST(Metadata, numbersOutOfRangeAreRefused) {
  for (json value : {json(0), json(-1), json(1.5), json("7"), json(UINT64_MAX),
                     json(1e300), json(3000000000)}) {
    EXPECT_THAT(refusalWith([&](json &m) { m["vocab_size"] = value; }),
                HasSubstr("'vocab_size'"))
        << value;
  }
  for (json value : {json(1), json(""), json("12"), json("00000000000000fg"),
                     json("-0000000000000ff"), json("00000000000000ff0")}) {
    EXPECT_THAT(refusalWith([&](json &m) { m["checkpoint"] = value; }),
                HasSubstr("'checkpoint'"))
        << value;
  }
  EXPECT_THAT(refusalWith([](json &m) { m["keep_window"] = -1; }),
              HasSubstr("'keep_window'"));
  EXPECT_THAT(refusalWith([](json &m) { m["eos_token_ids"] = {1, 16}; }),
              HasSubstr("'eos_token_ids'"));
  EXPECT_THAT(refusalWith([](json &m) { m["bos_token_id"] = 16; }),
              HasSubstr("'bos_token_id'"));
  EXPECT_THAT(refusalWith([](json &m) { m["context"]["default"] = 0; }),
              HasSubstr("'context.default'"));
  EXPECT_THAT(refusalWith([](json &m) { m["context"]["factor"] = 0; }),
              HasSubstr("'context.factor'"));
  EXPECT_THAT(refusalWith([](json &m) { m["context"]["rope"] = "yarn"; }),
              HasSubstr("unknown value 'yarn'"));
  EXPECT_EQ(refusalWith([](json &m) {
              m["keep_window"] = 4, m["context"]["default"] = 0;
            }),
            "");
}

TEST(Metadata, shapesThatCannotBeAreRefused) {
  auto shape = [](const json &value) {
    return refusalWith([&](json &m) { m["state"][0]["shape"] = value; });
  };
  EXPECT_EQ(shape({"slots", 2, 3, "capacity"}), "");
  for (const json &bad :
       {json::array(), json({2, "slots"}),
        json({"slots", "capacity", "capacity"}), json({"slots", -1}),
        json({"slots", 0}), json({"slots", "slots"}), json({"slots", 1.5}),
        json({"slots", json::array()})}) {
    EXPECT_THAT(shape(bad), HasSubstr("'state[0].shape'")) << bad;
  }
  EXPECT_THAT(shape({"slots", INT64_MAX, 2}), HasSubstr("too large"));
  EXPECT_THAT(shape({"slots"}), HasSubstr("'state[0].role'"));
  EXPECT_THAT(refusalWith([](json &m) { m["state"][0]["type"] = "i3"; }),
              HasSubstr("unknown value 'i3'"));
}

TEST(Metadata, ringsAreWhatTheirWindowAndStepsNeed) {
  Metadata data;
  EXPECT_EQ(data.ring(100, 512), 0);
  EXPECT_EQ(data.ringRows(100), 0);
  EXPECT_FALSE(data.evicts(1 << 30));
  data.ringWindow = 4096;
  EXPECT_EQ(data.ring(0, 512), 4608 + 768);
  EXPECT_EQ(data.ring(1 << 20, 513), 5376 + 768);
  EXPECT_EQ(data.ring(600, 512), 600); // no row loses its place
  EXPECT_EQ(data.ringRows(100), 100);
  EXPECT_EQ(data.ringRows(1 << 20), 4096 + 384);
  EXPECT_EQ(data.capacity(100), 100);
  EXPECT_EQ(data.usedEntries(100), 100);
  EXPECT_FALSE(data.evicts(4096));
  EXPECT_TRUE(data.evicts(4097));
}

TEST(Metadata, ringsHaveAWindow) {
  auto refusal = [](const json &shape, const json &window, int64_t keep = 0) {
    return refusalWith([&](json &m) {
      m["state"][0] = {
          {"name", "p"}, {"role", "scales"}, {"type", "f32"}, {"shape", shape}};
      if (!window.is_null()) {
        m["ring_window"] = window;
      }
      m["keep_window"] = keep;
    });
  };
  json ring = {"slots", 2, 3, "ring"}, all = {"slots", 2, 3, "capacity"};
  EXPECT_EQ(refusal(all, nullptr), "");
  EXPECT_THAT(refusal(ring, nullptr), HasSubstr("'state'"));
  EXPECT_THAT(refusal(all, 8), HasSubstr("'state'"));
  EXPECT_THAT(refusal(ring, 0), HasSubstr("'ring_window'"));
  EXPECT_THAT(refusal({"slots", "ring", "capacity"}, 8),
              HasSubstr("'state[0].shape'"));
}

TEST(Metadata, sizesThatOverflowLaterAreRefusedThen) {
  StateKind kind{"keys",
                 PoolRole::keys,
                 "f32",
                 4,
                 {INT64_MAX / 8, StateKind::capacityExtent}};
  EXPECT_NO_THROW(kind.slotBytes(1));
  EXPECT_THROW(kind.slotBytes(3), Error);
  EXPECT_THROW((WorkspaceSize{1, INT64_MAX / 2, 0}.bytes(3, 1)), Error);
  EXPECT_THROW((WorkspaceSize{INT64_MAX, 0, 1}.bytes(1, 1)), Error);
}

TEST(Metadata, variantsAndParametersAreChecked) {
  EXPECT_THAT(
      refusalWith([](json &m) { m["images"][0]["variants"] = json::array(); }),
      HasSubstr("'images[0].variants' is empty"));
  EXPECT_THAT(refusalWith([](json &m) {
                m["images"][0]["variants"][0]["decode"] = "system";
              }),
              HasSubstr("does not name an entry"));
  EXPECT_THAT(
      refusalWith([](json &m) {
        m["images"][0]["variants"].push_back(m["images"][0]["variants"][0]);
      }),
      HasSubstr("'images[0].variants[1].name' is that of another variant"));
  for (const char *field :
       {"name", "features", "wants", "general", "decode", "workspace"}) {
    std::string path = std::string("'images[0].variants[0].") + field;
    EXPECT_THAT(refusalWith([&](json &m) {
                  m["images"][0]["variants"][0].erase(field);
                }),
                HasSubstr(path + "' is missing"));
    EXPECT_THAT(refusalWith([&](json &m) {
                  m["images"][0]["variants"][0][field] = {1};
                }),
                HasSubstr(path));
  }
  for (const char *field :
       {"ssd_chunk", "prefill", "decode_rows"}) { // may be absent
    EXPECT_THAT(
        refusalWith([&](json &m) { m["images"][0]["variants"][0][field] = 0; }),
        HasSubstr(std::string("'images[0].variants[0].") + field +
                  "' is not a whole number between 1"));
  }
  EXPECT_THAT(refusalWith([](json &m) {
                m["images"][0]["variants"][0]["workspace"]["decode"] = {1, 2};
              }),
              HasSubstr("three numbers"));
  EXPECT_THAT(refusalWith([](json &m) {
                m["images"][0]["variants"][0]["workspace"]["decode"] = {1, -2,
                                                                        3};
              }),
              HasSubstr("'images[0].variants[0].workspace.decode'"));
  EXPECT_THAT(refusalWith([](json &m) { m["parameters"][0]["offset"] = 1; }),
              HasSubstr("outside the weights"));
  EXPECT_THAT(refusalWith([](json &m) {
                m["parameters"][0]["shape"] = {INT64_MAX, 2};
              }),
              HasSubstr("parameters[0].shape"));
  EXPECT_THAT(
      refusalWith([](json &m) { m["parameters"][0]["shape"] = {INT64_MAX}; }),
      HasSubstr("outside the weights"));
}

TEST(Metadata, poolsAreWhatTheirRoleSays) {
  auto pool = [](const char *role, const char *type, const json &shape) {
    return refusalWith([&](json &m) {
      m["state"][0] = {
          {"name", "p"}, {"role", role}, {"type", type}, {"shape", shape}};
    });
  };
  json entries = {"slots", 2, 3, "capacity", 8},
       numbers = {"slots", 2, 3, "capacity"}, counts = {"slots", 2, 3},
       sums = {"slots", 2, 3, 4, 5};
  for (auto [role, type, shape] :
       std::vector<std::tuple<const char *, const char *, json>>{
           {"keys", "bf16", entries},
           {"values", "i8", entries},
           {"masks", "f32", numbers},
           {"scales", "f32", numbers},
           {"positions", "i32", numbers},
           {"counts", "i32", counts},
           {"running", "f32", sums}}) {
    EXPECT_EQ(pool(role, type, shape), "") << role;
    for (const json &other : {entries, numbers, counts, sums}) {
      // a running state has any extents but a capacity
      bool fits =
          other == shape || (role == std::string("running") && other == counts);
      EXPECT_EQ(pool(role, type, other).empty(), fits) << role << other;
    }
  }
  EXPECT_THAT(pool("counts", "f32", counts), HasSubstr("'state[0].role'"));
  EXPECT_THAT(pool("positions", "f32", numbers), HasSubstr("'state[0].role'"));
  EXPECT_THAT(pool("masks", "i32", numbers), HasSubstr("'state[0].role'"));
  EXPECT_THAT(pool("cache", "f32", sums), HasSubstr("unknown value 'cache'"));
  EXPECT_THAT(refusalWith([](json &m) { m["state"][0].erase("role"); }),
              HasSubstr("'state[0].role' is missing"));
}

TEST(Metadata, parametersThatLieAboutUseAndShapeAreRefused) {
  auto with = [](const char *field, const json &value) {
    return refusalWith([&](json &m) { m["parameters"][0][field] = value; });
  };
  EXPECT_THAT(with("use", "lookup"), HasSubstr("unknown value 'lookup'"));
  EXPECT_THAT(with("use", "product"), HasSubstr("'parameters[0].logical'"));
  EXPECT_THAT(with("logical", {1, 2}), HasSubstr("'parameters[0].logical'"));
  EXPECT_THAT(with("logical", {3}), HasSubstr("more numbers than are stored"));
  EXPECT_EQ(with("logical", {1}), ""); // layouts may pad
  EXPECT_THAT(with("logical", {INT64_MAX, 2}), HasSubstr("too large"));
  EXPECT_THAT(with("layout", 7), HasSubstr("'parameters[0].layout'"));
  EXPECT_THAT(with("type", "f3"), HasSubstr("unknown value 'f3'"));
  EXPECT_THAT(with("shape", {5000}), HasSubstr("'parameters[0].offset'"));
  EXPECT_THAT(with("targets", {"gpu"}), HasSubstr("there is no image"));
  EXPECT_EQ(with("targets", {"cpu"}), "");
  EXPECT_EQ(with("codes", {{"bits", 8}}), "");
  EXPECT_EQ(with("codes", {{"bits", 4}, {"group", 32}}), "");
  EXPECT_THAT(with("codes", {{"group", 32}}),
              HasSubstr("'parameters[0].codes.bits' is missing"));
  EXPECT_THAT(with("codes", {{"bits", 5}}), HasSubstr("neither 4 nor 8"));
  EXPECT_THAT(with("codes", {{"bits", 8}, {"group", 0}}),
              HasSubstr("'parameters[0].codes.group'"));
  EXPECT_EQ(with("scales", true), "");
  EXPECT_THAT(with("scales", 1), HasSubstr("'parameters[0].scales'"));
  EXPECT_THAT(refusalWith([](json &m) {
                m["parameters"][0]["scales"] = true;
                m["parameters"][0]["codes"] = {{"bits", 8}};
              }),
              HasSubstr("'parameters[0].codes' is there beside 'scales'"));
}

TEST(Metadata, imagesAreOfOneTargetAndSectionEach) {
  EXPECT_THAT(refusalWith([](json &m) { m["images"] = json::array(); }),
              HasSubstr("'images' is empty"));
  auto second = [](const char *target, const char *section) {
    return refusalWith([&](json &m) {
      m["images"].push_back({{"target", target}, {"section", section}});
    });
  };
  EXPECT_EQ(second("gpu", "image.gpu"), ""); // its fields are its executor's
  EXPECT_THAT(second("cpu", "image.cpu"),
              HasSubstr("'images[1].target' is that of another image"));
  EXPECT_THAT(second("gpu", "code"),
              HasSubstr("'images[1].section' is that of another image"));
  for (const char *field : {"target", "section", "cpu", "features", "marks"}) {
    EXPECT_THAT(refusalWith([&](json &m) { m["images"][0].erase(field); }),
                HasSubstr(std::string("'images[0].") + field + "' is missing"));
  }
}

} // namespace
