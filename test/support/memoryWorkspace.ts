import { createHash } from "node:crypto";
import { posix } from "node:path";
import type {
  FileChange,
  Listing,
  NotText,
  ResolvedPath,
  SearchQuery,
  TextFile,
  Workspace,
} from "../../src/core/ports";
import { similarNames } from "../../src/core/tools/similarity";

/** What a workspace in memory starts with. */
export interface MemoryFiles {
  /** Texts, or what is no text, by paths relative to the workspace folder; an absolute path lies outside of it. */
  readonly files?: Readonly<Record<string, string | NotText>>;
  /** Folders without files in them. */
  readonly folders?: readonly string[];
  readonly hasFolder?: boolean;
  /** Whether the files are open with unsaved typing, so that changes of them stay unsaved too. */
  readonly isUnsaved?: boolean;
  /** What a formatter makes of a text when it is saved. */
  readonly format?: (text: string) => string;
}

const ROOT = "/ws";

/** A workspace in memory: files by absolute path, and a list of everything that was read or written. */
export class MemoryWorkspace implements Workspace {
  readonly files = new Map<string, string | NotText>();
  readonly touched: string[] = [];
  private readonly folders: ReadonlySet<string>;
  private readonly listeners = new Set<{ readonly absolute: string; readonly listener: () => void }>();

  /** How many files are being watched. */
  get watched(): number {
    return this.listeners.size;
  }

  constructor(private readonly start: MemoryFiles = {}) {
    for (const [path, content] of Object.entries(start.files ?? {}))
      this.files.set(absoluteOf(path), content);
    this.folders = new Set((start.folders ?? []).map(absoluteOf));
  }

  /** The text of a file, for assertions. */
  textOf(path: string): string | undefined {
    const content = this.files.get(absoluteOf(path));
    return typeof content === "string" ? content : undefined;
  }

  resolve(path: string): Promise<ResolvedPath> {
    if (this.start.hasFolder === false) return Promise.resolve({ place: "no_folder" });
    const absolute = absoluteOf(path);
    const isInside = absolute === ROOT || absolute.startsWith(`${ROOT}/`);
    const kind = this.files.has(absolute) ? "file" : this.isFolder(absolute) ? "folder" : "missing";
    return Promise.resolve({
      place: isInside ? "inside" : "outside",
      absolute,
      shown: shownOf(absolute),
      kind,
    });
  }

  readText(absolute: string): Promise<TextFile | NotText> {
    this.touched.push(absolute);
    const content = this.files.get(absolute);
    if (content === undefined) {
      return Promise.resolve({ reason: "unreadable", description: "it does not exist", bytes: 0 } as const);
    }
    if (typeof content !== "string") return Promise.resolve(content);
    return Promise.resolve({ text: content, hash: hashOf(content), hasUnsavedChanges: false });
  }

  write({ path, before, after }: FileChange): ReturnType<Workspace["write"]> {
    this.touched.push(path.absolute);
    if ((this.files.get(path.absolute) ?? null) !== before) {
      return Promise.resolve({ error: "it is not as it was when it was read.", isChanged: true });
    }
    const text = this.start.format?.(after) ?? after;
    this.files.set(path.absolute, text);
    const unsaved = this.start.isUnsaved === true ? { hasUnsavedChanges: true } : {};
    return Promise.resolve({ text, hash: hashOf(text), ...unsaved });
  }

  onChange(absolute: string, listener: () => void): () => void {
    const own = { absolute, listener };
    this.listeners.add(own);
    return () => this.listeners.delete(own);
  }

  /** The person changes a file: whoever listens is told. */
  change(path: string, content: string): void {
    const absolute = absoluteOf(path);
    this.files.set(absolute, content);
    for (const own of this.listeners) if (own.absolute === absolute) own.listener();
  }

  list(absolute: string | undefined, maxEntries: number, signal: AbortSignal): Promise<Listing> {
    signal.throwIfAborted();
    const folder = absolute ?? ROOT;
    const paths = [...this.files.keys()].filter((path) => path.startsWith(`${folder}/`));
    const folders = new Set(paths.flatMap(parentsOf).filter((path) => path.startsWith(`${folder}/`)));
    const all = [...paths, ...[...folders].map((path) => `${path}/`)];
    const depth = (path: string) => path.replace(/\/$/, "").split("/").length;
    const entries = all.sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1)).map(shownOf);
    return Promise.resolve({ entries: entries.slice(0, maxEntries), total: entries.length });
  }

  search(
    { pattern, isRegExp, under, maxMatches }: SearchQuery,
    signal: AbortSignal,
  ): ReturnType<Workspace["search"]> {
    signal.throwIfAborted();
    const expression = isRegExp ? new RegExp(pattern) : undefined;
    const matches = [...this.files]
      .filter(([path]) => path === (under ?? path) || path.startsWith(`${under ?? ROOT}/`))
      .flatMap(([path, content]) =>
        (typeof content === "string" ? content.split("\n") : []).map((text, index) => ({
          path: shownOf(path),
          line: index + 1,
          text,
        })),
      )
      .filter(({ text }) => expression?.test(text) ?? text.includes(pattern));
    return Promise.resolve({ matches: matches.slice(0, maxMatches), isCut: matches.length > maxMatches });
  }

  similarNames(absolute: string): Promise<readonly string[]> {
    const folder = posix.dirname(absolute);
    const names = [...this.files.keys()]
      .filter((path) => posix.dirname(path) === folder)
      .map((path) => posix.basename(path));
    return Promise.resolve(
      similarNames(posix.basename(absolute), names, 5).map((name) => shownOf(posix.join(folder, name))),
    );
  }

  private isFolder(absolute: string): boolean {
    return (
      absolute === ROOT ||
      this.folders.has(absolute) ||
      [...this.files.keys()].some((path) => path.startsWith(`${absolute}/`))
    );
  }
}

function absoluteOf(path: string): string {
  return posix.resolve(ROOT, path);
}

function shownOf(absolute: string): string {
  if (absolute === ROOT) return ".";
  return absolute.startsWith(`${ROOT}/`) ? absolute.slice(ROOT.length + 1) : absolute;
}

function parentsOf(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === path ? [] : [parent, ...parentsOf(parent)];
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
