import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Clock } from "../../base/clock.ts";
import type { ServeStreams } from "../../base/stream-connection.ts";
import { portForward } from "../../cri/streaming/port-forward.ts";
import { remoteCommand } from "../../cri/streaming/remote-command.ts";
import { requestedPorts } from "../../cri/streaming/requested-ports.ts";
import type { CommandOptions } from "../../cri/streaming/serve-command.ts";
import { isWebSocketRequest } from "../../cri/streaming/streaming-request.ts";
import type { Kubelet } from "../kubelet.ts";
import { idOf } from "../pod/probes/probed-statuses.ts";
import { type KubeletRequest, type KubeletResponse, textResponse } from "./kubelet-request.ts";

/** A pod of a kubelet, with what its streams need. */
export interface StreamedPod {
  readonly kubelet: Kubelet;
  readonly pod: Pod;
  readonly clock: Clock;
  /** Begins the server's side of SPDY; without it, only WebSockets are served. */
  readonly serveStreams?: ServeStreams | undefined;
}

/** Runs a command in a container of a pod, or attaches to it. */
export function streamContainer(
  verb: "exec" | "attach",
  { container, ...streamed }: StreamedPod & { readonly container: string },
  request: KubeletRequest,
): KubeletResponse {
  const { kubelet, pod } = streamed;
  const { status } = pod;
  const statuses = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  const found = statuses.find(({ name }) => name === container);
  if (!found?.state?.running) return textResponse(500, `container not found ("${container}")`);
  const options = commandOptions(request.query);
  if (!options) return textResponse(400, "you must specify at least 1 of stdin, stdout, stderr");
  const { runtime } = kubelet;
  const { tty } = options;
  const target = { containerId: idOf(found.containerID), tty };
  const command = request.query.getAll("command");
  return withContext(streamed, request, (context) =>
    remoteCommand(
      request,
      {
        verb,
        options,
        run: (session) =>
          verb === "exec"
            ? runtime.exec({ ...target, command }, session)
            : runtime.attach(target, session),
      },
      context,
    ),
  );
}

/** Connects a client to ports of a pod. */
export async function forwardPorts(
  streamed: StreamedPod,
  request: KubeletRequest,
): Promise<KubeletResponse> {
  const { runtime } = streamed.kubelet;
  const { name, namespace, uid } = streamed.pod.metadata;
  // A client that tunnels SPDY names its ports later.
  const isTunnel = request.headers["sec-websocket-protocol"]?.includes("SPDY/3.1+") ?? false;
  const ports =
    isWebSocketRequest(request) && !isTunnel ? requestedPorts(request.query.getAll("port")) : [];
  if (typeof ports === "string") return textResponse(400, ports);
  const sandboxes = await runtime.listPodSandboxes({ podUid: uid ?? "" });
  const sandbox = sandboxes.find(({ state }) => state === "ready");
  if (!sandbox)
    return textResponse(500, `failed to find sandboxID for pod ${name}_${namespace}(${uid})`);
  const { id } = sandbox;
  return withContext(streamed, request, (context) =>
    portForward(
      request,
      {
        name: id,
        uid: "",
        ports,
        forward: (port, session) => runtime.portForward(id, port, session),
      },
      context,
    ),
  );
}

type Context = Parameters<typeof remoteCommand>[2];

function withContext(
  { clock, serveStreams }: StreamedPod,
  request: KubeletRequest,
  respond: (context: Context) => KubeletResponse,
): KubeletResponse {
  if (serveStreams) return respond({ clock, serveStreams });
  if (!isWebSocketRequest(request))
    return textResponse(400, "only WebSocket is spoken here: Upgrade request required");
  const none: ServeStreams = () => {
    throw new Error("only WebSocket is spoken here");
  };
  return respond({ clock, serveStreams: none });
}

function commandOptions(query: URLSearchParams): CommandOptions | undefined {
  const wants = (name: string): boolean => /^(?:1|true)$/.test(query.get(name) ?? "");
  const tty = wants("tty");
  const [stdin, stdout] = [wants("input"), wants("output")];
  // A terminal has one output only.
  const stderr = wants("error") && !tty;
  return stdin || stdout || stderr ? { stdin, stdout, stderr, tty } : undefined;
}
