import type { SessionEvent } from "../../../src/shared/live";
import type { SteeringAction } from "../../../src/shared/steeringActions";
import { EMPTY_VIEW } from "../../../src/shared/view";
import type { Panel } from "./panel";
import { SCENES } from "./scenes";

export const STEERED = SCENES["steered"]?.view ?? EMPTY_VIEW;
export const TAKEN_BACK = SCENES["takenBack"]?.view ?? EMPTY_VIEW;

/** The action that the page asks for when `press` is done. */
export async function asked(panel: Panel, press: () => Promise<unknown>): Promise<SteeringAction> {
  return (await panel.postedBy("steer", press)).action;
}

/** The markers, unfolded by keyboard. */
export async function unfolded(panel: Panel) {
  const markers = panel.page.getByRole("listitem", { name: "Compaction" });
  for (const marker of await markers.all()) {
    await marker.locator("summary").first().press("Enter");
    await marker.locator(".marker-sections").waitFor();
  }
  return markers;
}

/** What a screen reader is told of an event. */
export async function heard(panel: Panel, ...events: readonly SessionEvent[]): Promise<string> {
  await panel.events(...events);
  return (await panel.page.getByRole("status").textContent()) ?? "";
}
