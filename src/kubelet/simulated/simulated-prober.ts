import type { Clock } from "../../base/clock.ts";
import { hostPort } from "../../base/network.ts";
import { answersProbe } from "../../cri/simulated/simulated-probe.ts";
import type { SimulatedRuntime } from "../../cri/simulated/simulated-runtime.ts";
import { nextChange } from "../../cri/simulated/windows.ts";
import { containerPort } from "../pod/probes/container-port.ts";
import { execProbe } from "../pod/probes/exec-probe.ts";
import type { ProbeAnswer, ProbeRequest, Prober } from "../pod/probes/prober.ts";

/** Probes simulated containers: results come from their pods' annotations, and are successes by default. */
export const simulatedProber = (runtime: SimulatedRuntime, clock: Clock): Prober => ({
  async probe(request): Promise<ProbeAnswer> {
    const { kind, probe, containerId } = request;
    const container = runtime.simulated(containerId);
    const now = clock.now();
    if (!container || !answersProbe(container, kind, now))
      return { result: "failure", output: failureText(request) };
    const answer = probe.exec ? await execProbe(runtime, request) : success;
    if (answer.result !== "success") return answer;
    const since = container.startedAt;
    const change = nextChange(container.behaviour[`${kind}Fails`], now - since);
    return { ...answer, holdsUntil: since + change };
  },
});

const success: ProbeAnswer = { result: "success", output: "" };

/** The output of a failed probe, like that of a real one. */
function failureText({ probe, container, podIP }: ProbeRequest): string {
  const { httpGet, tcpSocket, grpc } = probe;
  if (httpGet) return "HTTP probe failed with statuscode: 503";
  if (tcpSocket) {
    const { port, host } = tcpSocket;
    const address = hostPort(host || podIP, containerPort(port, container));
    return `dial tcp ${address}: connect: connection refused`;
  }
  if (grpc) return 'service unhealthy (responded with "NOT_SERVING")';
  return "";
}
