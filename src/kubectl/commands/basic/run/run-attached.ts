import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { DeadlineExceeded, withDeadline } from "../../../../base/clock.ts";
import { decodeResponse } from "../../../../client/decode-response.ts";
import { resourcePath } from "../../../../client/resource-path.ts";
import { ExitError } from "../../../program/command-error.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { resourceName } from "../../../resource/info.ts";
import { deleteObjects } from "../../shared/delete-objects.ts";
import { followObject } from "../../shared/follow-object.ts";
import { knownKinds } from "../../shared/known-kinds.ts";
import { missingObject } from "../../shared/missing-object.ts";
import { chooseContainer } from "../../shared/pods/pod-containers.ts";
import { attachToPod } from "../../troubleshoot/attach/attach-to-pod.ts";
import { isCompleted } from "../../troubleshoot/exec/pod-of-object.ts";
import type { AttachedRun, RunContext } from "../run-command.ts";

/** Attaches to the pod once it runs, and then waits for its end if it is not restarted; returns the exit code. */
export async function runAttached(
  context: RunContext,
  run: AttachedRun,
): Promise<number | undefined> {
  try {
    return await attachAndWait(context, run);
  } finally {
    if (context.flags.rm && !context.signal.aborted) await removeCreated(context, run);
  }
}

async function attachAndWait(
  context: RunContext,
  { created, timeoutMs }: AttachedRun,
): Promise<undefined> {
  const { flags } = context;
  const place = created[0]?.object.metadata ?? {};
  const target = { namespace: place.namespace ?? "", name: place.name ?? "", timeoutMs };
  const started = await waitForPod(context, target, (pod) => isCompleted(pod) || isReady(pod));
  await attachOrPrintLog(context, started);
  const isRestarted = flags.restart === "Always" || (flags.restart === "" && !flags.stdin);
  if (flags["leave-stdin-open"] || isRestarted) return undefined;
  const isNever = flags.restart === "Never";
  const ended = await waitForPod(context, target, (pod) =>
    isNever ? isCompleted(pod) : pod.status?.phase === "Succeeded",
  );
  throwFailure(ended);
  return undefined;
}

const isReady = ({ status }: Pod): boolean =>
  status?.phase === "Running" &&
  (status.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");

interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly timeoutMs: number;
}

/** Waits until a pod is as wanted. */
async function waitForPod(
  context: RunContext,
  { namespace, name, timeoutMs }: Target,
  isWanted: (pod: Pod) => boolean,
): Promise<Pod> {
  const { clock } = context.factory;
  try {
    const pod = await followObject(context, {
      kind: knownKinds.pod,
      isTyped: true,
      namespace,
      name,
      deadline: clock.now() + timeoutMs,
      change(type, object) {
        // The original leaves the name out.
        if (type === "DELETED") throw missingObject(knownKinds.pod, "");
        return isWanted(object as unknown as Pod);
      },
    });
    return pod as unknown as Pod;
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
    throw new Error("timed out waiting for the condition", { cause: error });
  }
}

/** Attaches to a pod, after what it has written so far; prints the log of one that has ended. */
async function attachOrPrintLog(context: RunContext, pod: Pod): Promise<void> {
  const { flags, io, factory, signal, path } = context;
  const containerOf = (): string =>
    chooseContainer(pod, "", flags.quiet ? undefined : io.stderr).name;
  if (isCompleted(pod)) return printLog(context, pod, containerOf());
  const container = containerOf();
  try {
    await withDeadline({ clock: factory.clock, ms: logTimeoutMs, signal }, (signal) =>
      printLog({ ...context, signal }, pod, container),
    );
  } catch (error) {
    signal.throwIfAborted();
    const { message } = error as Error;
    io.stderr.write(`warning: couldn't fetch pre-attach logs: ${message}\n`);
  }
  try {
    await attachToPod(context, pod, {
      container: "",
      stdin: flags.stdin,
      tty: flags.tty,
      quiet: flags.quiet,
      detachKeys: flags["detach-keys"],
      commandName: `${path.split(" ").slice(0, -1).join(" ")} attach`,
    });
  } catch (error) {
    signal.throwIfAborted();
    const { name = "" } = pod.metadata;
    const { message } = error as Error;
    io.stderr.write(
      `warning: couldn't attach to pod/${name}, falling back to streaming logs: ${message}\n`,
    );
    await printLog(context, pod, containerOf());
  }
}

const logTimeoutMs = 5000;

async function printLog(
  { factory, io, signal }: Pick<RunContext, "factory" | "io" | "signal">,
  { metadata }: Pod,
  container: string,
): Promise<void> {
  const { namespace = "", name = "" } = metadata;
  const client = await factory.client();
  const response = await client.raw({
    method: "GET",
    path: resourcePath(knownKinds.pod, { namespace, name, subresource: "log" }),
    query: { container },
    headers: { accept: "application/json, */*" },
    signal,
  });
  if (response.status >= 300)
    await decodeResponse(response, { onWarning: (text) => factory.warn(text) });
  for await (const chunk of response.bytes()) io.stdout.write(chunk);
}

/** Throws unless a pod has succeeded; the exit code is that of its container. */
function throwFailure({ metadata, status }: Pod): void {
  const { namespace, name } = metadata;
  const phase = status?.phase ?? "";
  if (phase === "Succeeded") return;
  if (phase !== "Failed") throw new Error(`pod ${namespace}/${name} left in phase ${phase}`);
  const ended = status?.containerStatuses?.[0]?.state?.terminated;
  if (!ended?.exitCode) throw new Error(`pod ${namespace}/${name} failed with unknown exit code`);
  const { exitCode, reason = "", message = "" } = ended;
  throw new ExitError(exitCode, `pod ${namespace}/${name} terminated (${reason})\n${message}`);
}

/** Deletes what was created; errors do not matter any more. */
async function removeCreated(
  context: RunContext,
  { created, propagation }: AttachedRun,
): Promise<void> {
  try {
    for (const { kind, object } of created) {
      const { namespace, name = "" } = object.metadata;
      const found = await findResources(context, {
        named: [{ type: resourceName(kind), name }],
        namespace,
        isTyped: true,
        enforcesNamespace: false,
        flattens: true,
        continuesOnError: true,
      });
      await deleteObjects(context, found, {
        gracePeriod: -1,
        propagation,
        ignoresNotFound: true,
        isQuiet: context.flags.quiet,
        isTyped: true,
      });
    }
  } catch {
    // The command ends as it would have without.
  }
}
