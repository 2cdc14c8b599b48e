/** What the person can do in the panel to compactions, pins and the context. The newest compaction is meant where the id is empty. */
export type SteeringAction =
  | { readonly do: "compact"; readonly focus: string }
  | { readonly do: "undo"; readonly compactionId: string }
  /** Opens the summary in an editor. */
  | { readonly do: "edit_summary"; readonly compactionId: string }
  | { readonly do: "regenerate"; readonly compactionId: string; readonly wish: string }
  | { readonly do: "choose_summary"; readonly compactionId: string; readonly versionId: string }
  | { readonly do: "drop_result"; readonly resultId: string }
  | { readonly do: "restore_result"; readonly resultId: string }
  | { readonly do: "pin"; readonly text: string }
  | { readonly do: "unpin"; readonly pinId: string }
  | { readonly do: "postpone" };

/** The action that `value` is, or undefined when it is none. */
export function parseSteeringAction(value: unknown): SteeringAction | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const text = (name: string): string | undefined => {
    const field = fields.get(name);
    return typeof field === "string" ? field : undefined;
  };
  const [compactionId, resultId] = [text("compactionId"), text("resultId")];
  const action = text("do");
  switch (action) {
    case "postpone":
      return { do: action };
    case "compact": {
      const focus = text("focus");
      return focus === undefined ? undefined : { do: action, focus };
    }
    case "undo":
    case "edit_summary":
      return compactionId === undefined ? undefined : { do: action, compactionId };
    case "regenerate": {
      const wish = text("wish");
      return compactionId === undefined || wish === undefined
        ? undefined
        : { do: action, compactionId, wish };
    }
    case "choose_summary": {
      const versionId = text("versionId");
      if (compactionId === undefined || versionId === undefined) return undefined;
      return { do: action, compactionId, versionId };
    }
    case "drop_result":
    case "restore_result":
      return resultId === undefined ? undefined : { do: action, resultId };
    case "pin": {
      const pinned = text("text");
      return pinned === undefined ? undefined : { do: action, text: pinned };
    }
    case "unpin": {
      const pinId = text("pinId");
      return pinId === undefined ? undefined : { do: action, pinId };
    }
    default:
      return undefined;
  }
}
