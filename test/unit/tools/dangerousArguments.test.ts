import assert from "node:assert/strict";
import { test } from "node:test";
import { isAllowedBy, isDangerous } from "../../../src/core/approvals/commandSyntax";

test("a program that only reads is dangerous where its arguments make it write or run something, however they are written", () => {
  const words = (command: string) => command.split(" ");
  for (const command of [
    "sort -uo f f",
    "sort --outp=f f",
    "sort --comp=sh f",
    "uniq a b",
    "xxd a b",
    "tree -ao f",
    "sed -n wout f",
    "sed 1etouch f",
    "sed -n 1Wout f",
    "sed s/a/b/wout f",
    "sed -n p -e wout f",
    "sed -ne wout f",
    "sed -f x.sed f",
    "sed -nf x.sed f",
    "sed --in-p s/a/b/ f",
    "sed --expr=wout f",
    "awk -f x f",
    "gawk -iinplace 1 f",
    "mawk -- BEGIN{system(1)}",
    "git grep -lOtouch x",
    "git grep --open=touch x",
    "git -C nested status",
    "git --git-dir=nested status",
    "git --config-env=core.fsmonitor=X status",
    "git ls-remote --u=touch .",
    "git ls-remote --ex=touch .",
    "git clone -u touch a b",
    "git branch -D main",
    "git archive -o a.ts HEAD",
    "tar cf a b",
    "tar -tvIsh f",
    "fd -x touch",
    "python3.11 -c 1",
    "node --loader=x a.js",
    "man -Ptouch ls",
    "cp a b",
    "gzip a",
    ". x",
  ]) {
    assert.ok(isDangerous(words(command)), command);
    assert.ok(!isAllowedBy(`${words(command)[0] ?? ""} *`, words(command)), command);
  }
  for (const command of [
    "sort -rn -k2 f",
    "uniq -c f",
    "sed -n 10,25p src/file.ts",
    "sed -E s/a(\\/x)/b/g wout",
    "sed -n /x/,/y/p f",
    "sed $d f",
    "git log --oneline -5",
    "git diff --unified=5 --exit-code",
    "git status --untracked-files",
    "git commit -am x",
    "tar -tf a.tgz",
    "awk {print} f",
    "python3 x.py",
    "fd -e ts",
  ]) {
    assert.ok(!isDangerous(words(command)), command);
  }
});
