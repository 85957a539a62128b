import type { Clock } from "../../base/clock.ts";
import type { Transport, TransportRequest, TransportResponse } from "../../client/transport.ts";
import { quote } from "../../schema/values/quote.ts";

export interface RequestLogOptions {
  /** The value of `--v`: 6 logs each request in a line, 8 also headers and bodies. */
  readonly verbosity: number;
  readonly server: string;
  readonly clock: Clock;
  readonly processId: number;
  readonly userAgent: string;
  write(text: string): void;
}

/** Logs the requests of a transport, as `-v=6` to `-v=9` of kubectl do. */
export function withRequestLog(transport: Transport, options: RequestLogOptions): Transport {
  const { verbosity, server, clock } = options;
  if (verbosity < 6) return transport;
  const log = (text: string): void => options.write(`${logPrefix(options)} ${text}\n`);
  return async (request) => {
    const url = `${server.replace(/\/$/, "")}${request.path}${request.query && `?${request.query}`}`;
    const begin = clock.now();
    const target = `verb=${quote(request.method)} url=${quote(url)}`;
    const headers = sentHeaders(request, options);
    if (verbosity >= 9) log(`"Request" curlCommand=<\n\t${curlCommand(request, url, headers)}\n >`);
    else if (verbosity >= 7) log(`"Request" ${target} headers=${headerText(headers)}`);
    if (verbosity >= 8 && request.body !== undefined)
      log(`"Request Body" body=${quote(bodyText(request.body))}`);
    const response = await transport(request);
    const took = Math.round(clock.now() - begin);
    const status = quote(`${response.status}${statusTexts[response.status] ?? ""}`);
    // Where the request has a line of its own, that of the response does not repeat its URL.
    const subject = verbosity === 7 || verbosity === 8 ? "" : `${target} `;
    const received = verbosity >= 8 ? ` headers=${headerText(response.headers)}` : "";
    log(`"Response" ${subject}status=${status}${received} milliseconds=${took}`);
    return verbosity >= 8 ? loggedBody(response, log) : response;
  };
}

/** klog's header of a line: severity, date, time, process, place. */
function logPrefix({ clock, processId }: RequestLogOptions): string {
  const [, month, day, time, ms] =
    /^\d+-(\d+)-(\d+)T([\d:]+)\.(\d+)Z$/.exec(new Date(clock.now()).toISOString()) ?? [];
  return `I${month}${day} ${time}.${ms}000 ${String(processId).padStart(7)} round_trippers.go:632]`;
}

function headerText(headers: TransportRequest["headers"] | TransportResponse["headers"]): string {
  const lines = headerLines(headers).map((line) => `\t${line}`);
  return lines.length === 0 ? '""' : `<\n${lines.join("\n")}\n >`;
}

/** Headers with their names as Go writes them, in order. */
function headerLines(
  headers: TransportRequest["headers"] | TransportResponse["headers"],
): readonly string[] {
  return Object.entries(headers)
    .map(([name, value]) => {
      const text = name === "authorization" ? "Bearer <masked>" : [value].flat().join(", ");
      return `${name.replaceAll(/(^|-)([a-z])/g, (letters) => letters.toUpperCase())}: ${text}`;
    })
    .sort();
}

/** The headers of a request, without those that only name the command. */
function sentHeaders(
  { headers }: TransportRequest,
  { userAgent }: RequestLogOptions,
): TransportRequest["headers"] {
  const shown = Object.entries(headers).filter(([name]) => !name.startsWith("kubectl-"));
  return { ...Object.fromEntries(shown), "user-agent": userAgent };
}

function curlCommand(
  { method }: TransportRequest,
  url: string,
  headers: TransportRequest["headers"],
): string {
  const texts = headerLines(headers).map((line) => ` -H ${quote(line)}`);
  return `curl -v -X${method} ${texts.join("")} '${url}'`;
}

function bodyText(body: NonNullable<TransportRequest["body"]>): string {
  if (typeof body === "string") return body;
  return body instanceof Uint8Array ? Buffer.from(body).toString("utf8") : JSON.stringify(body);
}

/** Logs the body of a response when a command reads it as one value. */
function loggedBody(response: TransportResponse, log: (text: string) => void): TransportResponse {
  return {
    status: response.status,
    headers: response.headers,
    values: () => response.values(),
    bytes: () => response.bytes(),
    async value() {
      const value = await response.value();
      log(
        `"Response Body" body=${quote(typeof value === "string" ? value : JSON.stringify(value))}`,
      );
      return value;
    },
  };
}

const statusTexts: Readonly<Record<number, string>> = {
  200: " OK",
  201: " Created",
  202: " Accepted",
  301: " Moved Permanently",
  304: " Not Modified",
  400: " Bad Request",
  401: " Unauthorized",
  403: " Forbidden",
  404: " Not Found",
  405: " Method Not Allowed",
  406: " Not Acceptable",
  409: " Conflict",
  410: " Gone",
  415: " Unsupported Media Type",
  422: " Unprocessable Entity",
  429: " Too Many Requests",
  500: " Internal Server Error",
  503: " Service Unavailable",
  504: " Gateway Timeout",
};
