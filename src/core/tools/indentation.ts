/** The indentation of one line as the model wrote it and as the file has it. */
export interface IndentPair {
  readonly written: string;
  readonly own: string;
}

interface Style {
  readonly usesTabs: boolean;
}

interface Sample {
  readonly written: number;
  readonly own: number;
}

/** Spaces that stand for a tab when nothing in the text tells. */
const USUAL_WIDTH = 4;

/**
 * Turns indentation as the model writes it into the file's own, by the lines that both have. `fileUsesTabs` decides where
 * none of those lines is indented; `writtenIndents` are all that the model used, to tell its step.
 */
export function indentationMapper(
  pairs: readonly IndentPair[],
  writtenIndents: readonly string[],
  fileUsesTabs: boolean,
): (written: string) => string {
  if (pairs.every((pair) => pair.written === pair.own)) return (written) => written;
  const known = new Map([...pairs].reverse().map((pair) => [pair.written, pair.own]));
  const written: Style = { usesTabs: writtenIndents.some((indent) => indent.includes("\t")) };
  const isIndented = pairs.some((pair) => pair.own !== "");
  const own: Style = { usesTabs: isIndented ? pairs.some((pair) => pair.own.includes("\t")) : fileUsesTabs };
  const samples = pairs.map((pair) => ({
    written: measure(pair.written, written),
    own: measure(pair.own, own),
  }));
  const ratio = ratioOf(samples, written, own) ?? stepRatio(writtenIndents, written, own);
  return (indent) => {
    const same = known.get(indent);
    if (same !== undefined) return same;
    const width = measure(indent, written);
    const nearest = samples.reduce((best, sample) =>
      Math.abs(sample.written - width) < Math.abs(best.written - width) ? sample : best,
    );
    const target = Math.max(0, Math.round(nearest.own + (width - nearest.written) * ratio));
    return (own.usesTabs ? "\t" : " ").repeat(target);
  };
}

/** Width in the unit of a style: tabs, or spaces. */
function measure(indent: string, style: Style): number {
  if (!style.usesTabs) return indent.length;
  const tabs = indent.split("\t").length - 1;
  return tabs + (indent.length - tabs) / USUAL_WIDTH;
}

/** The file's units for one unit of the model, from two lines of different depth or from one indented line. */
function ratioOf(samples: readonly Sample[], written: Style, own: Style): number | undefined {
  for (const first of samples) {
    for (const second of samples) {
      const ratio = (second.own - first.own) / (second.written - first.written);
      if (Number.isFinite(ratio) && ratio > 0) return ratio;
    }
  }
  if (written.usesTabs === own.usesTabs) return 1;
  const indented = samples.find((sample) => sample.written > 0 && sample.own > 0);
  return indented ? indented.own / indented.written : undefined;
}

function stepRatio(writtenIndents: readonly string[], written: Style, own: Style): number {
  if (!own.usesTabs) return USUAL_WIDTH;
  const widths = writtenIndents.map((indent) => measure(indent, written)).filter((width) => width > 0);
  return 1 / (widths.length > 0 ? Math.min(...widths) : USUAL_WIDTH);
}
