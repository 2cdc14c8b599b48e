/** What a shell's parser says of a command line. */
export interface CommandSyntax {
  /**
   * The words of the one program that it runs, when that is all it does: no operator, expansion, pattern, redirection, variable in
   * front or second line, so that these words are exactly what the program gets.
   */
  readonly plain?: readonly string[];
  /** The words of everything that it may run, also inside substitutions; `null` for a word that the shell works out itself. */
  readonly commands: readonly (readonly (string | null)[])[];
  /** Every piece of fixed text in it, redirection targets and quoted parts included. */
  readonly words: readonly string[];
}

/** Takes a command line apart without running it; undefined where it cannot be read, or for a shell of another kind. */
export type ReadCommand = (command: string) => Promise<CommandSyntax | undefined>;

/** Programs that delete, overwrite, end, publish, fetch, or run what their arguments say. */
const DANGEROUS = new Set(
  [
    "rm rmdir unlink shred truncate dd mkfs mv cp install ln chmod chown chgrp chattr patch",
    "gzip gunzip bzip bunzip xz unxz zip unzip",
    "kill killall pkill shutdown reboot halt poweroff systemctl service launchctl crontab at",
    "sudo su doas pkexec runas env nohup setsid timeout nice ionice time xargs parallel watch strace script",
    "eval exec source . command builtin trap alias enable coproc",
    "sh bash dash zsh ksh fish csh tcsh busybox pwsh powershell cmd",
    "curl wget ssh scp sftp rsync ftp nc ncat netcat telnet socat",
    "vim vi ed npx bunx uvx pipx tee docker podman kubectl terraform ansible aws gcloud az",
    "osascript open xdg-open start",
  ].flatMap((line) => line.split(" ")),
);

/** What makes a harmless program dangerous, by its name without a version: any argument that matches. Most programs take long options cut short. */
const DANGEROUS_ARGUMENTS: Readonly<Record<string, RegExp>> = {
  git: /^(push|reset|clean|checkout|switch|restore|rebase|filter-branch|filter-repo|gc|prune|stash|rm|mv|config|submodule|worktree|update-ref|bisect|difftool|mergetool|clone|archive|bundle|expire|delete|-c|-C|--git-dir.*|--work-tree.*|--config-env.*|--exe.*|--ex?=.*|--u(p.*|=.*)?|--receive-pack.*|--o[pu].*|--ext-diff|--textconv|-[a-zA-Z0-9]*O.*|-[a-zA-Z]*[dDf]|--del.*|--force.*)$/,
  find: /^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/,
  npm: /^(publish|unpublish|exec|x|run-script|config|token|login|adduser|owner|deprecate|dist-tag|access)$/,
  pnpm: /^(publish|dlx|exec)$/,
  yarn: /^(publish|dlx|exec|npm)$/,
  cargo: /^(publish|yank|login|owner|install)$/,
  node: /^(-e|--eval|-p|--print|-r|--require|--import|--(experimental-)?loader|-pe|-i)(=|$)/,
  python: /^-[a-zA-Z]*[ci]/,
  perl: /^-[a-zA-Z0-9]*[eEip]/,
  ruby: /^-[a-zA-Z]*[ei]/,
  php: /^-[rB]/,
  awk: /system|getline|[>|@]|^-[a-zA-Z]*[fildpoE]|^--/,
  sort: /^-([a-zA-Z]*o|-o|-co)/,
  tree: /^-([a-zA-Z]*o|-o)/,
  yq: /^-([a-zA-Z]*i|-i)/,
  fd: /^-([a-zA-Z]*[xX]|-e)/,
  fdfind: /^-([a-zA-Z]*[xX]|-e)/,
  man: /^-([a-zA-Z]*[PH]|-[ph])/,
  tar: /^-(?![tvzjJaf]+$)|^[a-zA-Z]*[cxruAI][a-zA-Z]*$/,
  make: /^(-f|--file|-C|--eval|SHELL=)/,
  rg: /^--(pre|hostname-bin|search-zip)/,
};

