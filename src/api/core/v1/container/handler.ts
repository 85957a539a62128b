import {
  int32,
  int64,
  intOrString,
  list,
  named,
  string,
  strings,
} from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import {
  isHttpHeaderName,
  isValidPortName,
  isValidPortNum,
} from "../../../../schema/values/names.ts";

export const ExecAction = struct("io.k8s.api.core.v1.ExecAction", {
  command: strings(1).atomic().doc("The command and its arguments; no shell is involved."),
}).doc("Runs a command in the container; it succeeds if that exits with 0.");
export interface ExecAction extends Infer<typeof ExecAction> {}

export const HTTPHeader = struct("io.k8s.api.core.v1.HTTPHeader", {
  name: string(1).always().expected().doc("Name of the header."),
  value: string(2).always().expected().doc("Value of the header."),
}).doc("A header of an HTTP request.");
export interface HTTPHeader extends Infer<typeof HTTPHeader> {}

export const HTTPGetAction = struct("io.k8s.api.core.v1.HTTPGetAction", {
  path: string(1).default("/").doc("Path of the request."),
  port: intOrString(2).always().expected().doc("The port, by number or by name."),
  host: string(3).doc("The host to connect to; the pod's address if empty."),
  scheme: named(4, "v1.URIScheme")
    .known("HTTP", "HTTPS")
    .default("HTTP")
    .doc("The scheme of the request."),
  httpHeaders: list(5, HTTPHeader).atomic().doc("Headers of the request."),
}).doc("Sends an HTTP GET; it succeeds if the status is at least 200 and below 400.");
export interface HTTPGetAction extends Infer<typeof HTTPGetAction> {}

export const TCPSocketAction = struct("io.k8s.api.core.v1.TCPSocketAction", {
  port: intOrString(1).always().expected().doc("The port, by number or by name."),
  host: string(2).doc("The host to connect to; the pod's address if empty."),
}).doc("Opens a TCP connection; it succeeds if that is accepted.");
export interface TCPSocketAction extends Infer<typeof TCPSocketAction> {}

export const GRPCAction = struct("io.k8s.api.core.v1.GRPCAction", {
  port: int32(1).always().expected().doc("The port of the gRPC service."),
  service: string(2).nullable().default("").doc("The service to ask for; the server if empty."),
}).doc("Calls the gRPC health checking service; it succeeds if that answers SERVING.");
export interface GRPCAction extends Infer<typeof GRPCAction> {}

export const SleepAction = struct("io.k8s.api.core.v1.SleepAction", {
  seconds: int64(1).always().expected().doc("How many seconds to wait."),
}).doc("Waits.");
export interface SleepAction extends Infer<typeof SleepAction> {}

/** What a probe or a lifecycle hook does: exactly one of these. */
export interface Handler {
  readonly exec?: ExecAction | undefined;
  readonly httpGet?: HTTPGetAction | undefined;
  readonly tcpSocket?: TCPSocketAction | undefined;
  readonly grpc?: GRPCAction | undefined;
  readonly sleep?: SleepAction | undefined;
}

/** The rules of a handler; `gracePeriod` is the pod's, in seconds. */
export function validateHandler(handler: Handler, at: At, gracePeriod: number | undefined): void {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  const given: readonly [name: string, validate: ((at: At) => void) | undefined][] = [
    ["exec", exec && ((here) => validateExec(exec, here))],
    ["httpGet", httpGet && ((here) => validateHttpGet(httpGet, here))],
    ["tcpSocket", tcpSocket && ((here) => validatePort(tcpSocket.port, here.child("port")))],
    ["grpc", grpc && ((here) => validatePort(grpc.port, here.child("port")))],
    ["sleep", sleep && ((here) => validateSleep(sleep, here, gracePeriod))],
  ];
  let handlers = 0;
  for (const [name, validate] of given) {
    if (!validate) continue;
    if (handlers++ === 0) validate(at.child(name));
    else at.forbidden(name, "may not specify more than 1 handler type");
  }
  if (handlers === 0) at.required("", "must specify a handler type");
}

/** A port's number, or the name of one. */
function validatePort(port: number | string, at: At): void {
  at.invalidEach("", port, typeof port === "number" ? isValidPortNum(port) : isValidPortName(port));
}

function validateExec({ command = [] }: ExecAction, at: At): void {
  if (command.length === 0) at.required("command");
}

const schemes = ["HTTP", "HTTPS"];

function validateHttpGet({ path, port, scheme, httpHeaders = [] }: HTTPGetAction, at: At): void {
  if (!path) at.required("path");
  validatePort(port, at.child("port"));
  if (!schemes.includes(scheme)) at.notSupported("scheme", scheme, schemes);
  for (const { name } of httpHeaders) at.invalidEach("httpHeaders", name, isHttpHeaderName(name));
}

function validateSleep({ seconds }: SleepAction, at: At, gracePeriod: number | undefined): void {
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return;
  const range = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  at.invalid("", seconds, range);
}
