/** A regular expression, taken apart. */
export type RegexpNode =
  /** One character of a class in JavaScript's `u` mode. */
  | { readonly kind: "set"; readonly characters: string }
  | { readonly kind: "edge"; readonly at: Edge }
  | { readonly kind: "all" | "any"; readonly of: readonly RegexpNode[] }
  /** `max` of -1 is without end. */
  | {
      readonly kind: "repeat";
      readonly of: RegexpNode;
      readonly min: number;
      readonly max: number;
    };
type Edge = "start" | "end" | "lineStart" | "lineEnd" | "word" | "noWord";

/** One step: to read a character, to pass an edge, to go on in two places, or to have matched. */
interface Step {
  readonly reads?: (code: number) => boolean;
  readonly edge?: Edge;
  /** Where to go on. */
  next: number;
  /** Where to go on, too. */
  other: number;
}
const matched = -1;
const nowhere = -2;

/** Makes a program that follows all ways through an expression at once: in linear time. */
export function compileRegexp(root: RegexpNode): { test(text: string): boolean } {
  const steps: Step[] = [];
  const start = emit(root, matched, steps);
  return { test: (text) => run(steps, start, text) };
}

/** Adds the steps of a node that goes on at `next`; where it begins. */
function emit(node: RegexpNode, next: number, steps: Step[]): number {
  const add = (step: Omit<Step, "other"> & Partial<Step>) =>
    steps.push({ other: nowhere, ...step }) - 1;
  switch (node.kind) {
    case "set":
      return add({ reads: readerOf(node.characters), next });
    case "edge":
      return add({ edge: node.at, next });
    case "all":
      return node.of.reduceRight((then, inner) => emit(inner, then, steps), next);
    case "any":
      return node.of
        .map((inner) => emit(inner, next, steps))
        .reduceRight((other, first) => add({ next: first, other }), nowhere);
    case "repeat":
      return emitRepeat(node, next, steps);
  }
}

function emitRepeat(
  { of, min, max }: RegexpNode & { kind: "repeat" },
  next: number,
  steps: Step[],
): number {
  let begin = next;
  if (max < 0) {
    const loop: Step = { next, other: nowhere };
    begin = steps.push(loop) - 1;
    loop.other = emit(of, begin, steps);
  }
  for (let i = min; i < max; i++) {
    const inner = emit(of, begin, steps);
    begin = steps.push({ next: inner, other: next }) - 1;
  }
  for (let i = 0; i < min; i++) begin = emit(of, begin, steps);
  return begin;
}

const readers = new Map<string, (code: number) => boolean>();
const maxReaders = 1000;

/** Whether a character is in a class; what is asked of ASCII is remembered. */
function readerOf(characters: string): (code: number) => boolean {
  const known = readers.get(characters);
  if (known) return known;
  const regexp = new RegExp(`^${characters}$`, "u");
  const inAscii = Array.from({ length: 128 }, (_, code) => regexp.test(String.fromCharCode(code)));
  const reader = (code: number) => inAscii[code] ?? regexp.test(String.fromCodePoint(code));
  if (readers.size < maxReaders) readers.set(characters, reader);
  return reader;
}

/** Every step is visited at most once for each character. */
function run(steps: readonly Step[], start: number, text: string): boolean {
  const codes = Array.from(text, (char) => char.codePointAt(0) as number);
  const visited = new Int32Array(steps.length).fill(-1);
  let waiting: number[] = [];
  for (let at = 0; at <= codes.length; at++) {
    const reading: number[] = [];
    const open = [...waiting, start];
    for (let i = open.pop(); i !== undefined; i = open.pop()) {
      if (i === matched) return true;
      if (i === nowhere || visited[i] === at) continue;
      visited[i] = at;
      const step = steps[i] as Step;
      if (step.reads) reading.push(i);
      else if (step.edge === undefined || isAt(step.edge, codes[at - 1], codes[at]))
        open.push(step.next, step.other);
    }
    if (at === codes.length) return false;
    waiting = reading
      .filter((i) => steps[i]?.reads?.(codes[at] as number))
      .map((i) => (steps[i] as Step).next);
  }
  return false;
}

const newLine = 10;

function isAt(edge: Edge, before: number | undefined, after: number | undefined): boolean {
  switch (edge) {
    case "start":
      return before === undefined;
    case "end":
      return after === undefined;
    case "lineStart":
      return before === undefined || before === newLine;
    case "lineEnd":
      return after === undefined || after === newLine;
    default:
      return (isWord(before) !== isWord(after)) === (edge === "word");
  }
}

const isWord = (code: number | undefined): boolean =>
  code !== undefined && code < 128 && /\w/.test(String.fromCharCode(code));
