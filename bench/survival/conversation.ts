import { createRandom, type Random } from "./random";

/** Where a needle is planted. */
export type Origin = "user" | "tool" | "decision";

/** A fact that must survive; `value` is what a request is searched for. */
export interface Needle {
  readonly value: string;
  readonly sentence: string;
  readonly origin: Origin;
}

export interface Round {
  readonly text: string;
  readonly results: readonly string[];
}

export interface Turn {
  readonly user: string;
  readonly rounds: readonly Round[];
  readonly answer: string;
}

export interface Conversation {
  readonly turns: readonly Turn[];
  readonly needles: readonly Needle[];
}

const WORDS =
  "the parser reads a line and gives back what it found so that later steps can join them again without asking twice for any of it".split(
    " ",
  );

/** A conversation of about `length` × `window` tokens with eight needles in its first four fifths. */
export function makeConversation(seed: number, window: number, length: number): Conversation {
  const random = createRandom(seed);
  const needles = makeNeedles(random);
  const turns: Turn[] = [];
  const target = length * window;
  let tokens = 0;
  while (tokens < target || turns.length < 3) {
    const turn = makeTurn(random, window);
    turns.push(turn);
    tokens += roughTokens(turn);
  }
  return { turns: plant(turns, needles, random), needles };
}

function makeNeedles(random: Random): Needle[] {
  const number = () => String(random.between(10_000, 99_999));
  const [port, path, rule] = [number(), `srv/app_${number()}/main.conf`, `legacy_${number()}/`];
  const [table, key, flag] = [`t_ord_${number()}`, `K-${number()}`, `--limit=${number()}`];
  const [branch, version] = [`fix/${number()}`, `v${random.between(1, 9)}.${number()}`];
  return [
    { value: port, sentence: `The port is ${port}.`, origin: "user" },
    { value: rule, sentence: `Never touch ${rule} in this project.`, origin: "user" },
    { value: key, sentence: `The deploy key is ${key}.`, origin: "user" },
    { value: path, sentence: `config: ${path}`, origin: "tool" },
    { value: table, sentence: `table ${table} has 4 columns`, origin: "tool" },
    { value: flag, sentence: `usage: run ${flag}`, origin: "tool" },
    { value: branch, sentence: `We decided to work on ${branch}.`, origin: "decision" },
    { value: version, sentence: `We decided to ship it as ${version}.`, origin: "decision" },
  ];
}

function makeTurn(random: Random, window: number): Turn {
  const rounds = Array.from({ length: random.between(0, 4) }, (): Round => {
    const calls = random.next() < 0.8 ? 1 : random.between(2, 4);
    const sizes = Array.from({ length: calls }, () =>
      Math.floor(window * random.pick([0.01, 0.05, 0.15, 0.3]) * 3),
    );
    return {
      text: random.next() < 0.5 ? "" : prose(random, 80),
      results: sizes.map((size) => content(random, size)),
    };
  });
  return {
    user: `Please go on with ${prose(random, random.between(20, 120))}`,
    rounds,
    answer: prose(random, random.between(40, Math.floor(window / 8))),
  };
}

/** Each needle goes to the beginning of a text of its kind, in one of the first four fifths of the turns. */
function plant(turns: readonly Turn[], needles: readonly Needle[], random: Random): Turn[] {
  const planted = [...turns];
  const last = Math.max(0, Math.floor(turns.length * 0.8) - 1);
  for (const { sentence, origin } of needles) {
    const index = random.between(0, last);
    const turn = planted[index];
    if (turn === undefined) continue;
    planted[index] = plantIn(turn, sentence, origin);
  }
  return planted;
}

function plantIn(turn: Turn, sentence: string, origin: Origin): Turn {
  if (origin === "user") return { ...turn, user: `${sentence} ${turn.user}` };
  if (origin === "decision") return { ...turn, answer: `${sentence} ${turn.answer}` };
  const [first = { text: "", results: [""] }, ...rest] = turn.rounds;
  const [result = "", ...others] = first.results;
  return { ...turn, rounds: [{ ...first, results: [`${sentence}\n${result}`, ...others] }, ...rest] };
}

function prose(random: Random, characters: number): string {
  let text = "";
  while (text.length < characters) text += `${random.pick(WORDS as [string, ...string[]])} `;
  return text.trim();
}

/** Text as tools return it: code, JSON, prose, a log with digits, CJK. */
function content(random: Random, characters: number): string {
  const line = random.pick<() => string>([
    () =>
      `  const ${random.pick(["total", "count", "items"])} = list.filter((entry) => entry.value > limit).map(toRow);\n`,
    () =>
      `  "name": "${random.pick(["alpha", "beta", "gamma"])}", "size": ${random.between(1, 999)}, "tags": ["a", "b"],\n`,
    () => `${prose(random, 70)}.\n`,
    () =>
      `2026-01-${random.between(10, 28)} 12:${random.between(10, 59)} INFO request took ${random.between(1, 999)} ms\n`,
    () => "この関数は入力を読み込み、結果を一覧に加えます。\n",
  ]);
  let text = "";
  while (text.length < characters) text += line();
  return text;
}

function roughTokens(turn: Turn): number {
  const texts = [turn.user, turn.answer, ...turn.rounds.flatMap(({ text, results }) => [text, ...results])];
  return texts.reduce((sum, text) => sum + text.length / 3, 0);
}
