import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { diffLines } from "../../src/core/tools/lineDiff";
import type { ApprovalQuestion } from "../../src/shared/live";
import { HOSTILE_COMMANDS, HOSTILE_CONTENTS, HOSTILE_NAMES, HOSTILE_PATHS } from "../support/hostileCorpus";
import { closed, listen } from "./support/builtPage";
import { usePanels, withPanel } from "./support/panel";
import { answered, call, compacted, logged, READY, result, said, viewAfter } from "./support/sessions";

usePanels();

/** Enough of a content to show what it does; the long ones are long only. */
const shortened = (content: string): string => content.slice(0, 2_000);
const pathOf = (question: ApprovalQuestion): string => ("path" in question ? question.path : "");

const HOSTILE = [
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)></svg>",
  "<style>*{display:none}</style>",
  "<script>alert(1)</script>",
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  "[x](javascript:alert(1)) [y](vbscript:x) [z](data:text/html,<script>alert(1)</script>)",
  '```"><img src=x onerror=alert(1)>\n<img src=x onerror=alert(1)>\n```',
  '[link](http://example.com/"onmouseover="alert(1))',
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
].join("\n\n");

test("V01: HTML in answers, thinking, tools, summaries and everything else shows as text and nothing of it runs", async () => {
  const hostileCall = { ...call("c1", `read_file ${HOSTILE}`, { path: HOSTILE }) };
  const view = viewAfter(
    said(HOSTILE),
    answered(HOSTILE, {
      thinking: HOSTILE,
      toolCalls: [hostileCall, call("c2", "bash", { command: HOSTILE })],
    }),
    result("c1", { content: HOSTILE, summary: HOSTILE }),
    { type: "tool_output", callId: "c2", text: HOSTILE },
    {
      type: "approval_asked",
      callId: "c2",
      question: { kind: "command", command: HOSTILE, folder: HOSTILE },
    },
    compacted({
      summary: HOSTILE,
      focus: HOSTILE,
      model: HOSTILE,
      kept: {
        words: [HOSTILE],
        wordsCut: 0,
        request: HOSTILE,
        files: [{ path: HOSTILE, hash: "", changed: false }],
        filesCut: 0,
        commands: [{ command: HOSTILE, exitCode: 0 }],
        commandsCut: 0,
      },
    }),
    logged({ type: "notice", level: "warning", text: HOSTILE }),
    logged({ type: "turn_ended", reason: "failed", failure: { kind: "internal", message: HOSTILE } }),
    logged({ type: "message_queued", queueId: "q1", text: HOSTILE }),
  );
  await withPanel({ view, status: { ...READY, model: HOSTILE } }, async (panel) => {
    let dialogs = 0;
    panel.page.on("dialog", (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    for (const summary of await panel.page.locator("summary:visible").all()) await summary.click();
    await panel.tell({ type: "send_refused", id: "m", text: HOSTILE, message: HOSTILE });
    await panel.events(
      { type: "reply_started", id: "r" },
      { type: "reply_delta", text: HOSTILE, thinking: HOSTILE },
    );
    assert.equal(
      await panel.page
        .locator("#root :is(img, script, iframe, style, math, object, [onerror], [onload])")
        .count(),
      0,
    );
    assert.equal(await panel.page.locator("#root [href], #root [src], #root [srcdoc]").count(), 0);
    assert.equal(dialogs, 0);
    assert.match(await panel.page.locator(".markdown").first().innerText(), /<img src=x onerror=alert\(1\)>/);
    assert.equal(await panel.field.isVisible(), true);
  });
});

test("V02: nothing in a conversation loads by itself; a picture is a description that opens when it is pressed", async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    response.end();
  });
  const address = `http://127.0.0.1:${await listen(server)}`;
  const url = `${address}/p.png?q=SECRET`;
  const text = [
    `![a chart](${url})`,
    `<img src="${url}">`,
    `<div style="background: url(${url})">x</div>`,
    `[![badge](${url})](${address}/page)`,
    `![ref][r]\n\n[r]: ${url}`,
    `<link rel="stylesheet" href="${url}"><link rel="prefetch" href="${url}">`,
  ].join("\n\n");
  try {
    const view = viewAfter(said(text), answered(text, { thinking: text }), compacted({ summary: text }));
    await withPanel({ view }, async (panel) => {
      for (const summary of await panel.page.locator("summary:visible").all()) await summary.click();
      await panel.events({ type: "reply_started", id: "r" }, { type: "reply_delta", text, thinking: text });
      const picture = panel.page.getByRole("link", { name: "Picture: a chart" }).first();
      assert.equal((await panel.postedBy("open_link", () => picture.click())).url, url);
      // The listener is reachable, so an empty list means that nobody asked.
      assert.deepEqual(requests, []);
      await fetch(`${address}/probe`);
      assert.deepEqual(requests, ["/probe"]);
    });
  } finally {
    await closed(server);
  }
});

