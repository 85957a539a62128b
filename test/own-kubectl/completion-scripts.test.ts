import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bashScript } from "../../src/kubectl/commands/settings/completion/bash-script.ts";
import { fishScript } from "../../src/kubectl/commands/settings/completion/fish-script.ts";
import { zshScript } from "../../src/kubectl/commands/settings/completion/zsh-script.ts";

let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wherry-completion-"));
  // Says which words it was asked with, as the only candidate.
  const program = `#!/bin/sh
command=$1
shift
last=
for word; do last=$word; done
echo "$last.$#"
echo ":4"
`;
  writeFileSync(join(folder, "kubectl"), program, { mode: 0o755 });
  for (const [name, text] of Object.entries({ bashScript, zshScript, fishScript }))
    writeFileSync(join(folder, name), text);
  env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, TERM: "dumb" };
});
afterAll(() => rmSync(folder, { recursive: true }));

const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

test.runIf(has("bash"))("completion in bash: words are passed on, and those of an alias", () => {
  const script = `
    shopt -s expand_aliases
    alias k=kubectl
    . ./bashScript
    complete -o default -F __start_kubectl k
    for program in kubectl k; do
      COMP_WORDS=("$program" get pods "a") COMP_CWORD=3
      __start_kubectl
      echo "\${COMPREPLY[@]}"
    done
    complete -p k
  `;
  const printed = execFileSync("bash", ["-c", script], { cwd: folder, env, encoding: "utf8" });
  expect(printed).toBe("a.3\na.3\ncomplete -o default -F __start_kubectl k\n");
});

test.runIf(has("fish"))("completion in fish: words are passed on", () => {
  const script = `source fishScript; complete -C "kubectl get pods a"`;
  const printed = execFileSync("fish", ["-c", script], { cwd: folder, env, encoding: "utf8" });
  expect(printed).toBe("a.3\n");
});

test.runIf(has("zsh"))("completion in zsh: words are passed on", () => {
  // The functions of the completion system only run in its widgets: these say what they are called with.
  const script = `
    compdef() { :; }
    _describe() { print -r -- "\${candidates[@]}"; }
    source ./zshScript
    words=(kubectl get pods a) CURRENT=4
    _kubectl
  `;
  const printed = execFileSync("zsh", ["-f", "-c", script], { cwd: folder, env, encoding: "utf8" });
  expect(printed).toBe("a.3\n");
});
