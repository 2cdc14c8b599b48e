/** A text in the person's language, with `{0}` filled in. */
type Say = (text: string, ...values: string[]) => string;

/**
 * The machine of a remote window, for sentences about what its `localhost` is; undefined when Loom runs on the person's own.
 * `remote` is what the editor calls the kind of remote.
 */
export function machineInWords(remote: string | undefined, say: Say): string | undefined {
  // The editor's server form names itself by its address.
  if (remote === undefined || /^(127\.|localhost)/.test(remote)) return undefined;
  switch (remote) {
    case "wsl":
      return say("the WSL machine");
    case "ssh-remote":
      return say("the machine that this window is connected to by SSH");
    case "dev-container":
    case "attached-container":
      return say("the container");
    case "codespaces":
      return say("the codespace");
    default:
      return say("the remote machine ({0})", remote);
  }
}
