import type { Clock } from "../../base/clock.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import { answersProbe } from "../../cri/simulated/simulated-probe.ts";
import type { SimulatedRuntime } from "../../cri/simulated/simulated-runtime.ts";
import { nextChange } from "../../cri/simulated/windows.ts";
import { formatDuration } from "../../schema/values/duration.ts";
import { quote } from "../../schema/values/quote.ts";
import type { ProbeAnswer, ProbeRequest, Prober } from "../pod/probes/prober.ts";

/** Answers probes of containers that are simulated: as their pods' annotations say, and well otherwise. */
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

/** What a command says that fails, or takes too long; undefined for one that does neither. */
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
    return exitCode === 0 ? undefined : stdout + stderr;
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== "DeadlineExceeded") throw error;
    const after = formatDuration(BigInt(timeoutSeconds) * 1_000_000_000n);
    return `command timed out: ${quote(command.join(" "))} timed out after ${after}`;
  }
}

/** What a failed probe says, as the real ones do. */
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