/** Whether a program call is one that no earlier answer of the person may stand for. */
export function isDangerous(words: readonly (string | null)[]): boolean {
  const [program, ...rest] = words;
  // A program whose name the shell works out may be any.
  if (program === null || program === undefined) return true;
  const withVersion = (program.split(/[\\/]/).at(-1) ?? "").toLowerCase();
  const name = withVersion
    .replace(/\.(exe|cmd|bat|ps1)$/, "")
    .replace(/^[mng]awk$/, "awk")
    .replace(/(?<=[a-z])[\d.]+$/, "");
  if (DANGEROUS.has(name) || name.startsWith("mkfs.")) return true;
  if (name === "sed") return !isHarmlessSed(rest);
  if (WRITING_SECOND.has(name) && rest.filter((word) => word?.startsWith("-") !== true).length > 1)
    return true;
  const risky = Object.hasOwn(DANGEROUS_ARGUMENTS, name) ? DANGEROUS_ARGUMENTS[name] : undefined;
  return risky !== undefined && rest.some((word) => word === null || risky.test(word));
}

/** Programs that write to the second file that they are given. */
const WRITING_SECOND = new Set(["uniq", "xxd"]);

/** One command of `sed` that prints, deletes or replaces; others write files and run programs, some without a blank before the name. */
const HARMLESS_SED = (() => {
  const text = String.raw`([^/\\]|\\.)*/`;
  const line = String.raw`(\d+|\$|/${text})`;
  return new RegExp(String.raw`^(${line}(,${line})?)?([pdq=]|s/${text}${text}[gpiI\d]*)$`);
})();

/** Whether `sed` is told only one such command. */
function isHarmlessSed(words: readonly (string | null)[]): boolean {
  const [script, ...files] = words.filter((word) => word === null || !/^-[nErsuz]+$/.test(word));
  if (typeof script !== "string" || !HARMLESS_SED.test(script)) return false;
  return files.every((file) => file?.startsWith("-") === false);
}

/** Programs that only read, whatever they are told unless that makes them dangerous; `sort`, `uniq` and `tree` can write a file. */
const READING = new Set(
  [
    "ls cat head tail wc grep egrep fgrep rg find stat du df diff cmp comm nl cut tr od strings",
    "basename dirname realpath readlink md5sum sha1sum sha256sum cksum",
    "pwd cd echo printf true false test [ which whoami id uname date sleep",
  ].flatMap((line) => line.split(" ")),
);

const READING_GIT = /^(status|log|diff|show|blame|ls-files|rev-parse|describe|shortlog|grep|reflog)$/;

/** Whether a command certainly leaves all files of the workspace as they are: programs that only read, and nothing redirected. */
export function onlyReads(command: string, { commands }: CommandSyntax): boolean {
  // A variable in front can make another program of one that is harmless.
  if (/[>=]/.test(command.replace(/\d?>(&\d|\s*\/dev\/null)(?=[\s;|&)]|$)/g, ""))) return false;
  return commands.every((words) => {
    const [program, first, second = null, ...rest] = words;
    if (program === "sed" && first === "-n" && second !== null)
      return /^\d+(,(\d+|\$))?p$/.test(second) && rest.every((word) => word?.startsWith("-") === false);
    if (isDangerous(words) || typeof program !== "string") return false;
    if (program === "git") return typeof first === "string" && READING_GIT.test(first);
    return READING.has(program);
  });
}

/**
 * Whether a plain command fits a line of the allow list. A line is words between blanks: `*` stands for one word, at the end for
 * any number of them; the program itself must be named. What is dangerous fits only a line without `*`.
 */
export function isAllowedBy(pattern: string, words: readonly string[]): boolean {
  const wanted = pattern.trim().split(/\s+/);
  const isOpen = wanted.length > 1 && wanted.at(-1) === "*";
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  if (wanted[0] === undefined || wanted[0] === "" || wanted[0].includes("*")) return false;
  if (wanted.includes("*") && isDangerous(words)) return false;
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((word, index) => words[index] === word || (word === "*" && index > 0));
}

/** The names of the programs that a command may run, each once and in order; `…` for one that the shell works out. */
export function programsOf({ commands }: CommandSyntax): readonly string[] {
  return [...new Set(commands.map(([program]) => program ?? "…"))];
}
