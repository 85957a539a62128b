import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Clock } from "../../base/clock.ts";
import type { ServeStreams } from "../../base/stream-connection.ts";
import { portForward } from "../../cri/streaming/port-forward.ts";
import { remoteCommand } from "../../cri/streaming/remote-command.ts";
import { requestedPorts } from "../../cri/streaming/requested-ports.ts";
import type { CommandOptions } from "../../cri/streaming/serve-command.ts";
import { isWebSocketRequest } from "../../cri/streaming/streaming-request.ts";
import type { Kubelet } from "../kubelet.ts";
import { containerNamed } from "../pod/container/container-config.ts";
import { type KubeletRequest, type KubeletResponse, textResponse } from "./kubelet-request.ts";
import { runningContainer } from "./running-container.ts";

/** A pod of a kubelet, with what its streams need. */
export interface StreamedPod {
  readonly kubelet: Kubelet;
  readonly pod: Pod;
  readonly clock: Clock;
  /** Begins the server's side of SPDY; without it, only WebSockets are served. */
  readonly serveStreams?: ServeStreams | undefined;
}

export interface StreamedContainer extends StreamedPod {
  readonly container: string;
  /** The UID that the client expects the pod to have. */
  readonly uid?: string | undefined;
}

/** Runs a command in a container of a pod, or attaches to it. */
export async function streamContainer(
  verb: "exec" | "attach",
  { container, uid, ...streamed }: StreamedContainer,
  request: KubeletRequest,
): Promise<KubeletResponse> {
  const options = commandOptions(request.query);
  if (!options) return textResponse(400, "you must specify at least 1 of stdin, stdout, stderr");
  const { runtime } = streamed.kubelet;
  const { pod } = streamed;
  const containerId = await runningContainer(runtime, pod, container);
  if (containerId === undefined) return textResponse(500, absence(verb, pod, container));
  if (verb === "exec") {
    const command = request.query.getAll("command");
    const target = { containerId, tty: options.tty, command };
    return withContext(streamed, request, (context) =>
      remoteCommand(
        request,
        { verb, options, run: (session) => runtime.exec(target, session) },
        context,
      ),
    );
  }
  if (uid !== undefined && uid !== pod.metadata.uid)
    return textResponse(500, `pod ${fullName(pod)} not found`);
  // Whether there is a terminal was decided when the container started.
  const spec = containerNamed(pod, container);
  const target = { containerId, tty: spec?.tty ?? false };
  return withContext(streamed, request, (context) =>
    remoteCommand(
      request,
      { verb, options, run: (session) => runtime.attach(target, session) },
      context,
    ),
  );
}

const absence = (verb: "exec" | "attach", pod: Pod, container: string): string =>
  verb === "exec"
    ? `container not found ("${container}")`
    : `container ${container} not found in pod ${fullName(pod)}`;

const fullName = ({ metadata: { name, namespace } }: Pod): string => `${name}_${namespace}`;

/** Connects a client to ports of a pod. */
export async function forwardPorts(
  streamed: StreamedPod & { readonly uid?: string | undefined },
  request: KubeletRequest,
): Promise<KubeletResponse> {
  const { runtime } = streamed.kubelet;
  const { name, namespace, uid } = streamed.pod.metadata;
  // A client that tunnels SPDY names its ports later.
  const isTunnel = request.headers["sec-websocket-protocol"]?.includes("SPDY/3.1+") ?? false;
  const ports =
    isWebSocketRequest(request) && !isTunnel ? requestedPorts(request.query.getAll("port")) : [];
  if (typeof ports === "string") return textResponse(400, ports);
  if (streamed.uid !== undefined && streamed.uid !== uid) return textResponse(404, "pod not found");
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
