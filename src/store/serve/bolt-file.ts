/** A key with its value. */
export type BoltItem = readonly [key: Uint8Array, value: Uint8Array];

/** A bucket: its items, by their keys in order. */
export interface BoltBucket {
  readonly name: string;
  readonly items: readonly BoltItem[];
}

const pageBytes = 4096;
const headBytes = 16;
const flags = { branch: 1, leaf: 2, meta: 4, freelist: 16 } as const;
const isBucket = 1;
/** The first that is free for content: two of meta data and the list of free pages come before. */
const firstPage = 3;

/**
 * A file of bbolt, the database in which etcd keeps its data: B+ trees of pages, one for each bucket
 * and one for the buckets' names, in that order.
 *
 *     meta | meta | free: none | leaves of bucket 1, its branches | … | leaf with the names
 */
export function boltFile(buckets: readonly BoltBucket[]): Buffer {
  const pages: Buffer[] = [];
  let next = firstPage;
  const add = (page: Buffer): number => {
    const id = next;
    page.writeBigUInt64LE(BigInt(id), 0);
    pages.push(page);
    next += page.length / pageBytes;
    return id;
  };
  const names = [...buckets]
    .map(({ name, items }) => ({
      key: Buffer.from(name),
      root: writeTree(items.map(leafItem), add),
    }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ key, root }): Item => ({ mark: isBucket, key, value: uint64s(root, 0) }));
  const root = writeTree(names, add);
  const freelist = page(flags.freelist, []);
  freelist.writeBigUInt64LE(2n, 0);
  const metas = [0, 1].map((id) => metaPage(id, { root, high: next }));
  return Buffer.concat([...metas, freelist, ...pages]);
}

interface Item {
  /** What is written first of it: of a leaf's item whether it is a bucket, of a branch's its page. */
  readonly mark: number;
  readonly key: Uint8Array;
  readonly value?: Uint8Array;
}

const leafItem = ([key, value]: BoltItem): Item => ({ mark: 0, key, value });

/** Writes the pages of a tree, leaves first; the root's number. */
function writeTree(leaves: readonly Item[], add: (page: Buffer) => number): number {
  let level = inPages(leaves).map((items) => place(items, add(page(flags.leaf, items))));
  while (level.length > 1)
    level = inPages(level).map((items) => place(items, add(page(flags.branch, items))));
  return level[0]?.mark ?? 0;
}

/** A page as what stands above it has it. */
const place = ([first]: readonly Item[], id: number): Item => ({
  mark: id,
  key: first?.key ?? new Uint8Array(0),
});

/** Items page by page; one that is too large has pages of its own, and a tree has one page at least. */
function inPages(items: readonly Item[]): Item[][] {
  const groups: Item[][] = [[]];
  let size = headBytes;
  for (const item of items) {
    const weight = headBytes + item.key.length + (item.value?.length ?? 0);
    const last = groups.at(-1);
    // A branch leads to two pages at least, or the tree would never end.
    const isShort = item.value === undefined ? 2 : 1;
    if (last && (last.length < isShort || size + weight <= pageBytes)) last.push(item);
    else {
      groups.push([item]);
      size = headBytes;
    }
    size += weight;
  }
  return groups;
}

/** A page with its items: their heads, then keys and values. Its number is still to be written. */
function page(flag: number, items: readonly Item[]): Buffer {
  const content = items.reduce(
    (sum, { key, value }) => sum + headBytes + key.length + (value?.length ?? 0),
    headBytes,
  );
  const count = Math.ceil(content / pageBytes);
  const bytes = Buffer.alloc(count * pageBytes);
  bytes.writeUInt16LE(flag, 8);
  bytes.writeUInt16LE(items.length, 10);
  bytes.writeUInt32LE(count - 1, 12);
  let data = headBytes * (items.length + 1);
  for (const [index, { mark, key, value }] of items.entries()) {
    const head = headBytes * (index + 1);
    // Where its key is, seen from here.
    const offset = data - head;
    if (flag === flags.leaf) {
      for (const [n, word] of [mark, offset, key.length, value?.length ?? 0].entries())
        bytes.writeUInt32LE(word, head + n * 4);
    } else {
      bytes.writeUInt32LE(offset, head);
      bytes.writeUInt32LE(key.length, head + 4);
      bytes.writeBigUInt64LE(BigInt(mark), head + 8);
    }
    bytes.set(key, data);
    data += key.length;
    if (value) bytes.set(value, data);
    data += value?.length ?? 0;
  }
  return bytes;
}

function metaPage(
  id: number,
  { root, high }: { readonly root: number; readonly high: number },
): Buffer {
  const bytes = page(flags.meta, []);
  bytes.writeBigUInt64LE(BigInt(id), 0);
  const version = 2;
  for (const [n, word] of [0xed0cdaed, version, pageBytes, 0].entries())
    bytes.writeUInt32LE(word, headBytes + n * 4);
  // The root's page and sequence, the list of free pages, the page after the last, the transaction.
  bytes.set(uint64s(root, 0, 2, high, id), headBytes + 16);
  const end = headBytes + 56;
  bytes.writeBigUInt64LE(fnv64a(bytes.subarray(headBytes, end)), end);
  return bytes;
}

function uint64s(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 8);
  for (const [index, number] of numbers.entries())
    bytes.writeBigUInt64LE(BigInt(number), index * 8);
  return bytes;
}

function fnv64a(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}
