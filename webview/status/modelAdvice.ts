import type { FailureKind } from "../../src/shared/events";
import type { ModelStatus, PageCommand } from "../../src/shared/protocol";
import { strings } from "../strings";
import { modelTexts } from "../strings/model";

export interface AdvisedAction {
  readonly label: string;
  readonly command: PageCommand;
  readonly argument?: string;
}

/** What is in the way of working, and what can be done about it; the first action is the likeliest. */
export interface Advice {
  readonly title: string;
  readonly text: string;
  readonly actions: readonly AdvisedAction[];
}

const { empty } = strings;
const SELECT: AdvisedAction = { label: empty.selectModel, command: "selectModel" };
const PULL: AdvisedAction = { label: empty.pullModel, command: "pullModel" };
const CHECK: AdvisedAction = { label: empty.checkAgain, command: "checkAgain" };
const SETTINGS: AdvisedAction = { label: empty.openSettings, command: "openSettings" };
const TOKEN: AdvisedAction = { label: empty.setToken, command: "setToken" };
const START: AdvisedAction = { label: empty.startOllama, command: "startOllama" };

/** The advice for a state of server and model; undefined when nothing is in the way or that is not known yet. */
export function adviceFor(status: ModelStatus): Advice | undefined {
  switch (status.state) {
    case "checking":
    case "ready":
      return undefined;
    case "unreachable":
      return {
        title: unreachableTitle(status.kind),
        text: status.message === "" ? empty.unreachableText(status.address) : status.message,
        actions: [...unreachableActions(status.kind), CHECK, SETTINGS],
      };
    case "no_models":
      return { title: empty.noModels, text: empty.noModelsText, actions: [PULL, CHECK] };
    case "none_chosen":
      return {
        title: empty.noneChosen,
        text: empty.noneChosenText(status.installed.length),
        actions: [SELECT],
      };
    case "missing":
      return {
        title: empty.missing(status.model),
        text: empty.missingText,
        actions: [{ ...PULL, label: empty.pullThis(status.model), argument: status.model }, SELECT],
      };
    case "cloud":
      return {
        title: modelTexts.cloud(status.model),
        text: modelTexts.cloudText,
        actions: [
          { label: modelTexts.allowCloud, command: "allowCloudModel", argument: status.model },
          SELECT,
        ],
      };
    case "no_tools":
      return { title: empty.noTools(status.model), text: empty.noToolsText, actions: [SELECT, PULL] };
  }
}

function unreachableTitle(kind: FailureKind): string {
  if (kind === "unauthorized") return empty.unauthorized;
  return kind === "wrong_address" ? empty.wrongAddress : empty.unreachable;
}

/** What comes before asking again and the settings. */
function unreachableActions(kind: FailureKind): readonly AdvisedAction[] {
  if (kind === "not_running") return [START];
  return kind === "unauthorized" ? [TOKEN] : [];
}
