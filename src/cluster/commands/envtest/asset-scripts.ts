export interface AssetsOptions {
  /** The command line that runs Wherry. */
  readonly wherry: readonly string[];
  /** The controllers that run beside each API server; none if absent. */
  readonly controllers?: readonly string[];
  /** The number of simulated nodes beside them. */
  readonly nodes?: number;
}

/** The programs that envtest starts, by name: scripts for the shell. */
export function assetScripts({
  wherry,
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
    ["kubectl", running([...wherry, "kubectl"])],
  ]);
}

/** `exec`: envtest stops the process that it has started. */
const running = (words: readonly string[]): string =>
  `#!/bin/sh\n# Written by "wherry envtest".\nexec ${words.map(quoted).join(" ")} "$@"\n`;

/** A word for the shell. */
const quoted = (word: string): string =>
  /^[\w./=:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
