import type { TestContext } from "node:test";
import type { SessionSettings } from "../../src/core/session";
import type { AnyTool } from "../../src/core/tools/tool";
import type { LogEvent } from "../../src/shared/events";
import { startWire, type Wire, type WireOptions } from "../unit/wire/fixture";
import { startSession, type Fixture } from "./sessionFixture";

export type WireSessionOptions = WireOptions & {
  readonly settings?: Partial<SessionSettings>;
  /** Takes the place of `settings` where they change. */
  readonly settingsNow?: () => SessionSettings;
  readonly tools?: readonly AnyTool[];
  readonly events?: readonly LogEvent[];
  readonly date?: string;
};

export interface WireSession extends Wire, Fixture {
  /** Sends a message and resolves, when the session is idle again, with the events since. */
  readonly say: (text: string) => Promise<readonly LogEvent[]>;
}

/** A session over real HTTP on the scripted server and its model `scripted`. */
export async function startWireSession(
  context: TestContext,
  { settings, settingsNow, tools, events, date, ...wireOptions }: WireSessionOptions = {},
): Promise<WireSession> {
  const wire = await startWire(context, wireOptions);
  const fixture = startSession(wire.model, {
    settings: { model: "scripted", ...settings },
    ...(settingsNow === undefined ? {} : { settingsNow }),
    ...(tools === undefined ? {} : { tools }),
    ...(events === undefined ? {} : { events }),
    ...(date === undefined ? {} : { date }),
  });
  context.after(() => fixture.session.dispose());
  let sent = 0;
  const say = async (text: string): Promise<readonly LogEvent[]> => {
    const before = fixture.session.events.length;
    const outcome = fixture.session.send(`m${++sent}`, text);
    if (!outcome.accepted) throw new Error(outcome.message);
    await fixture.idle();
    return fixture.session.events.slice(before);
  };
  return { ...wire, ...fixture, say };
}
