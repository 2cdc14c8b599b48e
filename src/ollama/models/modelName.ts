/** The name with its tag: `qwen3` and `qwen3:latest` are the same model. */
export function canonicalName(model: string): string {
  return /:[^/]*$/.test(model) ? model : `${model}:latest`;
}
