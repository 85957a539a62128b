import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import { decodeResponse } from "../../../../client/decode-response.ts";
import { resourcePath } from "../../../../client/resource-path.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { followObject } from "../../shared/follow-object.ts";
import { knownKinds } from "../../shared/known-kinds.ts";
import { printWarning } from "../../shared/print-warning.ts";
import { attachToPod } from "../attach/attach-to-pod.ts";

type DebugContext = Pick<CommandContext, "io" | "factory" | "env" | "signal">;

export interface DebuggerSession {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
}

/** Waits until a container runs, and attaches to it; if that fails or it has ended, its log is printed. */
export async function attachToDebugger(
  context: DebugContext,
  session: DebuggerSession,
): Promise<void> {
  const { io, signal } = context;
  const pod = await startedPod(context, session);
  if (stateOf(pod, session.container)?.terminated) return printLog(context, session);
  try {
    await attachToPod(context, pod, { ...session, commandName: "kubectl attach" });
  } catch (error) {
    signal.throwIfAborted();
    const { message } = error as Error;
    io.stderr.write(
      `warning: couldn't attach to pod/${session.pod}, falling back to streaming logs: ${message}\n`,
    );
    await printLog(context, session);
  }
}

async function startedPod(context: DebugContext, session: DebuggerSession): Promise<Pod> {
  const { namespace, pod: name, container, quiet } = session;
  const found = await followObject(context, {
    ...{ kind: knownKinds.pod, namespace, name, isTyped: true },
    change(type, object) {
      if (type === "DELETED") throw new StatusError("NotFound", 'pods "" not found');
      const state = stateOf(object as unknown as Pod, container);
      if (state?.running || state?.terminated) return true;
      if (!quiet && state?.waiting?.message)
        printWarning(context.io, `container ${container}: ${state.waiting.message}`);
      return false;
    },
  });
  return found as unknown as Pod;
}

function stateOf({ status }: Pod, name: string) {
  const { initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = status ?? {};
  return [initContainerStatuses, containerStatuses, ephemeralContainerStatuses]
    .flatMap((list) => list ?? [])
    .find((one) => one.name === name)?.state;
}

async function printLog(
  { factory, io, signal }: DebugContext,
  { namespace, pod, container }: DebuggerSession,
): Promise<void> {
  const client = await factory.client();
  const response = await client.raw({
    method: "GET",
    path: resourcePath(knownKinds.pod, { namespace, name: pod, subresource: "log" }),
    query: { container },
    headers: { accept: "application/json, */*" },
    signal,
  });
  if (response.status >= 300) await decodeResponse(response);
  for await (const bytes of response.bytes()) io.stdout.write(bytes);
}
