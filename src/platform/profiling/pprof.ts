import { gzipSync } from "node:zlib";
import {
  field,
  int,
  int64,
  maybe,
  message,
  nested,
  repeated,
  text,
} from "../../base/protobuf-message.ts";

/** A place in the code; the innermost of a stack comes first. */
export interface Frame {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

/** What was measured of one stack, in the order of the profile's types. */
export interface StackSample {
  readonly stack: readonly Frame[];
  readonly values: readonly number[];
}

/** The name of a kind of values and their unit, such as `cpu` in `nanoseconds`. */
export interface ValueKind {
  readonly type: string;
  readonly unit: string;
}

export interface StackProfile {
  readonly types: readonly ValueKind[];
  readonly samples: readonly StackSample[];
  /** What lies between two samples. */
  readonly period: ValueKind & { readonly value: number };
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** A profile in the format of pprof: a compressed message, which `go tool pprof` and others read. */
export const pprofBytes = (profile: StackProfile): Uint8Array => gzipSync(pprofMessage(profile));

function pprofMessage(profile: StackProfile): Uint8Array {
  const strings = new Numbering<string>();
  // The first text is the empty one.
  strings.of("", "");
  const string = (value: string): number => strings.of(value, value) - 1;
  const functions = new Numbering<Frame>();
  const locations = new Numbering<Frame>();
  const kind = ({ type, unit }: ValueKind) => ({ type: string(type), unit: string(unit) });
  const sample = profile.samples.map(({ stack, values }) => ({
    locations: stack.map((frame) =>
      locations.of(`${frame.name}\n${frame.file}\n${frame.line}`, frame),
    ),
    values,
  }));
  const functionOf = (frame: Frame): number => functions.of(`${frame.name}\n${frame.file}`, frame);
  const location = locations.all.map((frame, i) => ({
    id: i + 1,
    lines: [{ function: functionOf(frame), line: frame.line }],
  }));
  return Profile.encode({
    types: profile.types.map(kind),
    samples: sample,
    locations: location,
    functions: functions.all.map(({ name, file }, i) => {
      const called = string(name === "" ? "(anonymous)" : name);
      return { id: i + 1, name: called, systemName: called, file: string(file) };
    }),
    periodType: kind(profile.period),
    period: Math.round(profile.period.value),
    timeNanos: BigInt(Math.round(profile.startedAt)) * 1_000_000n,
    durationNanos: Math.round(profile.durationMs * 1e6),
    // Last, when all texts are known.
    strings: strings.all,
  });
}

/** Numbers distinct things from 1 on. */
class Numbering<T> {
  readonly #numbers = new Map<string, number>();
  readonly all: T[] = [];

  of(key: string, value: T): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.all.push(value));
    return this.all.length;
  }
}

const Kind = message({ type: field(1, int), unit: field(2, int) });
const Sample = message({ locations: repeated(1, int), values: repeated(2, int) });
const Line = message({ function: field(1, int), line: field(2, int) });
const Location = message({ id: field(1, int), lines: repeated(4, nested(Line)) });
const Called = message({
  id: field(1, int),
  name: field(2, int),
  systemName: field(3, int),
  file: field(4, int),
});

/** The message `perftools.profiles.Profile`. */
export const Profile = message({
  types: repeated(1, nested(Kind)),
  samples: repeated(2, nested(Sample)),
  locations: repeated(4, nested(Location)),
  functions: repeated(5, nested(Called)),
  strings: repeated(6, text),
  timeNanos: field(9, int64),
  durationNanos: field(10, int),
  periodType: maybe(11, nested(Kind)),
  period: field(12, int),
});
