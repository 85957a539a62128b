/** Options of every request. */
export interface CallOptions {
  /** Aborts the request; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A label or field selector: required values by name, or the text form, which allows all operators. */
export type Selector = string | Readonly<Record<string, string>>;

/** Selects the objects of a list, watch or deletion. */
export interface SelectOptions {
  /** Restricts the request to one namespace. Default: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: Selector | undefined;
  readonly fieldSelector?: Selector | undefined;
}

export interface GetOptions extends CallOptions {
  /** The response is at least as new as this version; "0" allows any version in the server's cache. */
  readonly resourceVersion?: string | undefined;
}

export interface ListOptions extends CallOptions, SelectOptions {
  /** The page size; the list has a `continue` token if there are more objects. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export interface WatchOptions extends CallOptions, SelectOptions {
  /** Sends the changes after this version. Default: first the existing objects, then changes. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** Asks the server to send bookmarks. Default: true. */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Sends all existing objects first, followed by a bookmark (a streaming list). */
  readonly sendInitialEvents?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Runs the whole request, validation and admission included, without storing the result. */
  readonly dryRun?: boolean | undefined;
  /** The field manager that is recorded in `managedFields`. */
  readonly fieldManager?: string | undefined;
  /** How the server treats unknown and duplicate fields. Default: the server sends warnings. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes over fields that other managers own; without it, such a field is a conflict. */
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number | undefined;
  /** How objects that this one owns are deleted. */
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  /** Deletes the object only if it still has this uid or resourceVersion. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly dryRun?: boolean | undefined;
}

/** Formats a selector for the query of a request. */
export function selectorText(selector: Selector | undefined): string | undefined {
  if (selector === undefined || typeof selector === "string") return selector || undefined;
  const terms = Object.entries(selector).map(([name, value]) => `${name}=${value}`);
  return terms.join(",") || undefined;
}
