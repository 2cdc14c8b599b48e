/** A line longer than this is decoded in pieces, in bytes. */
const MOST_PENDING = 65_536;

const LINE_END = 0x0a;

/** What a machine says of the characters that its programs write. */
export interface OutputMachine {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What `chcp` says on Windows, e.g. `Active code page: 850`. */
  readonly codePage?: string;
}

/** The encoding of programs that do not write UTF-8, as `decodeIn` takes it; undefined where there is none to expect. */
export function outputEncoding({ platform, environment, codePage }: OutputMachine): string | undefined {
  if (platform === "win32") {
    const number = /(\d{3,5})\D*$/.exec(codePage ?? "")?.[1];
    return number === undefined || number === "65001" ? undefined : labelOf(number);
  }
  const locales = [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]];
  const locale = locales.find((text) => text !== undefined && text !== "") ?? "";
  const charset = /\.([\w-]+)/.exec(locale)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset) ? undefined : known(charset);
}

/** Windows numbers code pages; these are the names by which `TextDecoder` knows them. */
const LABELS: Readonly<Record<string, string>> = {
  "866": "ibm866",
  "874": "windows-874",
  "932": "shift_jis",
  "936": "gbk",
  "949": "euc-kr",
  "950": "big5",
  "54936": "gb18030",
};

function labelOf(number: string): string | undefined {
  if (TABLES[number] !== undefined) return number;
  return LABELS[number] ?? (/^125\d$/.test(number) ? `windows-${number}` : undefined);
}

function known(charset: string): string | undefined {
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return undefined;
  }
}

/** The two code pages of the western world's console, 80 to FF, which `TextDecoder` does not know. */
const TABLES: Readonly<Record<string, string>> = {
  "437":
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  "850":
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
};

/** Bytes in an encoding that `outputEncoding` gave. */
function decodeIn(encoding: string, bytes: Uint8Array): string {
  const table = TABLES[encoding];
  if (table === undefined) return new TextDecoder(encoding).decode(bytes);
  return Array.from(bytes, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : (table[byte - 0x80] ?? ""),
  ).join("");
}

/**
 * Turns what a program writes into text, line by line: as UTF-8, else in the machine's own encoding if there is one, else with
 * replacement characters.
 */
export class OutputDecoder {
  #pending = Buffer.alloc(0);

  constructor(private readonly encoding: string | undefined) {}

  /** The text of the lines that `bytes` completes. */
  push(bytes: Uint8Array): string {
    const all = this.#pending.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#pending, bytes]);
    const end = all.lastIndexOf(LINE_END) + 1;
    this.#pending = all.subarray(end);
    const lines = this.#decode(all.subarray(0, end));
    return this.#pending.length > MOST_PENDING ? lines + this.#flush() : lines;
  }

  /** What is left when no more comes. */
  end(): string {
    const rest = this.#decode(this.#pending);
    this.#pending = Buffer.alloc(0);
    return rest;
  }

  /** A line without an end goes out up to its last whole character. */
  #flush(): string {
    let end = this.#pending.length;
    while (end > this.#pending.length - 4 && ((this.#pending[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
    if ((this.#pending[end - 1] ?? 0) >= 0xc0) end -= 1;
    const text = this.#decode(this.#pending.subarray(0, end));
    this.#pending = this.#pending.subarray(end);
    return text;
  }

  #decode(bytes: Buffer): string {
    if (bytes.length === 0) return "";
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return this.#byLine(bytes);
    }
  }

  /** One line that is not UTF-8 says nothing about the others. */
  #byLine(bytes: Buffer): string {
    const end = bytes.indexOf(LINE_END) + 1;
    if (end > 0 && end < bytes.length) {
      const lines: string[] = [];
      for (let from = 0; from < bytes.length;) {
        const next = bytes.indexOf(LINE_END, from) + 1 || bytes.length;
        lines.push(this.#decode(bytes.subarray(from, next)));
        from = next;
      }
      return lines.join("");
    }
    return this.encoding === undefined ? new TextDecoder().decode(bytes) : decodeIn(this.encoding, bytes);
  }
}
