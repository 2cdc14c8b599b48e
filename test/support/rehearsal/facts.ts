/** The things that a text asks for, such as "deploy password" in "What is the deploy password?"; empty when it asks for none. */
export function askedFacts(text: string): readonly string[] {
  return sentencesOf(text).flatMap((sentence) => {
    const patterns = sentence.endsWith("?") ? [...QUESTIONS, ...IMPERATIVES] : IMPERATIVES;
    const phrase = patterns
      .map((pattern) => pattern.exec(sentence)?.[1])
      .find((found) => found !== undefined);
    return phrase === undefined ? [] : nounsOf(phrase);
  });
}

/**
 * The value that a text gives for a thing: `periwinkle-7` where "the deploy password is periwinkle-7" stands, likewise with `=` or `:`.
 * The last one counts where there are several.
 */
export function factIn(text: string, thing: string): string | undefined {
  const words = thing
    .split(/\s+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("\\s+");
  const pattern = new RegExp(`(?<![\\w-])${words}${VALUE}`, "gi");
  return [...text.matchAll(pattern)].at(-1)?.[1];
}

/** The sentences and lines of a text, without the marks of lists before them. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/^\s*(?:[-*•]\s+)?/, "").trim())
    .filter((sentence) => sentence !== "");
}

const ARTICLE = "(?:the|my|our|your)\\s+";

const QUESTIONS = [
  new RegExp(`\\b(?:what|which)(?:'s|’s|\\s+(?:is|are|was|were))\\s+(?:${ARTICLE})?(.+)$`, "i"),
  new RegExp(`\\b(?:remember|recall|know)\\s+(?:what\\s+)?${ARTICLE}(.+?)(?:\\s+(?:is|was))?\\W*$`, "i"),
  /\bwhat\s+(.+?)\s+(?:did|have)\s+(?:i|we)\b/i,
];

const IMPERATIVES = [
  new RegExp(
    `\\b(?:tell|give|remind|show)\\s+me\\s+(?:of\\s+|what\\s+)?${ARTICLE}(.+?)(?:\\s+(?:is|was))?\\W*$`,
    "i",
  ),
  new RegExp(`^\\W*(?:please\\s+)?repeat\\s+${ARTICLE}(.+)$`, "i"),
];

/** After the name of a thing: what links it to its value, and the value up to the end of the clause. */
const VALUE = [
  "[\"'`*]*\\s*",
  "(?:=|:|→|->|\\b(?:is now|is|are|was)\\b)",
  "[\\s\"'`*]*",
  "(?!(?:not|unknown|what|in|a secret)\\b)([^\\s.,;:!?\"'`*][^\\n]*?)",
  "(?=[\"'`*]*(?:[.,;!?](?:\\s|$)|\\s*\\n|\\s*$|\\s+(?:and|but|so|because|which)\\s))",
].join("");

const TRAILERS = [
  /[\s.!?,:;]+$/,
  /\s+(?:that\s+)?(?:i|we)\s+(?:told|gave|mentioned|said|set|typed|asked)\b.*$/i,
  /\s+(?:again|please|now)$/i,
  /\s+(?:at|from|since)\s+the\s+(?:start|beginning)$/i,
  /\s+(?:in|of|from)\s+\S+\.\w+$/i,
];

function nounsOf(phrase: string): readonly string[] {
  let noun = phrase;
  // Twice, since "that I told you at the start, please?" hides one trailer behind another.
  for (const trailer of [...TRAILERS, ...TRAILERS]) noun = noun.replace(trailer, "");
  return noun
    .replace(/["'`*]/g, "")
    .split(new RegExp(`\\s*(?:,|\\band\\b)\\s*(?:${ARTICLE})?`, "i"))
    .map((part) => part.trim())
    .filter((part) => part !== "" && part.split(/\s+/).length <= 6);
}