test("links open web addresses and files of the workspace through the host, by mouse and by keyboard, and nothing else", async () => {
  const text =
    "[web](https://example.com/a?b=c#d) [file](src/a%20b.ts#L3) [abs](/etc/passwd) [up](//host/x) [mail](mailto:a@b.c) [anchor](#x) [win](C:\\x) https://bare.example/ main.py";
  await withPanel({ view: viewAfter(said("?"), answered(text)) }, async (panel) => {
    const links = panel.page.locator(".markdown").getByRole("link");
    assert.deepEqual(await links.allTextContents(), ["web", "file", "https://bare.example/"]);
    const web = await panel.postedBy("open_link", () => links.nth(0).click());
    assert.equal(web.url, "https://example.com/a?b=c#d");
    const file = await panel.postedBy("open_file", () => links.nth(1).press("Enter"));
    assert.equal(file.path, "src/a b.ts");
    assert.equal(await links.nth(0).getAttribute("title"), "Open https://example.com/a?b=c#d");
  });
});

test("control, bidirectional and invisible characters are spelled out in cards and questions", async () => {
  const command = "echo a\u202Eb\u200Bc\u0000d\u001B[2Je\rf\u{E0041}g\u00ADh\u2028i\u3164j";
  const spelled = "echo aU+202EbU+200BcU+0000dU+001B[2JeU+000DfU+E0041gU+00ADhU+2028iU+3164j";
  const view = viewAfter(said("?"), answered("", { toolCalls: [call("c1", "bash", { command })] }), {
    type: "approval_asked",
    callId: "c1",
    question: { kind: "command", command, folder: "f\u202E" },
  });
  await withPanel({ view }, async (panel) => {
    const { page } = panel;
    assert.equal(await page.locator(".command").textContent(), spelled);
    assert.equal(await page.locator(".tool-target").textContent(), spelled);
    assert.equal(await page.locator(".command .escape").count(), 9);
    assert.match((await page.locator(".approval-title").textContent()) ?? "", /in fU\+202E$/);
    const diff = "@@ -1 +1 @@\n-a\n+\u2066b\u2069\n";
    await panel.events(
      { type: "approval_settled", callId: "c1" },
      {
        type: "approval_asked",
        callId: "c1",
        question: { kind: "edit", path: "a\u200B.ts", diff, added: 1, removed: 1, isNew: false },
      },
    );
    assert.equal(await page.locator(".diff .added").textContent(), "+U+2066bU+2069");
    assert.match((await page.locator(".approval-title").textContent()) ?? "", /Edit aU\+200B\.ts/);
    await panel.events(
      { type: "approval_settled", callId: "c1" },
      result("c1", { content: "\u202Ex\u001B[1my\u001B[0m⚠️" }),
    );
    await page.locator(".tool-card summary").click();
    assert.equal(await page.locator(".tool-text").textContent(), "U+202Exy⚠️");
  });
});

