import type { Probe } from "../../../api/core/v1/container/probe.ts";
import { goString } from "../../../schema/values/go-print.ts";

/** A probe on one line: how it is made, and how often. */
export function probeText(probe: Probe): string {
  const times = [
    `delay=${probe.initialDelaySeconds ?? 0}s`,
    `timeout=${probe.timeoutSeconds ?? 0}s`,
    `period=${probe.periodSeconds ?? 0}s`,
    `#success=${probe.successThreshold ?? 0}`,
    `#failure=${probe.failureThreshold ?? 0}`,
  ].join(" ");
  return `${handlerText(probe)} ${times}`;
}

function handlerText({ exec, httpGet, tcpSocket, grpc }: Probe): string {
  if (exec) return `exec ${goString(exec.command ?? [])}`;
  if (httpGet) return `http-get ${urlText(httpGet)}`;
  if (tcpSocket) return `tcp-socket ${tcpSocket.host ?? ""}:${tcpSocket.port}`;
  if (grpc) return `grpc <pod>:${grpc.port} ${grpc.service ?? ""}`;
  return "unknown";
}

function urlText({ scheme, host = "", port, path = "" }: NonNullable<Probe["httpGet"]>): string {
  const address = `${port}` === "" ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const start = scheme ? `${scheme.toLowerCase()}:` : "";
  const slash = path !== "" && !path.startsWith("/") ? "/" : "";
  return `${start}//${escaped(address, /[^\w\-.~!$&'()*+,;=:[\]<>"]/gu)}${slash}${escaped(path, /[^\w\-.~$&+,/:;=@]/gu)}`;
}

const encoder = new TextEncoder();

/** A part of a URL with percent signs for what it may not have. */
const escaped = (text: string, others: RegExp): string =>
  text.replaceAll(others, (character) =>
    [...encoder.encode(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
