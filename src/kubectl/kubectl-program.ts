import { commandGroups, unlistedCommands } from "./commands/command-tree.ts";
import { type GivenConnection, openFactory } from "./factory/open-factory.ts";
import type { Io } from "./program/io.ts";
import type { Environment } from "./program/kubectl-command.ts";
import { runKubectl } from "./program/run-kubectl.ts";

/** The surroundings of a command line. */
export interface KubectlSurroundings {
  readonly io: Io;
  readonly env: Environment;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** The server; without it, the flags and the kubeconfig say which. */
  readonly connection?: GivenConnection | undefined;
}

/** Runs a command line of kubectl, and returns the exit code. */
export function runKubectlCommand(
  args: readonly string[],
  { connection, ...surroundings }: KubectlSurroundings,
): Promise<number> {
  const program = {
    ...surroundings,
    name: "kubectl",
    groups: commandGroups,
    unlisted: unlistedCommands,
    long: "kubectl controls the Kubernetes cluster manager.\n\n Find more information at: https://kubernetes.io/docs/reference/kubectl/",
    openFactory: (context: Parameters<typeof openFactory>[0]) => openFactory(context, connection),
  };
  return runKubectl(program, args);
}
