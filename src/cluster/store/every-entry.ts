import type { Entry, Store } from "../../store/store.ts";

/** The number of entries per page. */
const pageSize = 500;

/** All entries under a prefix as of one revision, page by page. */
export async function* everyEntry(
  store: Store,
  prefix: string,
  revision = 0,
): AsyncGenerator<Entry> {
  let after: string | undefined;
  let at = revision;
  for (let more = true; more; ) {
    const page = await store.list(prefix, {
      revision: at,
      limit: pageSize,
      ...(after !== undefined && { after }),
    });
    yield* page.entries;
    at = page.revision;
    after = page.entries.at(-1)?.key;
    more = page.more && after !== undefined;
  }
}
