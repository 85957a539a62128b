import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import type { Output } from "../../../program/io.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { runRemoteCommand } from "../../../streams/run-remote-command.ts";
import { knownKinds } from "../../shared/known-kinds.ts";
import {
  chooseContainer,
  findContainer,
  invalidContainer,
} from "../../shared/pods/pod-containers.ts";
import { isCompleted } from "./pod-of-object.ts";
import { sessionPath } from "./pod-session.ts";

/** A command that the program itself runs in a container, without a terminal. */
export interface ContainerCommand {
  readonly namespace: string;
  readonly pod: string;
  /** Empty for the default of the pod. */
  readonly container: string;
  readonly command: readonly string[];
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly stdout: (bytes: Uint8Array) => Promise<void>;
  readonly stderr: (bytes: Uint8Array) => Promise<void>;
  /** Where it is said which container was chosen; nowhere if not given. */
  readonly warnings?: Output;
}

/** Runs a command in a container to its end; throws an `ExitError` if it fails. */
export async function runInContainer(
  { factory, env, signal }: Pick<CommandContext, "factory" | "env" | "signal">,
  options: ContainerCommand,
): Promise<void> {
  const { namespace, pod: name, command, stdin, stdout, stderr } = options;
  const requests = helper(await factory.client(), knownKinds.pod, { signal });
  const pod = (await requests.get({ namespace, name })) as unknown as Pod;
  checkRunning(pod);
  const container = containerFor(pod, options.container, options.warnings);
  const terminal = { stdin: stdin !== undefined, isRaw: false };
  const session = { verb: "exec", namespace, pod: name, container, command, terminal } as const;
  const path = sessionPath({ ...session, stderr: true });
  await runRemoteCommand({ factory, env }, path, { tty: false, stdin, stdout, stderr, signal });
}

/** Throws for a pod whose containers have all ended. */
export function checkRunning(pod: Pod): void {
  if (isCompleted(pod))
    throw new Error(
      `cannot exec into a container in a completed pod; current phase is ${pod.status?.phase}`,
    );
}

/** The name of the container of a command: the one that is named, or the default of the pod. */
export function containerFor(pod: Pod, name: string, warn: Output | undefined): string {
  if (name === "") return chooseContainer(pod, name, warn).name;
  if (!findContainer(pod, name)) throw invalidContainer(pod, name);
  return name;
}
