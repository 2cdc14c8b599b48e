/** Texts of buttons and notes about the model and its server. */
export const modelTexts = {
  selectWindow: "Choose a smaller window",
  allowCloud: "Use it",
  openSetting: "Open setting",
  chooseAddress: "Choose address",
  otherAddress: (url: string, isRefused: boolean) =>
    isRefused
      ? `The settings of this workspace name the address ${url}, which you refused. Loom does not use it.`
      : `The settings of this workspace name the address ${url}. Loom does not use it before you agree.`,
  cloud: (model: string) => `${model} does not run on this machine`,
  cloudText:
    "It runs in Ollama's cloud: what you send, contents of files among it, would leave this machine. Loom asks before its first use.",
} as const;
