import { commandGroups, unlistedCommands } from "./commands/command-tree.ts";
import { type GivenParts, openFactory } from "./factory/open-factory.ts";
import type { Io } from "./program/io.ts";
import type { Environment } from "./program/kubectl-command.ts";
import { runKubectl } from "./program/run-kubectl.ts";

/** The surroundings of a command line. */
export interface KubectlSurroundings extends GivenParts {
  readonly io: Io;
  readonly env: Environment;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Runs a command line of kubectl, and returns the exit code. */
export function runKubectlCommand(
  args: readonly string[],
  { connection, clock, ...surroundings }: KubectlSurroundings,
): Promise<number> {
  const program = {
    ...surroundings,
    name: "kubectl",
    groups: commandGroups,
    unlisted: unlistedCommands,
    long: "kubectl controls the Kubernetes cluster manager.\n\n Find more information at: https://kubernetes.io/docs/reference/kubectl/",
    openFactory: (context: Parameters<typeof openFactory>[0]) =>
      openFactory(context, { connection, clock }),
  };
  return runKubectl(program, args);
}
