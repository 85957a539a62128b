import type { Container } from "../../../api/core/v1/container/container.ts";
import type { Probe } from "../../../api/core/v1/container/probe.ts";
import type { ProbeKind } from "./probe-results.ts";

/** Sends probes to containers: commands, and requests over the network. */
export interface Prober {
  probe(request: ProbeRequest): Promise<ProbeAnswer>;
}

export interface ProbeRequest {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly container: Container;
  readonly containerId: string;
  readonly podIP: string;
}

export interface ProbeAnswer {
  readonly result: "success" | "warning" | "failure";
  /** The output of the probe, for messages. */
  readonly output: string;
  /** Until when the result cannot change, if known: probes until then can be skipped. */
  readonly holdsUntil?: number | undefined;
}
