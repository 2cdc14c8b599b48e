import type { Failure } from "../../src/shared/events";
import { strings } from "../strings";
import { modelTexts } from "../strings/model";
import type { AdvisedAction } from "./modelAdvice";

const { empty, meter } = strings;
const SELECT: AdvisedAction = { label: empty.selectModel, command: "selectModel" };
const LOG: AdvisedAction = { label: empty.openLog, command: "openLog" };

const setting = (argument: string): AdvisedAction => ({
  label: modelTexts.openSetting,
  command: "openSettings",
  argument,
});

/** What a person can press to get past a failure, the likeliest first; Retry stands beside it. */
export function failureActions({ kind, model }: Failure): readonly AdvisedAction[] {
  switch (kind) {
    case "not_running":
      return [{ label: empty.startOllama, command: "startOllama" }, setting("address")];
    case "wrong_address":
      return [setting("address")];
    case "unauthorized":
      return [{ label: empty.setToken, command: "setToken" }];
    case "model_missing":
      return model === undefined
        ? [{ label: empty.pullModel, command: "pullModel" }, SELECT]
        : [{ label: empty.pullThis(model), command: "pullModel", argument: model }, SELECT];
    case "disk_full":
      return [{ label: empty.pullModel, command: "pullModel", argument: model ?? "" }];
    case "no_model":
    case "no_tools":
    case "template":
      return [SELECT];
    case "no_thinking":
      return [setting("thinking")];
    case "window_exceeded":
      return [{ label: meter.compactNow, command: "compactNow" }, setting("numCtx")];
    case "load_failed":
      return [{ label: modelTexts.selectWindow, command: "selectWindow" }, SELECT, LOG];
    case "silent":
      return [setting("silenceLimit"), LOG];
    case "cloud":
      return [{ label: modelTexts.allowCloud, command: "allowCloudModel", argument: model ?? "" }, SELECT];
    case "server_error":
    case "internal":
      return [LOG];
    case "busy":
    case "tool_parse":
    case "message_too_long":
    case "interrupted_stream":
      return [];
  }
}
