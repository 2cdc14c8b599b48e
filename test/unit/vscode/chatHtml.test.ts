import assert from "node:assert/strict";
import { test } from "node:test";
import { chatHtml } from "../../../src/vscode/entry/chatHtml";

const options = {
  cspSource: "https://file.example",
  nonce: "abc123",
  scriptUri: "https://file.example/page.js",
  styleUri: "https://file.example/page.css",
  language: "en",
  title: "Loom",
};

/** The content policy as its directives. */
function policyOf(html: string): ReadonlyMap<string, string> {
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "";
  return new Map(
    policy.split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources.join(" ")] as const;
    }),
  );
}

test("V01: the document allows one script, by nonce, and nothing that is not named", () => {
  const html = chatHtml(options);
  const policy = policyOf(html);
  assert.equal(policy.get("default-src"), "'none'");
  assert.equal(policy.get("script-src"), "'nonce-abc123'");
  assert.equal(policy.get("style-src"), "https://file.example 'nonce-abc123'");
  assert.equal(policy.get("img-src"), "https://file.example");
  assert.ok(!html.includes("unsafe-"));
  assert.equal(html.match(/<script/g)?.length, 1);
  assert.match(html, /<script nonce="abc123" src="https:\/\/file\.example\/page\.js"><\/script>/);
});

test("the document holds what the page builds on: language, root and the nonce for the toolkit's style", () => {
  const html = chatHtml({ ...options, language: "pt-br" });
  assert.match(html, /<html lang="pt-br">/);
  assert.match(html, /<div id="root"><\/div>/);
  assert.match(html, /<meta property="csp-nonce" content="abc123">/);
});

test("no value can leave its attribute", () => {
  const html = chatHtml({ ...options, language: '"><script>x</script>', title: "<b>&" });
  assert.match(html, /lang="&quot;&gt;&lt;script&gt;x&lt;\/script&gt;"/);
  assert.match(html, /<title>&lt;b&gt;&amp;<\/title>/);
  assert.equal(html.match(/<script/g)?.length, 1);
});
