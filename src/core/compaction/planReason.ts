/** Why a plan departs from "keep the last messages as they are". */
export type PlanReason =
  | { readonly why: "tail_too_large"; readonly groupsLeft: number }
  | {
      readonly why: "message_too_large";
      readonly eventId: string;
      readonly tokens: number;
      readonly keptTokens: number;
    }
  | { readonly why: "unread_kept_whole"; readonly tokens: number };
