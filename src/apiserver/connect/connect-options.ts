import { badRequest, invalid } from "../../api/meta/v1/status-error.ts";
import { At } from "../../schema/language/report.ts";
import { quote } from "../../schema/values/quote.ts";
import { formatTime, parseTime } from "../../schema/values/time.ts";
import type { Query } from "../request/query.ts";

/** The options of a log request. */
export interface PodLogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly insecureSkipTLSVerifyBackend: boolean;
  readonly sinceSeconds: bigint | undefined;
  /** As the kubelet gets them. */
  readonly sinceTime: string | undefined;
  readonly tailLines: bigint | undefined;
  readonly limitBytes: bigint | undefined;
  /** Which of the two streams is wanted, or `All`; undefined where the feature is off. */
  readonly stream: string | undefined;
}

/** Decodes and validates the options of a log request; clients choose a stream only with its feature. */
export function podLogOptions(
  query: Query,
  pod: string,
  features: ReadonlySet<string> = new Set(),
): PodLogOptions {
  const choosesStream = features.has("PodLogsQuerySplitStreams");
  const flag = (name: string): boolean => query.flag(name) ?? false;
  const options: PodLogOptions = {
    container: query.text("container"),
    follow: flag("follow"),
    previous: flag("previous"),
    sinceSeconds: int64(query, "sinceSeconds"),
    sinceTime: time(query, "sinceTime"),
    timestamps: flag("timestamps"),
    tailLines: int64(query, "tailLines"),
    limitBytes: int64(query, "limitBytes"),
    insecureSkipTLSVerifyBackend: flag("insecureSkipTLSVerifyBackend"),
    stream: choosesStream ? query.text("stream") || "All" : undefined,
  };
  const at = At.root();
  checkLogOptions(options, at);
  if (query.has("stream") && !choosesStream) at.forbidden("stream", "may not be specified");
  if (at.errors.length > 0)
    throw invalid({ group: "", resource: "PodLogOptions", name: pod }, at.errors);
  return options;
}

function checkLogOptions(options: PodLogOptions, at: At): void {
  checkAmounts(options, at);
  const { stream = "All", tailLines } = options;
  if (!logStreams.includes(stream)) at.notSupported("stream", stream, logStreams);
  if (stream !== "All" && tailLines !== undefined)
    at.forbidden("[]", "`tailLines` and specific `stream` are mutually exclusive for now");
}

const logStreams = ["All", "Stderr", "Stdout"];

function checkAmounts(options: PodLogOptions, at: At): void {
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = options;
  if (tailLines !== undefined && tailLines < 0n)
    at.invalid("tailLines", tailLines, "must be greater than or equal to 0");
  if (limitBytes !== undefined && limitBytes < 1n)
    at.invalid("limitBytes", limitBytes, "must be greater than 0");
  if (sinceSeconds === undefined) return;
  if (sinceTime !== undefined)
    // A place without a name is written like this.
    at.forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified");
  else if (sinceSeconds < 1n) at.invalid("sinceSeconds", sinceSeconds, "must be greater than 0");
}

/** The query that a kubelet gets. */
export function logQuery(options: PodLogOptions): [string, string][] {
  const { sinceSeconds, sinceTime, tailLines, limitBytes, stream } = options;
  const values: [string, string][] = [];
  for (const name of ["follow", "previous", "timestamps"] as const)
    if (options[name]) values.push([name, "true"]);
  for (const [name, value] of Object.entries({
    ...{ sinceSeconds, sinceTime, tailLines, limitBytes, stream },
  }))
    if (value !== undefined) values.push([name, String(value)]);
  return values;
}

/** The options of exec and attach. */
export interface StreamOptions {
  readonly container: string;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
  /** For exec only. */
  readonly command: readonly string[];
}

export function streamOptions(query: Query): StreamOptions {
  const flag = (name: string): boolean => query.flag(name) ?? false;
  return {
    stdin: flag("stdin"),
    stdout: flag("stdout"),
    stderr: flag("stderr"),
    tty: flag("tty"),
    container: query.text("container"),
    command: query.all("command"),
  };
}

/** The kubelet's names of these options. */
export function streamQuery(options: StreamOptions, isExec: boolean): [string, string][] {
  const names = { stdin: "input", stdout: "output", stderr: "error", tty: "tty" } as const;
  const values: [string, string][] = [];
  for (const [option, name] of Object.entries(names))
    if (options[option as keyof typeof names]) values.push([name, "1"]);
  if (isExec) for (const word of options.command) values.push(["command", word]);
  return values;
}

/** The ports to forward. */
export function forwardedPorts(query: Query): number[] {
  return query.all("ports").flatMap((text) =>
    text.split(",").map((port) => {
      const problem = uint16Problem(port);
      if (problem !== undefined)
        throw badRequest(
          `cannot convert to []int32: strconv.ParseUint: parsing ${quote(port)}: ${problem}`,
        );
      return Number(port);
    }),
  );
}

function uint16Problem(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return "invalid syntax";
  return BigInt(text) > 0xffffn ? "value out of range" : undefined;
}

function int64(query: Query, name: string): bigint | undefined {
  if (!query.has(name)) return undefined;
  const text = query.text(name);
  const refuse = (why: string) => badRequest(`strconv.ParseInt: parsing ${quote(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw refuse("invalid syntax");
  const value = BigInt(text.replace(/^\+/, ""));
  if (BigInt.asIntN(64, value) !== value) throw refuse("value out of range");
  return value;
}

function time(query: Query, name: string): string | undefined {
  if (!query.has(name)) return undefined;
  const text = query.text(name);
  if (text === "" || text === "null") return "0001-01-01T00:00:00Z";
  try {
    return formatTime(parseTime(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(error.message);
  }
}
