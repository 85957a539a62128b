import { inline, int32, int64, message } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import {
  ExecAction,
  GRPCAction,
  HTTPGetAction,
  TCPSocketAction,
  validateHandler,
} from "./handler.ts";

const ProbeHandler = struct("io.k8s.api.core.v1.ProbeHandler", {
  exec: message(1, ExecAction).doc("A command that is run in the container."),
  httpGet: message(2, HTTPGetAction).doc("An HTTP request that is sent to the container."),
  tcpSocket: message(3, TCPSocketAction).doc("A connection that is opened to the container."),
  grpc: message(4, GRPCAction).doc("A gRPC health check of the container."),
}).doc("How a probe finds out.");

export const Probe = struct("io.k8s.api.core.v1.Probe", {
  ...inline(1, ProbeHandler),
  initialDelaySeconds: int32(2).doc("Seconds after the container's start until the first probe."),
  timeoutSeconds: int32(3).default(1).doc("Seconds after which a probe has failed."),
  periodSeconds: int32(4).default(10).doc("Seconds between probes."),
  successThreshold: int32(5).default(1).doc("Successes in a row that count as one, after failure."),
  failureThreshold: int32(6).default(3).doc("Failures in a row that count as one."),
  terminationGracePeriodSeconds: int64(7)
    .pointer()
    .doc("Seconds the pod has to end after the probe failed, instead of the pod's own."),
}).doc("A check of whether a container is alive or ready.");
export interface Probe extends Infer<typeof Probe> {}

/** A liveness probe, like a startup probe, needs one success. */
export function validateLivenessProbe(probe: Probe, at: At, gracePeriod?: number): void {
  validateProbe(probe, at, gracePeriod);
  if (probe.successThreshold !== 1)
    at.invalid("successThreshold", probe.successThreshold, "must be 1");
}

/** A readiness probe ends no pod, so it has no grace period. */
export function validateReadinessProbe(probe: Probe, at: At, gracePeriod?: number): void {
  validateProbe(probe, at, gracePeriod);
  const { terminationGracePeriodSeconds: seconds } = probe;
  if (seconds !== undefined)
    at.invalid("terminationGracePeriodSeconds", seconds, "must not be set for readinessProbes");
}

function validateProbe(probe: Probe, at: At, gracePeriod: number | undefined): void {
  validateHandler(probe, at, gracePeriod);
  for (const field of notNegative) {
    const value = probe[field] ?? 0;
    if (value < 0) at.invalid(field, value, "must be greater than or equal to 0");
  }
  const { terminationGracePeriodSeconds: seconds } = probe;
  if (seconds !== undefined && seconds <= 0)
    at.invalid("terminationGracePeriodSeconds", seconds, "must be greater than 0");
}

const notNegative = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;
