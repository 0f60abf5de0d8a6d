// /slots: what they do, and their states in files.
#include "server/Api/ApiError.h"
#include "server/Api/Endpoints.h"
#include "server/Api/Fields.h"
#include "server/Engine/SlotFile.h"

#include <charconv>

namespace cheems::serve {

namespace {

/// The value of `name` in a query string; nothing of it needs decoding.
std::string queried(const std::string &query, const std::string &name) {
  for (size_t at = 0; at <= query.size();) {
    size_t end = std::min(query.find('&', at), query.size());
    std::string part = query.substr(at, end - at);
    if (part.compare(0, name.size() + 1, name + "=") == 0) {
      return part.substr(name.size() + 1);
    }
    at = end + 1;
  }
  return "";
}

int64_t slotOf(const Call &call) {
  int64_t slot = -1;
  const std::string &text = call.tail;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), slot);
  int64_t count = int64_t(call.context->engine.slots().size());
  if (error != std::errc() || end != text.data() + text.size() || slot < 0 ||
      slot >= count) {
    throw ApiError(404,
                   "there is no such slot; there are " + std::to_string(count));
  }
  return slot;
}

std::string fileName(Fields &fields) {
  std::string name = fields.text("filename").value_or("");
  std::string fault = SlotFolder::faultOf(name);
  if (!fault.empty()) {
    refuse("filename", "filename: " + fault);
  }
  return name;
}

/// What is told where nothing went wrong.
GenerationEngine::SlotDone
answering(const std::shared_ptr<Responder> &responder,
          const std::function<Json(const SlotActionResult &)> &body) {
  return [responder, body](const SlotActionResult &result) {
    if (!result.error.empty()) {
      responder->respond(
          errorResponse(ApiError(result.httpStatus, result.error)));
      return;
    }
    HttpResponse response;
    response.body = dumped(body(result));
    responder->respond(std::move(response));
  };
}

} // namespace

void slots(Call &call) {
  const Context &context = *call.context;
  bool anyFree = false;
  Json all = Json::array();
  for (const SlotView &slot : context.engine.slots()) {
    anyFree |= !slot.busy;
    all.push_back({{"id", slot.id},
                   {"n_ctx", slot.context},
                   {"is_processing", slot.busy},
                   {"n_tokens", slot.tokens},
                   {"request", slot.request},
                   {"n_prompt_tokens", slot.promptTokens},
                   {"n_prompt_tokens_processed", slot.promptDone},
                   {"n_decoded", slot.generatedTokens}});
  }
  if (!anyFree && queried(call.request.query, "fail_on_no_slot") == "1") {
    throw ApiError(503, "no slot is free");
  }
  respondJson(call, all);
}

void slotAction(Call &call) {
  Context &context = *call.context;
  if (!context.options.slotFiles) {
    throw ApiError(501, "slots cannot be saved, restored or erased; start the "
                        "server with --slot-save-path");
  }
  int64_t slot = slotOf(call);
  std::string action = queried(call.request.query, "action");
  Json body =
      call.request.body.empty() ? Json::object() : parseBody(call.request.body);
  Fields fields(body);
  if (action == "erase") {
    fields.ignore({"filename"}); // of those who send one body for all actions
    fields.finish();
    context.engine.eraseSlot(
        slot, answering(call.responder, [slot](const SlotActionResult &result) {
          return Json{{"id_slot", slot}, {"n_erased", result.tokens}};
        }));
    return;
  }
  if (action != "save" && action != "restore") {
    refuse("action", "action must be save, restore or erase");
  }
  std::string name = fileName(fields);
  fields.finish();
  bool saves = action == "save";
  auto done = answering(call.responder, [=](const SlotActionResult &result) {
    return Json{{"id_slot", slot},
                {"filename", name},
                {saves ? "n_saved" : "n_restored", result.tokens},
                {saves ? "n_written" : "n_read", result.bytes},
                {"timings",
                 {{saves ? "save_ms" : "restore_ms", 1000 * result.seconds}}}};
  });
  if (saves) {
    context.engine.saveSlot(slot, name, std::move(done));
  } else {
    context.engine.restoreSlot(slot, name, std::move(done));
  }
}

} // namespace cheems::serve
