/** Characters that are in one of some parts, or in none of them. */
export interface CharacterSet {
  readonly parts: readonly CharacterPart[];
  readonly isNegated: boolean;
}

/** The content of a class in JavaScript's `u` mode, or all that is not in it. */
export interface CharacterPart {
  readonly content: string;
  readonly ignoresCase: boolean;
  readonly isNegated: boolean;
}

/** A regular expression, taken apart. */
export type RegexpNode =
  | ({ readonly kind: "set" } & CharacterSet)
  | { readonly kind: "edge"; readonly at: Edge }
  | { readonly kind: "all" | "any"; readonly of: readonly RegexpNode[] }
  /** `max` of -1 is without end. */
  | {
      readonly kind: "repeat";
      readonly of: RegexpNode;
      readonly min: number;
      readonly max: number;
      /** Whether as few as possible are preferred. */
      readonly isLazy: boolean;
    };
type Edge = "start" | "end" | "lineStart" | "lineEnd" | "word" | "noWord";

/** One step: to read a character, to pass an edge, to go on in two places, or to have matched. */
interface Step {
  readonly reads?: (code: number) => boolean;
  readonly edge?: Edge;
  /** Where to go on. */
  next: number;
  /** Where to go on, too, if that leads to no better match. */
  other: number;
}
const matched = -1;
const nowhere = -2;

/** A part of a text that an expression matches. */
export interface RegexpMatch {
  readonly text: string;
  /** How many characters were read to find it. */
  readonly read: number;
}

/** An expression that can be looked for. */
export interface RegexpProgram {
  test(text: string): boolean;
  /** The matches from left to right, each looked for when it is asked for: none overlap. */
  matches(text: string): Generator<RegexpMatch>;
}

/** Makes a program that follows all ways through an expression at once: in linear time. */
export function compileRegexp(root: RegexpNode): RegexpProgram {
  const steps: Step[] = [];
  const start = emit(root, matched, steps);
  return {
    test: (text) => {
      const codes = Array.from(text, codeOf);
      return search({ steps, start, codes, from: 0, isTest: true }).end >= 0;
    },
    *matches(text) {
      const characters = Array.from(text);
      const codes = characters.map(codeOf);
      let before = -1;
      for (let from = 0; from <= codes.length; ) {
        const { begin, end, read } = search({ steps, start, codes, from });
        if (end < 0) return;
        // Nothing, right after what was found, is no match of its own.
        const isNew = begin < end || begin !== before;
        if (isNew) yield { text: characters.slice(begin, end).join(""), read };
        from = end === from ? from + 1 : end;
        before = end;
      }
    },
  };
}

const codeOf = (character: string): number => character.codePointAt(0) as number;

/** Adds the steps of a node that goes on at `next`; where it begins. */
function emit(node: RegexpNode, next: number, steps: Step[]): number {
  const add = (step: Omit<Step, "other"> & Partial<Step>) =>
    steps.push({ other: nowhere, ...step }) - 1;
  switch (node.kind) {
    case "set":
      return add({ reads: readerOf(node), next });
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
  { of, min, max, isLazy }: RegexpNode & { kind: "repeat" },
  next: number,
  steps: Step[],
): number {
  const either = (inner: number, outer: number): Step =>
    isLazy ? { next: outer, other: inner } : { next: inner, other: outer };
  let begin = next;
  let copies = min;
  if (max < 0) {
    const loop = steps.push({ next, other: nowhere }) - 1;
    const inner = emit(of, loop, steps);
    Object.assign(steps[loop] as Step, either(inner, next));
    begin = inner;
    copies = Math.max(min - 1, 0);
    // What may be nothing is entered once rather than looped over, as Go does: its order differs.
    if (min === 0) begin = mayBeNothing(of) ? steps.push(either(inner, next)) - 1 : loop;
  }
  for (let i = min; i < max; i++) {
    begin = steps.push(either(emit(of, begin, steps), next)) - 1;
  }
  for (let i = 0; i < copies; i++) begin = emit(of, begin, steps);
  return begin;
}

function mayBeNothing(node: RegexpNode): boolean {
  switch (node.kind) {
    case "set":
      return false;
    case "edge":
      return true;
    case "all":
      return node.of.every(mayBeNothing);
    case "any":
      return node.of.some(mayBeNothing);
    case "repeat":
      return node.min === 0 || mayBeNothing(node.of);
  }
}

const readers = new Map<string, (code: number) => boolean>();
const maxReaders = 1000;

/** Whether a character is in a set; what is asked of ASCII is remembered. */
function readerOf({ parts, isNegated }: CharacterSet): (code: number) => boolean {
  const key = JSON.stringify([parts, isNegated]);
  const known = readers.get(key);
  if (known) return known;
  const tests = parts.map((part) => ({
    regexp: new RegExp(`^[${part.content}]$`, part.ignoresCase ? "iu" : "u"),
    without: part.isNegated,
  }));
  const isIn = (code: number): boolean => {
    const character = String.fromCodePoint(code);
    return tests.some(({ regexp, without }) => regexp.test(character) !== without) !== isNegated;
  };
  const inAscii = Array.from({ length: 128 }, (_, code) => isIn(code));
  const reader = (code: number) => inAscii[code] ?? isIn(code);
  if (readers.size < maxReaders) readers.set(key, reader);
  return reader;
}

interface Search {
  readonly steps: readonly Step[];
  readonly start: number;
  readonly codes: readonly number[];
  readonly from: number;
  /** Whether any match will do. */
  readonly isTest?: boolean;
}

/** Where a match begins and ends, -1 if there is none; and how many characters were read. */
interface Found {
  readonly begin: number;
  readonly end: number;
  readonly read: number;
}

/**
 * Looks for the first match; of those that begin there, for the one that the expression prefers. What is
 * waiting is in the order of preference, and every step is visited at most once for each character.
 */
function search({ steps, start, codes, from, isTest = false }: Search): Found {
  const visited = new Int32Array(steps.length).fill(-1);
  const open: number[] = [];
  let [begin, end] = [-1, -1];
  let waiting: Way[] = [];
  for (let at = from; ; at++) {
    const reading: Way[] = [];
    if (end < 0) waiting.push({ step: start, begin: at });
    for (const way of waiting) {
      if (!follow(way, at, reading)) continue;
      [begin, end] = [way.begin, at];
      // What is waiting after it is preferred less.
      break;
    }
    const isFound = end >= 0 && (isTest || reading.length === 0);
    if (isFound || at === codes.length) return { begin, end, read: at - from };
    const code = codes[at] as number;
    waiting = [];
    for (const way of reading) {
      const { reads, next } = steps[way.step] as Step;
      if (reads?.(code)) waiting.push({ step: next, begin: way.begin });
    }
  }

  /** Follows a way to where it reads characters; whether it leads to a match. */
  function follow({ step: first, begin }: Way, at: number, reading: Way[]): boolean {
    open.length = 0;
    for (let i: number | undefined = first; i !== undefined; i = open.pop()) {
      if (i === matched) return true;
      if (i === nowhere || visited[i] === at) continue;
      visited[i] = at;
      const step = steps[i] as Step;
      if (step.reads) reading.push({ step: i, begin });
      else if (step.edge === undefined || isAt(step.edge, codes[at - 1], codes[at]))
        open.push(step.other, step.next);
    }
    return false;
  }
}

/** A way through an expression: where it is, and where its match began. */
interface Way {
  readonly step: number;
  readonly begin: number;
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
