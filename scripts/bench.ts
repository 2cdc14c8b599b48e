// `npm run bench -- NAME [--json]`: one measurement; without a name the list of them.
import { main as activation } from "../bench/activation";
import { main as compaction } from "../bench/compaction";
import { main as core } from "../bench/core";
import { main as session } from "../bench/session";
import { main as size } from "../bench/size";
import { main as stream } from "../bench/stream";
import { main as survival } from "../bench/survival";
import { main as tools } from "../bench/tools";

interface Bench {
  readonly shows: string;
  readonly main: (words: readonly string[]) => Promise<void>;
}

const benches: Readonly<Record<string, Bench>> = {
  activation: { shows: "how long a real VS Code says that Loom takes to activate", main: activation },
  compaction: {
    shows: "the two forms of the request for a summary, and what is read again, on a real Ollama",
    main: compaction,
  },
  core: { shows: "what estimates, plans and the view cost on a log of 10,000 messages", main: core },
  session: {
    shows: "a long session on a real Ollama: that all fits, and the estimator's error",
    main: session,
  },
  size: { shows: "the size of the two bundles, and what they are made of", main: size },
  stream: { shows: "how many streamed tokens a second the host can take", main: stream },
  survival: {
    shows: "what survives compaction, on windows from 2k to 32k (--quick for a part)",
    main: survival,
  },
  tools: { shows: "what the tools cost in each request, and their speed on 100,000 files", main: tools },
};

const [name, ...rest] = process.argv.slice(2);
const bench = name === undefined ? undefined : benches[name];
if (bench === undefined) {
  if (name !== undefined) console.error(`There is no bench named "${name}". The benches are:`);
  for (const [known, { shows }] of Object.entries(benches)) console.log(`${known.padEnd(12)}${shows}`);
  process.exitCode = name === undefined ? 0 : 2;
} else {
  await bench.main(rest);
}
