import type { Container } from "../../../api/core/v1/container/container.ts";
import type { Probe } from "../../../api/core/v1/container/probe.ts";
import type { ProbeKind } from "./probe-results.ts";

/** Looks after containers: by commands in them, and over the network. */
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
  /** What was answered, for people. */
  readonly output: string;
  /** Until when nothing else will be answered, if that is known: until then nobody need ask. */
  readonly holdsUntil?: number | undefined;
}
