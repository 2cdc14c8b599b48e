/** Texts of buttons and notes about the model and its server. */
export const modelTexts = {
  selectWindow: "Choose a smaller window",
  allowCloud: "Use it",
  openSetting: "Open setting",
  cloud: (model: string) => `${model} does not run on this machine`,
  cloudText:
    "It runs in Ollama's cloud: what you send, contents of files among it, would leave this machine. Loom asks before its first use.",
} as const;
