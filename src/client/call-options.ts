/** What every call takes. */
export interface CallOptions {
  /** Ends the call with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Labels or fields that must have these values; text for all that selectors can say. */
export type Selector = string | Readonly<Record<string, string>>;

/** Which objects are meant. */
export interface SelectOptions {
  /** Only of this namespace; of all if not given. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: Selector | undefined;
  readonly fieldSelector?: Selector | undefined;
}

export interface GetOptions extends CallOptions {
  /** What is shown may be older than the latest, but not than this; "0": whatever is at hand. */
  readonly resourceVersion?: string | undefined;
}

export interface ListOptions extends CallOptions, SelectOptions {
  /** At most so many; the answer says where it goes on. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export interface WatchOptions extends CallOptions, SelectOptions {
  /** Changes after this version; without it, what is there now comes first. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** Whether the server says now and then how far it has come; true if not given. */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Whether all objects come first, closed by a bookmark. */
  readonly sendInitialEvents?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Whether all is done but the storing. */
  readonly dryRun?: boolean | undefined;
  /** Under which name the server notes who wrote which field. */
  readonly fieldManager?: string | undefined;
  /** What becomes of fields that the server does not know; it warns if not given. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Whether fields are taken from whoever else owns them; if not, that is a conflict. */
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number | undefined;
  /** What becomes of the objects that this one owns. */
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  /** Only if it is still this very object, or this version of it. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly dryRun?: boolean | undefined;
}

/** A selector as it stands in a query. */
export function selectorText(selector: Selector | undefined): string | undefined {
  if (selector === undefined || typeof selector === "string") return selector || undefined;
  const terms = Object.entries(selector).map(([name, value]) => `${name}=${value}`);
  return terms.join(",") || undefined;
}
