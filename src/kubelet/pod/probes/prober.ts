import type { Container } from "../../../api/core/v1/container/container.ts";
import type { Probe } from "../../../api/core/v1/container/probe.ts";
import type { ProbeKind } from "./probe-results.ts";

/** Sends probes to containers: commands, and requests over the network. */
export interface Prober {
  /** Rejects without a result, if possible with a `ProbeError`. */
  probe(request: ProbeRequest): Promise<ProbeAnswer>;
}

export interface ProbeRequest {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly container: Container;
  readonly containerId: string;
  readonly podIP: string;
  /** Aborted when nobody is interested in the result any more. */
  readonly signal: AbortSignal;
}

export interface ProbeAnswer {
  readonly result: "success" | "warning" | "failure";
  /** The output of the probe, for messages. */
  readonly output: string;
  /** Until when the result cannot change, if known: probes until then can be skipped. */
  readonly holdsUntil?: number | undefined;
}

/** A probe that has no result. */
export class ProbeError extends Error {
  override readonly name = "ProbeError";
  /** How messages name the result, although it does not count. */
  readonly state: "unknown" | "failure";

  constructor(message: string, state: "unknown" | "failure") {
    super(message);
    this.state = state;
  }
}
