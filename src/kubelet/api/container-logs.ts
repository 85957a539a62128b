import type { ContainerStatus } from "../../api/core/v1/container/container-status.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { LogPiece } from "../../cri/streams.ts";
import { idOf } from "../pod/probes/probed-statuses.ts";

/** The log options of a request. */
export interface ContainerLogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number | undefined;
  /** In milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly limitBytes?: number | undefined;
}

/** Parses the log options of a query; undefined if they are invalid. */
export function containerLogOptions(
  query: URLSearchParams,
  now: number,
): ContainerLogOptions | undefined {
  const flag = (name: string): boolean => /^(?:1|true)$/i.test(query.get(name) ?? "");
  const number = (name: string): number | undefined => {
    const text = query.get(name);
    return text === null || text === "" ? undefined : Number(text);
  };
  const tail = query.get("tail");
  const tailLines = tail === null ? number("tailLines") : tail === "all" ? undefined : Number(tail);
  const limitBytes = number("limitBytes");
  const sinceSeconds = number("sinceSeconds");
  const sinceTime = query.get("sinceTime");
  const since =
    sinceSeconds !== undefined
      ? now - sinceSeconds * 1000
      : sinceTime
        ? Date.parse(sinceTime)
        : undefined;
  const isOdd = [tailLines, limitBytes, since].some((value) => Number.isNaN(value));
  if (isOdd || (tailLines ?? 0) < 0 || (limitBytes ?? 1) < 1) return undefined;
  return {
    follow: flag("follow"),
    previous: flag("previous"),
    timestamps: flag("timestamps"),
    tailLines,
    since,
    limitBytes,
  };
}

/** Finds the container for a log request, or the reason why there is none. */
export function loggedContainer(
  { metadata, status }: Pod,
  name: string,
  isPrevious: boolean,
): { readonly id: string } | { readonly problem: string } {
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
  if (isPrevious)
    return last === "" ? { problem: `previous terminated ${what} not found` } : { id: idOf(last) };
  if (state?.running) return { id: idOf(containerID) };
  const ended = state?.terminated?.containerID || last;
  if (ended !== "") return { id: idOf(ended) };
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
  runtime: RuntimeService,
  id: string,
  { options, signal }: { readonly options: ContainerLogOptions; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const { follow, tailLines, since, timestamps } = options;
  const encoder = new TextEncoder();
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  /** Whether the next piece begins a line. */
  let isNew = true;
  for await (const piece of runtime.logs(id, { follow, tailLines, since, signal })) {
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
}

const nothing = new Uint8Array(0);
const newline = 0x0a;

const nanoTime = ({ at, nanos }: LogPiece): string =>
  new Date(at).toISOString().replace("Z", `${String(nanos).padStart(6, "0")}Z`);
