/** A bucket with its sorted items, which are requested one at a time and not kept. */
export interface BoltBucket {
  readonly name: string;
  readonly count: number;
  keyAt(index: number): Uint8Array;
  /** The sizes of keys and values, which are requested more often than their contents. */
  keySizeAt(index: number): number;
  sizeAt(index: number): number;
  valueAt(index: number): Uint8Array;
}

/** A file that is generated while it is read. */
export interface BoltFile {
  readonly bytes: number;
  pages(): Generator<Buffer>;
}

const pageBytes = 4096;
const headBytes = 16;
const flags = { branch: 1, leaf: 2, meta: 4, freelist: 16 } as const;
const isBucket = 1;
/** The first page of content: two meta pages and the freelist come before it. */
const firstPage = 3;

/**
 * A file of bbolt, the database in which etcd keeps its data: B+ trees of pages, one for each bucket
 * and one for the buckets' names, in that order.
 *
 *     meta | meta | free: none | leaves of bucket 1, its branches | … | leaf with the names
 *
 * The first pages say where the last is: so all is planned by the sizes of items, then written.
 */
export function boltFile(buckets: readonly BoltBucket[]): BoltFile {
  const trees: Tree[] = [];
  let next = firstPage;
  const plan = (bucket: BoltBucket, mark: number): number => {
    const tree = planTree(bucket, mark, next);
    next = tree.end;
    trees.push(tree);
    return tree.root;
  };
  const names = [...buckets]
    .map((bucket) => ({ key: Buffer.from(bucket.name), value: uint64s(plan(bucket, 0), 0) }))
    .sort((a, b) => Buffer.compare(a.key, b.key));
  const root = plan(bucketOf("", names), isBucket);
  return {
    bytes: next * pageBytes,
    *pages() {
      for (const id of [0, 1]) yield metaPage(id, { root, high: next });
      yield numbered(page(flags.freelist, []), 2);
      for (const tree of trees) yield* pagesOf(tree);
    },
  };
}

/** A bucket from items in memory. */
export function bucketOf(
  name: string,
  items: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[],
): BoltBucket {
  const at = (index: number) => items[index] ?? { key: nothing, value: nothing };
  return {
    name,
    count: items.length,
    keyAt: (index) => at(index).key,
    keySizeAt: (index) => at(index).key.length,
    sizeAt: (index) => at(index).value.length,
    valueAt: (index) => at(index).value,
  };
}

const nothing = new Uint8Array(0);

interface Item {
  /** The first field of an item: in a leaf whether it is a bucket, in a branch its page. */
  readonly mark: number;
  readonly key: Uint8Array;
  readonly value?: Uint8Array;
}

/** A planned page: its number, and the range of its content in the level below. */
interface Node {
  readonly id: number;
  /** Items of a leaf, or nodes of the level below. */
  readonly start: number;
  readonly end: number;
  /** The first item of the bucket below this node. */
  readonly first: number;
}

interface Tree {
  readonly bucket: BoltBucket;
  readonly mark: number;
  /** Leaves first; the last level has one node, the root. */
  readonly levels: readonly (readonly Node[])[];
  readonly root: number;
  /** The page after the last one. */
  readonly end: number;
}

function planTree(bucket: BoltBucket, mark: number, start: number): Tree {
  let end = start;
  const level = (count: number, least: number, of: (index: number) => Weighed): Node[] =>
    inPages(count, least, (index) => of(index).bytes).map(([from, to, bytes]) => {
      const node = { id: end, start: from, end: to, first: of(from).first };
      end += Math.ceil(bytes / pageBytes);
      return node;
    });
  const keyBytes = (index: number): number => headBytes + bucket.keySizeAt(index);
  let nodes = level(bucket.count, 1, (index) => ({
    bytes: keyBytes(index) + bucket.sizeAt(index),
    first: index,
  }));
  const levels = [nodes];
  while (nodes.length > 1) {
    const below = nodes;
    // A branch has at least two children, otherwise the tree would never end.
    nodes = level(below.length, 2, (index) => {
      const first = below[index]?.first ?? 0;
      return { bytes: keyBytes(first), first };
    });
    levels.push(nodes);
  }
  return { bucket, mark, levels, root: nodes[0]?.id ?? 0, end };
}

interface Weighed {
  readonly bytes: number;
  readonly first: number;
}

/**
 * Distributes items to pages: from, to, bytes. A large item gets pages of its own, and there is at least
 * one page.
 */
function inPages(
  count: number,
  least: number,
  weightOf: (index: number) => number,
): [from: number, to: number, bytes: number][] {
  const pages: [number, number, number][] = [];
  let [from, bytes] = [0, headBytes];
  for (let index = 0; index < count; index++) {
    const weight = weightOf(index);
    if (index - from >= least && bytes + weight > pageBytes) {
      pages.push([from, index, bytes]);
      [from, bytes] = [index, headBytes];
    }
    bytes += weight;
  }
  pages.push([from, count, bytes]);
  return pages;
}

/** Writes the pages of a tree, leaves first. */
function* pagesOf({ bucket, mark, levels }: Tree): Generator<Buffer> {
  for (const [height, nodes] of levels.entries()) {
    for (const { id, start, end } of nodes) {
      const items: Item[] = [];
      for (let index = start; index < end; index++) {
        const below = levels[height - 1]?.[index];
        items.push(
          below
            ? { mark: below.id, key: bucket.keyAt(below.first) }
            : { mark, key: bucket.keyAt(index), value: bucket.valueAt(index) },
        );
      }
      yield numbered(page(height === 0 ? flags.leaf : flags.branch, items), id);
    }
  }
}

function numbered(bytes: Buffer, id: number): Buffer {
  bytes.writeBigUInt64LE(BigInt(id), 0);
  return bytes;
}

/** A page with its items: their headers, then keys and values. */
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
    // The offset of the key, relative to the header.
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
  const bytes = numbered(page(flags.meta, []), id);
  const version = 2;
  for (const [n, word] of [0xed0cdaed, version, pageBytes, 0].entries())
    bytes.writeUInt32LE(word, headBytes + n * 4);
  // Root page and sequence, freelist, page count, transaction id.
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
