import { sortKey } from "./key-order.ts";
import type { Entry } from "./store.ts";
import type { StoreView, ViewPage } from "./transactor.ts";

/** The new entries by key; undefined for deleted keys. */
export type Changes = ReadonlyMap<string, Entry | undefined>;

/** A view with changes on top that form its next revision; older revisions are those of the view. */
export function overlay(below: StoreView, changes: Changes, revision: number): StoreView {
  if (changes.size === 0) return below;
  const isNewest = (asked = 0): boolean => asked === 0 || asked === revision;
  return {
    revision,
    compacted: below.compacted,
    compactedEvents: () => below.compactedEvents(),
    get(key, asked) {
      if (!isNewest(asked)) return below.get(key, asked);
      return changes.has(key) ? changes.get(key) : below.get(key);
    },
    list(prefix, options = {}) {
      if (!isNewest(options.revision)) return below.list(prefix, options);
      const { limit = 0, after } = options;
      const changed = [...changes.keys()].filter(
        (key) => key.startsWith(prefix) && (after === undefined || sortKey(key) > sortKey(after)),
      );
      const gone = changed.filter((key) => below.get(key) !== undefined).length;
      const page = below.list(prefix, {
        ...(after !== undefined && { after }),
        // Reads enough entries to fill the page after changed ones are removed.
        ...(limit > 0 && { limit: limit + gone }),
      });
      const came = changed.flatMap((key) => changes.get(key) ?? []);
      return merged(page, { changes, came, gone, limit });
    },
  };
}

interface Merging {
  readonly changes: Changes;
  readonly came: readonly Entry[];
  /** The number of keys below that were changed. */
  readonly gone: number;
  readonly limit: number;
}

function merged(page: ViewPage, { changes, came, gone, limit }: Merging): ViewPage {
  const total = page.entries.length + page.remaining - gone + came.length;
  const entries = [...page.entries.filter(({ key }) => !changes.has(key)), ...came].sort((a, b) =>
    sortKey(a.key) < sortKey(b.key) ? -1 : 1,
  );
  if (limit > 0) entries.length = Math.min(entries.length, limit);
  return { entries, remaining: total - entries.length };
}
