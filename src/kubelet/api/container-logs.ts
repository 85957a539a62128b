import type { ContainerStatus } from "../../api/core/v1/container/container-status.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { rpcMessage } from "../../cri/rpc-message.ts";
import { RuntimeError, type RuntimeService } from "../../cri/runtime-service.ts";
import type { LogPiece } from "../../cri/streams.ts";
import { idOf } from "../pod/probes/probed-statuses.ts";
import { type KubeletResponse, textResponse } from "./kubelet-request.ts";

/** The log options of a request. */
export interface ContainerLogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** `All`, `Stdout` or `Stderr`. */
  readonly stream: string;
  readonly tailLines?: number | undefined;
  /** In milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly limitBytes?: number | undefined;
}

/** Parses the log options of a query; a response rejects invalid ones. */
export function containerLogOptions(
  given: URLSearchParams,
  now: number,
): ContainerLogOptions | KubeletResponse {
  const query = new URLSearchParams(given);
  const tail = query.get("tail") || "";
  if (tail === "all") query.delete("tailLines");
  else if (tail !== "") query.set("tailLines", tail);
  const flag = (name: string): boolean => {
    const text = query.get(name);
    return text !== null && text !== "0" && text.toLowerCase() !== "false";
  };
  const number = (name: string): number | undefined => {
    const text = query.get(name);
    if (text === null) return undefined;
    return /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  };
  const [tailLines, limitBytes, sinceSeconds] = ["tailLines", "limitBytes", "sinceSeconds"].map(
    number,
  );
  const sinceTime = timeOf(query.get("sinceTime"));
  if ([tailLines, limitBytes, sinceSeconds, sinceTime].some((value) => Number.isNaN(value)))
    return textResponse(400, '{"message": "Unable to decode query."}');
  const stream = query.get("stream") ?? "All";
  const isInvalid =
    (tailLines ?? 0) < 0 ||
    (limitBytes ?? 1) < 1 ||
    (sinceSeconds ?? 1) < 1 ||
    (sinceSeconds !== undefined && sinceTime !== undefined) ||
    !["All", "Stdout", "Stderr"].includes(stream) ||
    (stream !== "All" && tailLines !== undefined);
  if (isInvalid) return textResponse(422, '{"message": "Invalid request."}');
  return {
    follow: flag("follow"),
    previous: flag("previous"),
    timestamps: flag("timestamps"),
    stream,
    tailLines,
    since: sinceSeconds === undefined ? sinceTime : now - sinceSeconds * 1000,
    limitBytes,
  };
}

/** A time of a query: empty for the beginning of time. */
function timeOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (text === "" || text === "null") return 0;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text.replace(",", "."))
    : Number.NaN;
}

/** A container that has a log. */
export interface LoggedContainer {
  readonly id: string;
  /** With the name of its runtime: `containerd://…`. */
  readonly fullId: string;
}

/** Finds the container for a log request, or the reason why there is none. */
export function loggedContainer(
  { metadata, status }: Pod,
  name: string,
  isPrevious: boolean,
): LoggedContainer | { readonly problem: string } {
  const all = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  const found = all.find((one) => one.name === name);
  const what = `container "${name}" in pod "${metadata.name}"`;
  if (!found) return { problem: `${what} is not available` };
  const { state, lastState, containerID = "" } = found;
  const last = lastState?.terminated?.containerID ?? "";
  const logOf = (fullId: string): LoggedContainer => ({ id: idOf(fullId), fullId });
  if (isPrevious)
    return last === "" ? { problem: `previous terminated ${what} not found` } : logOf(last);
  if (state?.running) return logOf(containerID);
  const ended = state?.terminated?.containerID || last;
  if (ended !== "") return logOf(ended);
  if (state?.terminated || lastState?.terminated) return { problem: `${what} is terminated` };
  return { problem: `${what} is waiting to start${waitingText(found)}` };
}

function waitingText({ state }: ContainerStatus): string {
  const reason = state?.waiting?.reason;
  if (!state?.waiting) return " - no logs yet";
  if (reason === "ErrImagePull") return ": image can't be pulled";
  if (reason === "ImagePullBackOff") return ": trying and failing to pull image";
  return `: ${reason ?? ""}`;
}

/** The log of a container in the requested format. */
export async function* containerLogs(
  runtime: Pick<RuntimeService, "logs">,
  { id, fullId }: LoggedContainer,
  { options, signal }: { readonly options: ContainerLogOptions; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const { follow, tailLines, since, timestamps, stream } = options;
  const encoder = new TextEncoder();
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  /** Whether the next piece begins a line. */
  let isNew = true;
  try {
    for await (const piece of runtime.logs(id, { follow, tailLines, since, signal })) {
      if (!isOfStream(piece, stream)) continue;
      const prefix = timestamps && isNew ? encoder.encode(`${nanoTime(piece)} `) : nothing;
      isNew = piece.bytes.at(-1) === newline;
      for (const part of [prefix, piece.bytes]) {
        if (part.length === 0) continue;
        const bytes = part.subarray(0, left);
        left -= bytes.length;
        yield bytes;
        if (left <= 0) return;
      }
    }
  } catch (error) {
    if (signal.aborted) return;
    // The response has begun: upstream, too, appends errors to the log.
    yield encoder.encode(
      RuntimeError.isNotFound(error)
        ? `unable to retrieve container logs for ${fullId}`
        : rpcMessage(error),
    );
  }
}

const isOfStream = (piece: LogPiece, stream: string): boolean =>
  stream === "All" || piece.stream === stream.toLowerCase();

const nothing = new Uint8Array(0);
const newline = 0x0a;

const nanoTime = ({ at, nanos }: LogPiece): string =>
  new Date(at).toISOString().replace("Z", `${String(nanos).padStart(6, "0")}Z`);
