import { validatePatchOptions, validateWriteOptions } from "../../api/meta/v1/options.ts";
import { badRequest, invalid, StatusError } from "../../api/meta/v1/status-error.ts";
import { At } from "../../schema/language/report.ts";
import { quote } from "../../schema/values/quote.ts";

/** The parameters of a query, read as Go reads them: the first value of a name, or all of them. */
export class Query {
  readonly #values: URLSearchParams;

  constructor(query: string) {
    this.#values =
      query === ""
        ? nothing
        : new URLSearchParams(/[;%]/.test(query) ? readablePairs(query) : query);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }
  text(name: string): string {
    return this.#values.get(name) ?? "";
  }
  all(name: string): readonly string[] {
    return this.#values.getAll(name);
  }
  /** Absent: undefined. Anything but false and 0 counts as true. */
  flag(name: string): boolean | undefined {
    const value = this.#values.get(name);
    if (value === null) return undefined;
    return !["false", "0"].includes(value.toLowerCase());
  }
  /** Absent: undefined. */
  integer(name: string): number | undefined {
    const value = this.#values.get(name);
    if (value === null) return undefined;
    if (!/^[+-]?\d+$/.test(value))
      throw badRequest(`strconv.ParseInt: parsing ${quote(value)}: invalid syntax`);
    const number = Number(value);
    if (!Number.isSafeInteger(number))
      throw badRequest(`strconv.ParseInt: parsing ${quote(value)}: value out of range`);
    return number;
  }
}

/** Most requests have no parameters. */
const nothing = new URLSearchParams();

/** Options that every write has. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  /** Whether an apply may take fields from other managers. */
  readonly force: boolean;
  /** The options as the client sent them, for admission plugins. */
  readonly given: object;
}

/** The options of a create, update or patch; `kind` names them in the error. */
export function writeOptions(
  query: Query,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  { isApply = false } = {},
): WriteOptions {
  const at = At.root();
  const force = query.flag("force");
  const options = {
    dryRun: query.all("dryRun"),
    fieldManager: query.text("fieldManager"),
    fieldValidation: query.text("fieldValidation"),
  };
  if (kind === "PatchOptions") validatePatchOptions({ ...options, force }, isApply, at);
  else validateWriteOptions(options, at);
  refuse(kind, at);
  return {
    dryRun: options.dryRun.length > 0,
    fieldManager: options.fieldManager,
    force: force ?? false,
    given: {
      ...(options.dryRun.length > 0 && { dryRun: options.dryRun }),
      ...(options.fieldManager !== "" && { fieldManager: options.fieldManager }),
      ...(options.fieldValidation !== "" && { fieldValidation: options.fieldValidation }),
    },
    fieldValidation: (options.fieldValidation || "Warn") as WriteOptions["fieldValidation"],
  };
}

function refuse(kind: string, at: At): void {
  if (at.errors.length > 0)
    throw invalid({ group: "meta.k8s.io", resource: kind, name: "" }, at.errors);
}

/** Options of a list or a watch. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds: number | undefined;
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

export function listOptions(query: Query): ListOptions {
  const options = {
    labelSelector: query.text("labelSelector"),
    fieldSelector: query.text("fieldSelector"),
    watch: query.flag("watch") ?? false,
    allowWatchBookmarks: query.flag("allowWatchBookmarks") ?? false,
    resourceVersion: query.text("resourceVersion"),
    resourceVersionMatch: query.text("resourceVersionMatch") as "",
    timeoutSeconds: query.integer("timeoutSeconds"),
    limit: Math.max(query.integer("limit") ?? 0, 0),
    continue: query.text("continue"),
    sendInitialEvents: query.flag("sendInitialEvents"),
  };
  const at = At.root();
  if (options.watch) checkWatch(options, at);
  else checkList(options, at);
  refuse("ListOptions", at);
  return options;
}

const match = "resourceVersionMatch";

function checkList(options: ListOptions, at: At): void {
  const { resourceVersion: version } = options;
  const wanted: string = options.resourceVersionMatch;
  if (wanted !== "") {
    if (version === "")
      at.forbidden(match, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (options.continue !== "")
      at.forbidden(match, "resourceVersionMatch is forbidden when continue is provided");
    if (wanted !== "Exact" && wanted !== "NotOlderThan")
      at.notSupported(match, wanted, ["Exact", "NotOlderThan", ""]);
    if (wanted === "Exact" && version === "0")
      at.forbidden(match, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  if (options.sendInitialEvents !== undefined)
    at.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
}

function checkWatch(options: ListOptions, at: At): void {
  const wanted: string = options.resourceVersionMatch;
  // Such a watch begins with all objects, and those cannot be paged.
  const isFromStart = options.resourceVersion === "" || options.resourceVersion === "0";
  if (options.sendInitialEvents === undefined && wanted === "" && isFromStart) {
    if (options.continue !== "")
      at.forbidden(match, "resourceVersionMatch is forbidden when continue is provided");
    return;
  }
  if (options.sendInitialEvents !== undefined && wanted !== "NotOlderThan")
    at.forbidden(match, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  if (wanted === "") return;
  if (options.sendInitialEvents === undefined)
    at.forbidden(
      match,
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    );
  if (wanted !== "NotOlderThan") at.notSupported(match, wanted, ["NotOlderThan"]);
  if (options.continue !== "")
    at.forbidden(match, "resourceVersionMatch is forbidden when continue is provided");
}

/** Skips pairs that Go cannot parse, as Go does. */
const readablePairs = (query: string): string =>
  query
    .split("&")
    .filter((pair) => !pair.includes(";") && !/%(?![0-9A-Fa-f]{2})/.test(pair))
    .join("&");

/** A resourceVersion as a number; 0 where there is none. A number beyond 2^53 stays too large for any revision. */
export function parseVersion(text: string): number {
  if (text === "") return 0;
  const isNumber = /^\d+$/.test(text);
  // The number of digits is checked first: parsing a million of them would be slow.
  if (isNumber && /^0*\d{1,20}$/.test(text) && BigInt(text) <= maxVersion) return Number(text);
  const why = isNumber ? "value out of range" : "invalid syntax";
  throw new StatusError(
    "",
    `resourceVersion: Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: ${why}`,
    { code: 500 },
  );
}

/** The same of a list, which is checked before anything is read. */
export function parseListVersion(text: string): number {
  try {
    return parseVersion(text);
  } catch (error) {
    throw badRequest(`invalid resource version: ${(error as StatusError).message}`);
  }
}

const maxVersion = 2n ** 64n - 1n;
