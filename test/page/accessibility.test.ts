import axe from "axe-core";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "../../src/shared/live";
import { EMPTY_VIEW } from "../../src/shared/view";
import { contrasts } from "./support/contrast";
import { usePanels, withPanel, type Panel } from "./support/panel";
import { SCENES } from "./support/scenes";
import { answered, call, compacted, DIFF, logged, result, said, viewAfter } from "./support/sessions";
import { THEMES } from "./support/themes";

usePanels();

/** Shows a scene with everything unfolded. */
async function show(panel: Panel, name: string): Promise<void> {
  const { view = EMPTY_VIEW, messages = [], ...rest } = SCENES[name] ?? {};
  await panel.snapshot({ ...rest, view: { ...view, sessionId: name } });
  await panel.page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  for (const message of messages) await panel.tell(message);
  await panel.drawn();
}

/** What axe finds in the page: by all of its rules, or only by those about colours. */
async function violations(panel: Panel, rules: "all" | "colours"): Promise<string[]> {
  const { violations: found } = await panel.page.evaluate(
    (only) =>
      (window as unknown as { axe: typeof axe }).axe.run(document, {
        resultTypes: ["violations"],
        ...(only.length > 0 ? { runOnly: only } : {}),
      }),
    rules === "all" ? [] : ["color-contrast", "link-in-text-block"],
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary ?? ""}`),
  );
}

for (const theme of THEMES) {
  test(`V06: axe finds nothing and all text has a contrast of 4.5 to 1: ${theme}`, async () => {
    await withPanel({ theme, width: 320, reducedMotion: "reduce" }, async (panel) => {
      await panel.page.evaluate(axe.source);
      for (const name of Object.keys(SCENES)) {
        await show(panel, name);
        // The other rules are about the document, which is the same in every theme.
        assert.deepEqual(await violations(panel, theme === THEMES[0] ? "all" : "colours"), [], name);
        const low = (await contrasts(panel.page)).filter(({ ratio }) => ratio < 4.5);
        assert.deepEqual(low, [], name);
      }
    });
  });

  test(`V06: whatever has the keyboard focus shows it: ${theme}`, async () => {
    await withPanel({ theme, view: SCENES["work"]?.view ?? EMPTY_VIEW }, async (panel) => {
      await show(panel, "approval");
      await panel.field.focus();
      const seen = new Set<string>();
      for (let steps = 0; steps < 60; steps += 1) {
        await panel.page.keyboard.press("Tab");
        const [name, isVisible] = await panel.page.evaluate(() => {
          const host = document.activeElement ?? document.body;
          const inner = host.shadowRoot?.activeElement ?? host;
          const frame = host.closest(".composer-box") ?? inner;
          const { outlineStyle, outlineWidth, borderColor } = getComputedStyle(inner);
          const focusColour = getComputedStyle(document.documentElement).getPropertyValue(
            "--vscode-focusBorder",
          );
          const probe = document.createElement("i");
          probe.style.color = focusColour;
          document.body.append(probe);
          const wanted = getComputedStyle(probe).color;
          probe.remove();
          const root = inner.closest(".root");
          const borders = [
            borderColor,
            getComputedStyle(frame).borderColor,
            root ? getComputedStyle(root).borderColor : "",
          ];
          const hasOutline = outlineStyle !== "none" && outlineWidth !== "0px";
          return [
            `${host.tagName} ${host.getAttribute("aria-label") ?? host.className}`,
            hasOutline || borders.includes(wanted),
          ];
        });
        if (host(name)) continue;
        assert.equal(isVisible, true, `the focus shows on ${String(name)}`);
        seen.add(String(name));
      }
      for (const label of ["Allow", "Deny", "Show diff", "Review", "Compact Now", "Stop"]) {
        assert.ok(
          [...seen].some((name) => name.includes(label)),
          `${label} is reached by Tab`,
        );
      }
    });
  });
}

function host(name: unknown): boolean {
  return String(name).startsWith("BODY");
}

test("V08: each message is an item with its author named, and every button has a name", async () => {
  const view = viewAfter(
    said("Fix it."),
    answered("First I look.", { toolCalls: [call("c1", "read_file", { path: "a.ts" })] }),
    result("c1"),
    answered("Second answer.", { toolCalls: [call("c2", "bash", { command: "npm test" })] }),
    {
      type: "approval_asked",
      callId: "c2",
      question: { kind: "command", command: "npm test", folder: "app" },
    },
    compacted(),
  );
  await withPanel({ view }, async ({ page }) => {
    const list = page.getByRole("list", { name: "Conversation" });
    assert.equal(await list.getByRole("listitem", { name: "You", exact: true }).count(), 1);
    assert.equal(await list.getByRole("listitem", { name: "Loom", exact: true }).count(), 2);
    assert.equal(await list.getByRole("listitem", { name: "Tool call: read_file a.ts, done" }).count(), 1);
    assert.equal(await list.getByRole("listitem", { name: "Compaction" }).count(), 1);
    assert.equal(await page.getByRole("group", { name: "Approval needed: Run a command" }).count(), 1);
    assert.equal(await page.getByRole("heading", { name: "Loom", exact: true, level: 2 }).count(), 2);
    for (const button of await page.getByRole("button").all()) {
      const name = (await button.getAttribute("aria-label")) ?? (await button.innerText());
      assert.notEqual(name.trim(), "");
    }
  });
});

test("V08: one polite region tells what matters, once; the streaming text is in no live region", async () => {
  await withPanel({ view: viewAfter(said("?")) }, async (panel) => {
    const region = panel.page.getByRole("status");
    const heard = async (...events: SessionEvent[]) => {
      await panel.events(...events);
      return region.textContent();
    };
    assert.equal(await region.count(), 1);
    assert.equal(await region.getAttribute("aria-live"), "polite");
    const calls = { toolCalls: [call("c1", "edit_file", { path: "a.ts" })] };
    assert.equal(
      await heard({ type: "reply_started", id: "r" }, { type: "reply_delta", text: "Hello", thinking: "" }),
      "",
    );
    const live = await panel.page
      .locator(".markdown")
      .evaluate((answer) => answer.closest("[aria-live], [role=log], [role=alert], [role=status]"));
    assert.equal(live, null);
    assert.equal(
      await panel.page.locator(":is([aria-live=assertive], [role=alert]):not([aria-hidden=true] *)").count(),
      0,
    );
    const running = { type: "phase_changed", phase: { name: "tool", since: 0, callId: "c1" } } as const;
    assert.equal(
      await heard(answered("Hello", calls), { type: "tool_started", callId: "c1" }, running),
      "Running edit_file a.ts.",
    );
    const question = { kind: "edit", path: "a.ts", diff: DIFF, added: 1, removed: 1, isNew: false } as const;
    assert.equal(
      await heard({ type: "approval_asked", callId: "c1", question }),
      "Approval needed: Edit a.ts.",
    );
    const compacting = {
      name: "compacting",
      since: 0,
      messages: 9,
      used: 1,
      window: 2,
      part: 1,
      parts: 1,
    } as const;
    assert.equal(
      await heard({ type: "phase_changed", phase: compacting }),
      "Compaction started: 9 messages.",
    );
    assert.match((await heard(compacted())) ?? "", /^Compacted: 21 messages, 3,470 → ~620 tokens/);
    const failed = logged({ type: "compaction_failed", trigger: "by_hand", message: "Empty." });
    assert.equal(await heard(failed), "Compaction failed. Empty.");
    assert.equal(await heard(logged({ type: "turn_ended", reason: "done" })), "Reply finished.");
  });
});

test("a running ring is not announced, and nothing moves for those who asked for less motion", async () => {
  await withPanel({ view: SCENES["busy"]?.view ?? EMPTY_VIEW, reducedMotion: "reduce" }, async ({ page }) => {
    const rings = page.locator("vscode-progress-ring");
    assert.ok((await rings.count()) > 0);
    for (const ring of await rings.all()) {
      assert.equal(await ring.evaluate((element) => element.closest("[aria-hidden=true]") !== null), true);
      const animation = await ring.evaluate((element) => {
        const circle = element.shadowRoot?.querySelector(".indeterminate-indicator-1");
        return circle ? getComputedStyle(circle).animationName : "";
      });
      assert.equal(animation, "none");
    }
  });
});
