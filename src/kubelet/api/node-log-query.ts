import { aggregateMessage } from "../../base/aggregate-message.ts";
import { At } from "../../schema/language/report.ts";
import { regexpFault } from "../../schema/regexp/go-regexp.ts";
import { quote } from "../../schema/values/quote.ts";
import { httpError, type KubeletResponse } from "./kubelet-request.ts";

/** What a request wants to read of the logs of a node: of services, or a file. */
export interface NodeLogQuery {
  readonly services: readonly string[];
  /** Paths below the folder of logs. */
  readonly files: readonly string[];
  /** In milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly tailLines?: number | undefined;
  /** 0 for the present boot of the machine, -1 for the one before. */
  readonly boot?: number | undefined;
  /** A regular expression. */
  readonly pattern?: string | undefined;
}

/** Reads a query; undefined if it has none of the options, and a response if it is invalid. */
export function parseNodeLogQuery(
  query: URLSearchParams,
): NodeLogQuery | KubeletResponse | undefined {
  const at = At.root();
  const queries = query.getAll("query");
  const isFile = (text: string): boolean => /[/\\]/.test(text);
  const files = queries.filter(isFile);
  const services = queries.filter((text) => !isFile(text) && text.trim() !== "");
  if (query.has("query") && files.length + services.length === 0)
    at.invalid("query", queries, "may not be empty");
  const optional = <T>(name: string, read: (text: string) => T | string): T | undefined => {
    const text = query.get(name) ?? "";
    const value = text === "" ? undefined : read(text);
    if (typeof value !== "string") return value;
    at.invalid(name, text, value);
    return undefined;
  };
  const since = optional("sinceTime", timeOf);
  const until = optional("untilTime", timeOf);
  const boot = optional("boot", integerOf);
  const tailLines = optional("tailLines", integerOf);
  const pattern = query.get("pattern") || undefined;
  if (at.errors.length > 0) return refusal(400, at);
  const parsed = { services, files, since, until, boot, tailLines, pattern };
  const isEmpty = files.length + services.length === 0 && !hasOptions(parsed);
  return isEmpty ? undefined : parsed;
}

/** Why a query cannot be served; undefined if it can. */
export function refuseNodeLogQuery(query: NodeLogQuery): KubeletResponse | undefined {
  const at = At.root();
  checkPlaces(query, at);
  const { since, until, boot, tailLines, pattern = "" } = query;
  if (since !== undefined && until !== undefined && since > until)
    at.invalid("untilTime", shownTime(until), "must be after `sinceTime`");
  if (boot !== undefined && boot > 0) at.invalid("boot", boot, "must be less than 1");
  if (tailLines !== undefined && (tailLines < 0 || tailLines > mostLines))
    at.invalid("tailLines", tailLines, `must be between 0 and ${mostLines}, inclusive`);
  const fault = regexpFault(pattern);
  if (fault !== undefined) at.invalid("pattern", pattern, fault);
  return at.errors.length === 0 ? undefined : refusal(406, at);
}

/** Whether a query has more than a service or a file. */
export const hasOptions = ({ since, until, boot, tailLines, pattern }: NodeLogQuery): boolean =>
  [since, until, boot, tailLines, pattern].some((option) => option !== undefined);

function checkPlaces(query: NodeLogQuery, at: At): void {
  const { services, files } = query;
  for (const service of services) {
    if (new TextEncoder().encode(service).length > longestService)
      at.invalid("query", service, `length must be less than ${longestService}`);
    else if (/[^a-zA-Z\-_.:0-9@]/.test(service))
      at.invalid("query", service, "input contains unsupported characters");
  }
  if (services.length > mostServices) at.tooMany("query", services.length, mostServices);
  if (files.length + services.length === 0) at.required("query", "cannot be empty with options");
  else if (files.length > 0 && services.length > 0)
    at.invalid(
      "query",
      `${shownList(files)}, ${shownList(services)}`,
      "cannot specify a file and service",
    );
  else if (files.length > 1) at.invalid("query", files, "cannot specify more than one file");
  else if (files.length === 1 && hasOptions(query))
    at.invalid("query", files, "cannot specify file with options");
}

const shownList = (list: readonly string[]): string => `[${list.join(" ")}]`;

/** A time as Go's `time.Time` shows itself. */
const shownTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} +0000 UTC`;

function timeOf(text: string): number | string {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const ms = isTime ? Date.parse(text.replace(",", ".")) : Number.NaN;
  return Number.isNaN(ms) ? "invalid time format" : ms;
}

function integerOf(text: string): number | string {
  const fault = (why: string): string => `strconv.Atoi: parsing ${quote(text)}: ${why}`;
  if (!/^[+-]?\d+$/.test(text)) return fault("invalid syntax");
  const value = BigInt(text.replace("+", ""));
  if (BigInt.asIntN(64, value) !== value) return fault("value out of range");
  return Number(value);
}

const refusal = (status: number, { errors }: At): KubeletResponse =>
  httpError(status, aggregateMessage(errors.map(({ field, message }) => `${field}: ${message}`)));

const longestService = 256;
const mostServices = 4;
const mostLines = 100_000;
