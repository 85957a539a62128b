import type { Clock } from "../../base/clock.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import { answersProbe } from "../../cri/simulated/simulated-probe.ts";
import type { SimulatedRuntime } from "../../cri/simulated/simulated-runtime.ts";
import { nextChange } from "../../cri/simulated/windows.ts";
import { formatDuration } from "../../schema/values/duration.ts";
import { quote } from "../../schema/values/quote.ts";
import type { ProbeAnswer, ProbeRequest, Prober } from "../pod/probes/prober.ts";

/** Probes simulated containers: results come from their pods' annotations, and are successes by default. */
export const simulatedProber = (runtime: SimulatedRuntime, clock: Clock): Prober => ({
  async probe(request): Promise<ProbeAnswer> {
    const { kind, probe, containerId } = request;
    const container = runtime.simulated(containerId);
    const now = clock.now();
    if (!container || !answersProbe(container, kind, now))
      return { result: "failure", output: failureText(request) };
    if (probe.exec) {
      const failure = await failureOf(runtime, request);
      if (failure !== undefined) return { result: "failure", output: failure };
    }
    const since = container.startedAt;
    const change = nextChange(container.behaviour[`${kind}Fails`], now - since);
    return { result: "success", output: "", holdsUntil: since + change };
  },
});

/** The output of a command that fails or times out; undefined if it succeeds. */
async function failureOf(
  runtime: SimulatedRuntime,
  { probe, containerId }: ProbeRequest,
): Promise<string | undefined> {
  const { command = [] } = probe.exec ?? {};
  const { timeoutSeconds = 1 } = probe;
  try {
    const { stdout, stderr, exitCode } = await runtime.execSync(
      containerId,
      command,
      timeoutSeconds,
    );
    const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
    return exitCode === 0 ? undefined : text(stdout) + text(stderr);
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== "DeadlineExceeded") throw error;
    const after = formatDuration(BigInt(timeoutSeconds) * 1_000_000_000n);
    return `command timed out: ${quote(command.join(" "))} timed out after ${after}`;
  }
}

/** The output of a failed probe, like that of a real one. */
function failureText({ probe, container, podIP }: ProbeRequest): string {
  const { httpGet, tcpSocket, grpc } = probe;
  if (httpGet) return "HTTP probe failed with statuscode: 503";
  if (tcpSocket) {
    const { port, host } = tcpSocket;
    const number =
      typeof port === "number"
        ? port
        : container.ports?.find(({ name }) => name === port)?.containerPort;
    return `dial tcp ${host || podIP}:${number ?? port}: connect: connection refused`;
  }
  if (grpc) return 'service unhealthy (responded with "NOT_SERVING")';
  return "";
}