test("every hostile path, name, command and content is spelled out in cards, diffs and questions, and each looks different", async () => {
  const paths = [...HOSTILE_PATHS, ...HOSTILE_NAMES];
  const questions: readonly ApprovalQuestion[] = [
    ...HOSTILE_COMMANDS.map((command) => ({ kind: "command", command, folder: "app" }) as const),
    ...paths.map((path) => ({ kind: "outside", path, access: "read" }) as const),
    ...paths.map((path) => ({ kind: "edit", path, ...diffLines(path, "a\n", "b\n"), isNew: false }) as const),
    ...HOSTILE_CONTENTS.map(
      (content) =>
        ({
          kind: "edit",
          path: "a.txt",
          ...diffLines("a.txt", null, shortened(content)),
          isNew: true,
        }) as const,
    ),
  ];
  const calls = questions.map((question, index) => {
    const target = question.kind === "command" ? { command: question.command } : { path: pathOf(question) };
    return call(`c${index}`, question.kind === "command" ? "bash" : "read_file", target);
  });
  const results = HOSTILE_CONTENTS.map((content, index) =>
    result(`c${index}`, { content: shortened(content), summary: shortened(content) }),
  );
  const asked = questions.map(
    (question, index) => ({ type: "approval_asked", callId: `c${index}`, question }) as const,
  );
  const view = viewAfter(said("?"), answered("", { toolCalls: calls }), ...results, ...asked);
  await withPanel({ view }, async ({ page }) => {
    const cards = page.locator("li.entry.tool");
    assert.equal(await cards.count(), questions.length);
    const shown = await cards.evaluateAll((items) =>
      items.map((item) => {
        const textOf = (selector: string) => item.querySelector(selector)?.textContent ?? "";
        const labels = [item, ...item.querySelectorAll("[aria-label]")].map((part) =>
          part.getAttribute("aria-label"),
        );
        const foreign = item.querySelectorAll("img, script, iframe, style, a[href], [onerror]").length;
        const asks = `${textOf(".approval-title")}\n${textOf(".command, .diff")}`;
        return { all: item.textContent ?? "", labels: labels.join("\n"), asks, foreign };
      }),
    );
    const hidden = /[^\P{C}\t\n\p{Co}\p{Cn}]|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}|\u2800/u;
    const seen = new Map<string, string>();
    for (const [index, { all, labels, asks, foreign }] of shown.entries()) {
      const question = JSON.stringify(questions[index]);
      assert.doesNotMatch(all, hidden, question);
      assert.doesNotMatch(labels, hidden, question);
      assert.equal(foreign, 0, question);
      // What a person agrees to can be told apart from everything else that they might be asked.
      const twin = seen.get(asks.replaceAll(/\p{Zs}/gu, " "));
      assert.equal(twin, undefined, `${question} looks like ${twin}`);
      seen.set(asks.replaceAll(/\p{Zs}/gu, " "), question);
    }
    // Nothing is pushed out of sight beside the card.
    const isWide = await page
      .locator(".diff, .command, .approval-title")
      .evaluateAll((parts) =>
        parts
          .filter((part) => part.scrollWidth > part.clientWidth + 1)
          .map((part) => part.textContent?.slice(0, 80)),
      );
    assert.deepEqual(isWide, []);
  });
});

test("text from right to left has its own direction, and code keeps left to right", async () => {
  const view = viewAfter(said("שלום עולם"), answered("مرحبا\n\n```\ncode\n```"));
  await withPanel({ view }, async ({ page }) => {
    const direction = (selector: string) =>
      page.locator(selector).evaluate((element) => getComputedStyle(element).direction);
    assert.equal(await direction(".said"), "rtl");
    assert.equal(await direction(".markdown"), "rtl");
    assert.equal(await direction(".markdown pre"), "ltr");
  });
});
