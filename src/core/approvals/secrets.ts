/** Patterns of names that usually hold passwords or keys. A pattern with `/` is compared with the end of the path. */
export const SECRET_FILES: readonly string[] = [
  ".env",
  ".env.*",
  "*.env",
  ".envrc",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  "*.kdbx",
  "*.ppk",
  "id_rsa*",
  "id_dsa*",
  "id_ecdsa*",
  "id_ed25519*",
  ".netrc",
  "_netrc",
  ".pgpass",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".htpasswd",
  ".dockercfg",
  ".docker/config.json",
  ".kube/config",
  ".aws/credentials",
  ".aws/config",
  ".ssh/*",
  "credentials",
  "credentials.json",
  "credentials.y*ml",
  "secrets.json",
  "secrets.toml",
  "secrets.y*ml",
  "*service-account*.json",
  "*.tfstate",
  "*.tfvars",
];

/** Names that look secret and are made to be read. */
const PUBLIC = /\.(example|sample|template|dist|pub)$/i;

/** Tests whether a path, in any notation, looks like that of a secret; capitals do not matter. */
export type IsSecret = (path: string) => boolean;

/** Makes the test of a list of patterns, in which `*` stands for any part of a name. */
export function secretTest(patterns: readonly string[]): IsSecret {
  const tests = patterns.filter((pattern) => pattern.trim() !== "").map(toTest);
  return (path) => {
    const parts = path
      .replaceAll("\\", "/")
      .split("/")
      .filter((part) => part !== "");
    const name = parts.at(-1) ?? "";
    if (name === "" || PUBLIC.test(name)) return false;
    return tests.some((test) => test(parts));
  };
}

function toTest(pattern: string): (parts: readonly string[]) => boolean {
  const wanted = pattern
    .trim()
    .split("/")
    .filter((part) => part !== "" && part !== "**")
    .map((part) => new RegExp(`^${part.split("*").map(escaped).join(".*")}$`, "isu"));
  return (parts) => {
    const end = parts.slice(-wanted.length);
    return end.length === wanted.length && wanted.every((test, index) => test.test(end[index] ?? ""));
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** What a command names of secret-looking files, each once: its words as they are, and what stands behind `=`, `:` or `@` in one. */
export function secretsNamed(words: readonly string[], isSecret: IsSecret): readonly string[] {
  const named = words.flatMap((word) => {
    const parts = [...word.split(/[\s=:@,;|&<>()"'`]+/), word].filter((part) => part !== "");
    return parts.filter((part) => isSecret(part)).slice(0, 1);
  });
  return [...new Set(named)];
}
