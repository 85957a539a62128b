/** One system call; begin and end count lines of the trace, which are in the order of time. */
export interface Call {
  readonly name: string;
  /** The file that it is about, with its descriptor: `19</path>`. */
  readonly file: string;
  readonly text: string;
  readonly begin: number;
  readonly end: number;
}

/** Reads what `strace -f -ttt -y` writes; calls of several threads may overlap. */
export function parseTrace(trace: string): Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<string, { text: string; begin: number }>();
  for (const [at, line] of trace.split("\n").entries()) {
    const [, thread = "", rest = ""] = /^(\d+)\s+[\d.]+ (.*)$/s.exec(line) ?? [];
    const begun = /^(.*) <unfinished \.\.\.>$/s.exec(rest);
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest);
    if (begun !== null) {
      unfinished.set(thread, { text: begun[1] ?? "", begin: at });
    } else if (resumed !== null) {
      const { text = "", begin = at } = unfinished.get(thread) ?? {};
      unfinished.delete(thread);
      calls.push(...toCall(`${text}${resumed[1]}`, begin, at));
    } else {
      calls.push(...toCall(rest, at, at));
    }
  }
  return calls;
}

function toCall(text: string, begin: number, end: number): Call[] {
  // What a call opens is in its result.
  const form = text.startsWith("openat") ? /^(\w+)\(.* = (\d+<[^>]*>)$/ : /^(\w+)\((\d+<[^>]*>)/;
  const [, name, file] = form.exec(text) ?? [];
  const succeeded = / = \d+(<[^>]*>)?$/.test(text);
  return name === undefined || file === undefined || !succeeded
    ? []
    : [{ name, file, text, begin, end }];
}

export interface SyncResult {
  readonly acknowledged: number;
  readonly syncs: number;
}

/**
 * Throws unless for every acknowledgement there is this order, each step ended before the next begins:
 * a write of a page with the commit's value, a sync of that file, the write of the page that makes it
 * count (through a descriptor whose writes are synced by themselves), the acknowledgement.
 */
export function checkSyncs(calls: readonly Call[]): SyncResult {
  const data = calls.filter(({ file }) => file.endsWith("/data.mdb>"));
  const syncs = data.filter(({ name }) => name === "fdatasync" || name === "fsync");
  const writes = data.filter(({ name }) => name.includes("write"));
  const opened = data.filter(({ name, text }) => name === "openat" && text.includes("O_DSYNC"));
  const selfSynced = new Set(opened.map(({ file }) => file));
  let acknowledged = 0;
  for (const { text, begin: answer } of calls) {
    for (const [, id] of text.matchAll(/"acknowledged (\d+)\."/g)) {
      const page = writes.find((write) => write.text.includes(`commit ${id}.`));
      if (page === undefined) throw new Error(`no page with commit ${id} was written`);
      const sync = syncs.find((each) => each.file === page.file && each.begin > page.end);
      const synced = sync?.end ?? Infinity;
      const root = writes.find(({ file, begin }) => selfSynced.has(file) && begin > synced);
      if (root === undefined || root.end >= answer) {
        throw new Error(`commit ${id} was acknowledged before it was durable`);
      }
      acknowledged++;
    }
  }
  return { acknowledged, syncs: syncs.length };
}
