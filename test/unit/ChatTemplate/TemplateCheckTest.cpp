// Templates that are tried before anybody chats.
#include "runtime/ChatTemplate/TemplateCheck.h"
#include "runtime/Error.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using testing::HasSubstr;

namespace {

/// What is said of a template; empty where it is fine.
std::string saidOf(const char *source) {
  try {
    tryChatTemplate(ChatTemplate(source), {{"bos_token", "<s>"}});
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(TemplateCheck, TakesTemplatesThatRefuseSomeConversations) {
  for (const char *source :
       {"{{ bos_token + messages[0].content }}",
        "{% if messages[0].role != 'system' %}"
        "{{ raise_exception('no system prompt') }}{% endif %}x",
        "{% if messages[0].role == 'system' %}"
        "{{ raise_exception('a system prompt') }}{% endif %}x"}) {
    EXPECT_EQ(saidOf(source), "") << source;
  }
}

TEST(TemplateCheck, NamesWhatFailsInEachConversation) {
  EXPECT_THAT(saidOf("{{ conversation.first }}"), HasSubstr("conversation"));
  EXPECT_THAT(saidOf("{{ raise_exception('no chats') }}"),
              HasSubstr("no chats"));
  EXPECT_THAT(saidOf("{% for m in messages %}{{ m.content + 1 }}{% endfor %}"),
              HasSubstr("line 1"));
}

TEST(TemplateCheck, NamesATemplateThatSaysNothing) {
  for (const char *source : {"{# nothing #}", "", "{% set a = 1 %}"}) {
    EXPECT_THAT(saidOf(source), HasSubstr("gives no text")) << source;
  }
}

} // namespace
