import { errorMessage } from "../../../base/error-message.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import { probeTitles } from "./probe-metrics.ts";
import { type ProbeAnswer, ProbeError, type ProbeRequest, type Prober } from "./prober.ts";

/** Sends a probe, up to three times if it has no result, and records what is wrong; undefined without a result. */
export async function runProbe(
  prober: Prober,
  request: ProbeRequest,
  record: (event: KubeletEvent) => void,
): Promise<ProbeAnswer | undefined> {
  const warn = (reason: string, message: string): void =>
    record({ type: "Warning", reason, message: `${probeTitles[request.kind]} probe ${message}` });
  let fault: unknown;
  for (let tries = 0; tries < mostTries; tries++) {
    try {
      const answer = await prober.probe(request);
      if (request.signal.aborted) return undefined;
      if (answer.result === "failure") warn("Unhealthy", `failed: ${answer.output}`);
      if (answer.result === "warning") warn("ProbeWarning", `warning: ${answer.output}`);
      return answer;
    } catch (error) {
      fault = error;
    }
    if (request.signal.aborted) return undefined;
  }
  const state = fault instanceof ProbeError ? fault.state : "unknown";
  warn("Unhealthy", `errored and resulted in ${state} state: ${errorMessage(fault)}`);
  return undefined;
}

const mostTries = 3;
