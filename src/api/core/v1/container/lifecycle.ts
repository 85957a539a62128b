import { message, named } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import {
  ExecAction,
  HTTPGetAction,
  SleepAction,
  TCPSocketAction,
  validateHandler,
} from "./handler.ts";

export const LifecycleHandler = struct("io.k8s.api.core.v1.LifecycleHandler", {
  exec: message(1, ExecAction).doc("A command that is run in the container."),
  httpGet: message(2, HTTPGetAction).doc("An HTTP request that is sent to the container."),
  tcpSocket: message(3, TCPSocketAction).doc("Not supported; kept for old objects."),
  sleep: message(4, SleepAction).doc("A time to wait."),
}).doc("What is done at a point of a container's life: exactly one thing.");
export interface LifecycleHandler extends Infer<typeof LifecycleHandler> {}

/** The signals that can stop a container, in the order in which the API lists them. */
export const signals = [
  ..."ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT".split(
    " ",
  ),
  ..."STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN".split(" "),
  ...Array.from({ length: 15 }, (_, i) => `RTMIN+${i + 1}`),
  ...Array.from({ length: 14 }, (_, i) => `RTMAX-${14 - i}`),
  "RTMAX",
].map((name) => `SIG${name}`);

export const Lifecycle = struct("io.k8s.api.core.v1.Lifecycle", {
  postStart: message(1, LifecycleHandler).doc("Done as soon as the container was created."),
  preStop: message(2, LifecycleHandler).doc("Done before the container is stopped."),
  stopSignal: named(3, "v1.Signal")
    .pointer()
    .known(...signals)
    .doc("The signal that stops the container, instead of the image's."),
}).doc("What is done when a container starts and stops.");
export interface Lifecycle extends Infer<typeof Lifecycle> {}

export interface LifecycleContext {
  /** Seconds the pod has to end; undefined where that is invalid itself. */
  readonly gracePeriod: number | undefined;
  /** The name in the pod's `os`, if it has one. */
  readonly os: string | undefined;
}

/** The rules of a container's hooks. */
export function validateLifecycle(
  { postStart, preStop, stopSignal }: Lifecycle,
  at: At,
  { gracePeriod, os }: LifecycleContext,
): void {
  if (postStart) validateHandler(postStart, at.child("postStart"), gracePeriod);
  if (preStop) validateHandler(preStop, at.child("preStop"), gracePeriod);
  if (stopSignal !== undefined) validateStopSignal(stopSignal, at.child("stopSignal"), os);
}

const windowsSignals = ["SIGKILL", "SIGTERM"];

function validateStopSignal(signal: string, at: At, os: string | undefined): void {
  if (os === undefined) {
    at.forbidden("", "may not be set for containers with empty `spec.os.name`");
    return;
  }
  const allowed = os === "windows" ? windowsSignals : signals;
  if ((os === "windows" || os === "linux") && !allowed.includes(signal))
    at.notSupported("", signal, allowed.toSorted());
}
