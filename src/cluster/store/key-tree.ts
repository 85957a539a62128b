import type { Entry, Store } from "../../store/store.ts";
import { everyEntry } from "./every-entry.ts";

/** An item of a folder of keys: a key, or a sub-folder with the number of keys below it. */
export type TreeItem =
  | { readonly entry: Entry }
  | { readonly folder: string; readonly keys: number };

/** The items directly below a prefix, and the key itself if it exists; slashes separate folders. */
export async function listLevel(
  store: Store,
  prefix: string,
  revision: number,
): Promise<TreeItem[]> {
  const items: TreeItem[] = [];
  const folder = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  const own = prefix === "" ? undefined : await store.get(prefix, revision);
  if (own) items.push({ entry: own });
  let limit = firstPage;
  for (let after: string | undefined, more = true; more; ) {
    const page = await store.list(folder, {
      revision,
      limit,
      ...(after !== undefined && { after }),
    });
    more = page.more;
    limit = Math.min(limit * 4, largestPage);
    for (const entry of page.entries) {
      after = entry.key;
      const below = folderOf(entry.key, folder);
      if (below === undefined) {
        if (entry.key !== prefix) items.push({ entry });
        continue;
      }
      // Skip the keys of a folder by starting the next page after its last possible key.
      const known = items.at(-1);
      if (known && "folder" in known && known.folder === below) continue;
      const { remaining } = await store.list(below, { revision, limit: 1 });
      items.push({ folder: below, keys: remaining + 1 });
      after = `${below}${lastCharacter}`;
      limit = firstPage;
      more = true;
      break;
    }
  }
  return items;
}

/** Pages are small when listing folders, because most keys of a page are skipped. */
const firstPage = 8;
const largestPage = 500;

/** All keys below a prefix, and the key itself if it exists. */
export async function listAll(store: Store, prefix: string, revision: number): Promise<TreeItem[]> {
  const items: TreeItem[] = [];
  const folder = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  for await (const entry of everyEntry(store, prefix, revision))
    if (entry.key === prefix || entry.key.startsWith(folder)) items.push({ entry });
  return items;
}

/** The folder directly below another that holds a key; the leading slash of a key does not count. */
function folderOf(key: string, folder: string): string | undefined {
  const start = folder === "" && key.startsWith("/") ? 1 : folder.length;
  const slash = key.indexOf("/", start);
  return slash < 0 ? undefined : key.slice(0, slash + 1);
}

/** The highest code point: hardly any key sorts after it. */
const lastCharacter = "\u{10ffff}";
