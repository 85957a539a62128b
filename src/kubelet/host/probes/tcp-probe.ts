import { connect } from "node:net";
import { errorMessage } from "../../../base/error-message.ts";
import { hostPort } from "../../../base/network.ts";
import { onAbort } from "../../../base/on-abort.ts";
import { dialMessage } from "../../../platform/dial-message.ts";
import { containerPort } from "../../pod/probes/container-port.ts";
import { type ProbeAnswer, ProbeError, type ProbeRequest } from "../../pod/probes/prober.ts";

type Action = NonNullable<ProbeRequest["probe"]["tcpSocket"]>;

/** Probes a container by opening a connection, which is closed at once. */
export function tcpProbe(action: Action, request: ProbeRequest): Promise<ProbeAnswer> {
  const { container, podIP, probe, signal } = request;
  const host = action.host || podIP;
  const port = portOf(action, container);
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (answer: ProbeAnswer): void => {
      clearTimeout(timer);
      unfollow();
      socket.destroy();
      resolve(answer);
    };
    const fail = (output: string): void => settle({ result: "failure", output });
    const timer = setTimeout(
      () => fail(`dial tcp ${hostPort(host, port)}: i/o timeout`),
      (probe.timeoutSeconds ?? 1) * 1000,
    );
    const unfollow = onAbort(signal, () =>
      fail(`dial tcp ${hostPort(host, port)}: operation was canceled`),
    );
    socket.on("connect", () => settle({ result: "success", output: "" }));
    socket.on("error", (error) => fail(dialMessage({ host, port }, error)));
  });
}

function portOf({ port }: Action, container: ProbeRequest["container"]): number {
  try {
    return containerPort(port, container);
  } catch (error) {
    throw new ProbeError(errorMessage(error), "unknown");
  }
}
