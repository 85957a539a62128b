import type { LifecycleHandler } from "../../../api/core/v1/container/lifecycle.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { quote } from "../../../schema/values/quote.ts";
import { podText } from "../pod-text.ts";
import { HookError } from "./hook-runner.ts";

export interface FailedHook {
  readonly pod: Pick<Pod, "metadata">;
  /** The container's name. */
  readonly container: string;
  readonly handler: LifecycleHandler;
}

/** The message of a container whose hook failed. */
export function hookMessage({ pod, container, handler }: FailedHook, error: unknown): string {
  const { exec, httpGet, sleep } = handler;
  const why = errorMessage(error);
  if (!exec && !httpGet && !sleep) return `Cannot run handler: ${why}`;
  const [kind, subject] = exec
    ? ["Exec", `[${(exec.command ?? []).join(" ")}]`]
    : httpGet
      ? ["HTTP", httpGet.path ?? ""]
      : ["Sleep", sleep?.seconds ?? 0];
  const place = `for Container ${quote(container)} in Pod ${quote(podText(pod))}`;
  const output = error instanceof HookError ? error.output : "";
  const tail = exec ? `, message: ${quote(output)}` : "";
  return `${kind} lifecycle hook (${subject}) ${place} failed - error: ${why}${tail}`;
}

/** The error of a handler that is not supported: one that opens a connection. */
export function invalidHandler({ tcpSocket }: LifecycleHandler): string {
  const socket = tcpSocket
    ? `&TCPSocketAction{Port:${portText(tcpSocket.port)},Host:${tcpSocket.host ?? ""},}`
    : "nil";
  return `invalid handler: &LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:${socket},Sleep:nil,}`;
}

/** Go's fields of a port: its type, number and name. */
const portText = (port: number | string): string =>
  typeof port === "number" ? `{0 ${port} }` : `{1 0 ${port}}`;
