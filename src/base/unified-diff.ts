/**
 * The difference of two texts as `diff -u` shows it, without the names of files: hunks with three
 * lines of context, each line with its end.
 *
 * Equal lines are matched as Python's difflib does it: the longest run of equal lines first,
 * then the same to the left and to the right of it. In long texts, lines that are repeated often do
 * not start a run.
 */
export function unifiedDiff(from: string, to: string): string {
  const a = linesOf(from);
  const b = linesOf(to);
  return hunks(changes(a, b))
    .map((hunk) => writeHunk(hunk, a, b))
    .join("");
}

/** Lines `a[fromA..toA)` become `b[fromB..toB)`; `same` where they are equal. */
interface Change {
  readonly same: boolean;
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}
interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

const context = 3;
/** From this many lines on, lines that make up more than a hundredth of the text are popular. */
const longText = 200;

const linesOf = (text: string): readonly string[] => text.split("\n").map((line) => `${line}\n`);

function changes(a: readonly string[], b: readonly string[]): readonly Change[] {
  const out: Change[] = [];
  let i = 0;
  let j = 0;
  for (const match of matches(a, b)) {
    if (i < match.a || j < match.b)
      out.push({ same: false, fromA: i, toA: match.a, fromB: j, toB: match.b });
    i = match.a + match.size;
    j = match.b + match.size;
    if (match.size > 0) out.push({ same: true, fromA: match.a, toA: i, fromB: match.b, toB: j });
  }
  return out;
}

/** Runs of equal lines in order, neighbours joined; the last one is empty, at the end of both. */
function matches(a: readonly string[], b: readonly string[]): readonly Match[] {
  const places = placesOf(b);
  const found: Match[] = [];
  const search = (fromA: number, toA: number, fromB: number, toB: number): void => {
    const match = longestMatch(a, b, { places, fromA, toA, fromB, toB });
    if (match.size === 0) return;
    if (fromA < match.a && fromB < match.b) search(fromA, match.a, fromB, match.b);
    const last = found.at(-1);
    if (last && last.a + last.size === match.a && last.b + last.size === match.b)
      found[found.length - 1] = { ...last, size: last.size + match.size };
    else found.push(match);
    const endA = match.a + match.size;
    const endB = match.b + match.size;
    if (endA < toA && endB < toB) search(endA, toA, endB, toB);
  };
  search(0, a.length, 0, b.length);
  return [...found, { a: a.length, b: b.length, size: 0 }];
}

function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [i, line] of lines.entries()) {
    const known = places.get(line);
    if (known) known.push(i);
    else places.set(line, [i]);
  }
  if (lines.length < longText) return places;
  const popular = Math.floor(lines.length / 100) + 1;
  return new Map([...places].filter(([, indices]) => indices.length <= popular));
}

interface Window {
  readonly places: ReadonlyMap<string, readonly number[]>;
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  { places, fromA, toA, fromB, toB }: Window,
): Match {
  let best: Match = { a: fromA, b: fromB, size: 0 };
  /** How long the run is that ends with the line before, by its place in b. */
  let runs = new Map<number, number>();
  for (let i = fromA; i < toA; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] as string) ?? []) {
      if (j < fromB) continue;
      if (j >= toB) break;
      const size = (runs.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    runs = next;
  }
  // Popular lines do not start a run, but they lengthen it.
  let { a: startA, b: startB } = best;
  while (startA > fromA && startB > fromB && a[startA - 1] === b[startB - 1]) {
    startA--;
    startB--;
  }
  let endA = best.a + best.size;
  let endB = best.b + best.size;
  while (endA < toA && endB < toB && a[endA] === b[endB]) {
    endA++;
    endB++;
  }
  return { a: startA, b: startB, size: endA - startA };
}

/** Changes with the lines around them; those far from each other apart. */
function hunks(all: readonly Change[]): readonly (readonly Change[])[] {
  const out: Change[][] = [];
  let hunk: Change[] = [];
  for (const [i, change] of all.entries()) {
    if (!change.same) {
      hunk.push(change);
      continue;
    }
    const isFirst = i === 0;
    const isLast = i === all.length - 1;
    if (isLast) hunk.push(head(change));
    else if (isFirst) hunk.push(tail(change));
    else if (change.toA - change.fromA > 2 * context) {
      hunk.push(head(change));
      out.push(hunk);
      hunk = [tail(change)];
    } else hunk.push(change);
  }
  if (hunk.some(({ same }) => !same)) out.push(hunk);
  return out;
}

const head = ({ fromA, toA, fromB, toB }: Change): Change => ({
  same: true,
  fromA,
  toA: Math.min(toA, fromA + context),
  fromB,
  toB: Math.min(toB, fromB + context),
});
const tail = ({ fromA, toA, fromB, toB }: Change): Change => ({
  same: true,
  fromA: Math.max(fromA, toA - context),
  toA,
  fromB: Math.max(fromB, toB - context),
  toB,
});

function writeHunk(hunk: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const first = hunk[0] as Change;
  const last = hunk.at(-1) as Change;
  const lines = hunk.flatMap(({ same, fromA, toA, fromB, toB }) =>
    same
      ? a.slice(fromA, toA).map((line) => ` ${line}`)
      : [
          ...a.slice(fromA, toA).map((line) => `-${line}`),
          ...b.slice(fromB, toB).map((line) => `+${line}`),
        ],
  );
  return `@@ -${range(first.fromA, last.toA)} +${range(first.fromB, last.toB)} @@\n${lines.join("")}`;
}

/** `start,length` counted from one; an empty range names the line before it. */
function range(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return `${from + 1}`;
  return `${length === 0 ? from : from + 1},${length}`;
}
