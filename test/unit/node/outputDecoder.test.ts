import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OutputDecoder, outputEncoding } from "../../../src/node/commands/outputDecoder";

function decoded(bytes: readonly number[] | Buffer, encoding: string | undefined): string {
  const decoder = new OutputDecoder(encoding);
  return decoder.push(Buffer.from(bytes)) + decoder.end();
}

test("B07: the encoding is the locale's where it is not UTF-8, and the console's code page on Windows", () => {
  const unix = (environment: Readonly<Record<string, string>>) =>
    outputEncoding({ platform: "linux", environment });
  assert.equal(unix({ LANG: "de_DE.UTF-8" }), undefined);
  assert.equal(unix({}), undefined);
  assert.equal(unix({ LANG: "C" }), undefined);
  assert.equal(unix({ LANG: "zh_CN.GB18030" }), "gb18030");
  assert.equal(unix({ LANG: "en_US.UTF-8", LC_ALL: "de_DE.ISO-8859-1" }), "windows-1252");
  assert.equal(unix({ LANG: "x.nonsense" }), undefined);
  const windows = (codePage: string) => outputEncoding({ platform: "win32", environment: {}, codePage });
  assert.equal(windows("Active code page: 437"), "437");
  assert.equal(windows("Aktive Codepage: 850.\r\n"), "850");
  assert.equal(windows("Active code page: 932\r\n"), "shift_jis");
  assert.equal(windows("Active code page: 1252"), "windows-1252");
  assert.equal(windows("Active code page: 65001"), undefined);
  assert.equal(windows(""), undefined);
});

test("B07: a line that is no UTF-8 is read in the machine's encoding, the lines around it stay UTF-8", () => {
  const line = Buffer.from([0xb3, 0xc9, 0xb9, 0xa6, 0x0a]);
  assert.equal(decoded(line, "gb18030"), "成功\n");
  assert.equal(decoded(line, undefined), "\ufffd\u0279\ufffd\n");
  const mixed = Buffer.concat([Buffer.from("é 1\n"), line, Buffer.from("é 2")]);
  assert.equal(decoded(mixed, "gb18030"), "é 1\n成功\né 2");
  assert.equal(decoded([0x81, 0x62, 0x65, 0x72, 0xe1], "850"), "überß");
  assert.equal(decoded([0xe1, 0x9b, 0x20, 0xb0], "437"), "ß¢ ░");
  for (const page of ["437", "850"]) {
    const all = Buffer.from(Array.from({ length: 128 }, (_, index) => 0x80 + index));
    assert.equal([...decoded(all, page)].length, 128);
    assert.equal(new Set(decoded(all, page)).size, 128);
  }
});

test("however the bytes are cut, UTF-8 comes out whole, and everything comes out", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.nat(30)), (text, cuts) => {
      const bytes = Buffer.from(text, "utf8");
      const decoder = new OutputDecoder("437");
      let [result, from] = ["", 0];
      for (const cut of cuts) {
        result += decoder.push(bytes.subarray(from, from + cut));
        from += cut;
      }
      result += decoder.push(bytes.subarray(from)) + decoder.end();
      assert.equal(result, text);
    }),
  );
});

test("a line without an end does not gather in memory, and no character of it is torn", () => {
  const decoder = new OutputDecoder(undefined);
  let result = "";
  for (let count = 0; count < 300; count += 1) result += decoder.push(Buffer.from("é€\u{1F600}".repeat(100)));
  assert.ok(result.length > 0);
  result += decoder.end();
  assert.equal(result, "é€\u{1F600}".repeat(30_000));
});
