export interface AssetsOptions {
  /** The command line that runs Wherry. */
  readonly wherry: readonly string[];
  /** The path of the machine's kubectl, if it has one. */
  readonly kubectl: string | undefined;
  /** The controllers that run beside each API server; none if absent. */
  readonly controllers?: readonly string[];
  /** The number of simulated nodes beside them. */
  readonly nodes?: number;
}

/** The programs that envtest starts, by name: scripts for the shell. */
export function assetScripts({
  wherry,
  kubectl,
  controllers,
  nodes = 0,
}: AssetsOptions): ReadonlyMap<string, string> {
  const server =
    controllers === undefined
      ? ["apiserver"]
      : [
          ...["server", `--controllers=${controllers.join(",")}`, `--nodes=${nodes}`],
          // Beside the modes that envtest asks for: with RBAC alone, nodes may not register.
          "--authorization-mode=Node",
        ];
  return new Map([
    ["kube-apiserver", running([...wherry, ...server])],
    ["etcd", running([...wherry, "envtest-etcd"])],
    ["kubectl", kubectl === undefined ? withoutKubectl : running([kubectl])],
  ]);
}

/** `exec`: envtest stops the process that it has started. */
const running = (words: readonly string[]): string =>
  script(`exec ${words.map(quoted).join(" ")} "$@"`);

const script = (lines: string): string => `#!/bin/sh\n# Written by "wherry envtest".\n${lines}\n`;

const withoutKubectl = script(
  `echo 'There was no kubectl on the PATH of "wherry envtest": install kubectl, and run that again.' >&2\nexit 127`,
);

/** A word for the shell. */
const quoted = (word: string): string =>
  /^[\w./=:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
