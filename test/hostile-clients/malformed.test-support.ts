/** A request that is refused, and in which words: all of them, or those before an ellipsis. */
export type Malformed = readonly [
  title: string,
  method: string,
  path: string,
  request: MalformedRequest,
  wanted: string,
];

export interface MalformedRequest {
  /** JSON where there is a body and nothing else is said. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export const configMaps = "/api/v1/namespaces/default/configmaps";

/** Bytes, written as characters of Latin-1. */
export const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

/** Deeper than any stack. */
export const deep = 20_000;
export const nested = `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`;

/** A few lines of YAML that stand for 9^10 values. */
export const yamlBomb = [..."abcdefghij"]
  .map(
    (name, n) =>
      `${name}: &${name} [${new Array(9).fill(n === 0 ? "x" : `*${"abcdefghij"[n - 1]}`)}]`,
  )
  .join("\n");

/** Each copies all that is there into itself: 2^40 times as much in the end. */
export const copies = JSON.stringify([
  { op: "add", path: "/data", value: { a: {} } },
  ...Array.from({ length: 40 }, (_, n) => ({ op: "copy", from: "/data", path: `/data/x${n}` })),
]);
