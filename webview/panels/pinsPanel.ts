import type { SessionView } from "../../src/shared/view";
import { h, type Child } from "../dom";
import { steer } from "../hostApi";
import { strings } from "../strings";
import { button } from "../toolkit";

/** How much of a pin names its button, in characters. */
const NAME_CHARACTERS = 60;

/** What is pinned, each with a way to take it back, and how much more fits. */
export function pinsPanel({ pins, steering }: Pick<SessionView, "pins" | "steering">): Child[] {
  const { pinsEmpty, pinsNote, pinRoom, pins: label } = strings.steering;
  if (pins.length === 0) return [h("p", { class: "quiet" }, pinsEmpty)];
  const rows = pins.map(({ id, text }) =>
    h(
      "li",
      {},
      h("div", { class: "said", dir: "auto" }, text),
      button({
        label: strings.steering.unpin(text.slice(0, NAME_CHARACTERS)),
        icon: "close",
        appearance: "icon",
        onPress: () => steer({ do: "unpin", pinId: id }),
      }),
    ),
  );
  const room = steering === null ? undefined : pinRoom(steering.pins.tokens, steering.pins.most);
  return [
    h("ol", { class: "pins", "aria-label": label }, ...rows),
    room === undefined ? undefined : h("p", {}, room),
    h("p", { class: "quiet" }, pinsNote),
  ];
}
