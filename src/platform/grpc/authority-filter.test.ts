import { expect, test } from "vitest";
import { AuthorityFilter } from "./authority-filter.ts";

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const frame = (type: number, flags: number, payload: readonly number[]): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head[8] = 1;
  return Buffer.concat([head, Buffer.from(payload)]);
};
const literal = (first: number[], value: string): number[] => [
  ...first,
  value.length,
  ...Buffer.from(value),
];
const method = [0x83];
const resized = [0x3f, 0xe1, 0x1f];
const custom = [0x40, 2, 0x78, 0x79, 3, 1, 1, 1];
const url = "http://127.0.0.1:2379";

/** The output for input that comes so many bytes at a time. */
const filtered = (bytes: Buffer, size: number): Buffer => {
  const filter = new AuthorityFilter();
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size)
    out.push(...filter.add(bytes.subarray(at, at + size)));
  return Buffer.concat(out);
};

const headers = (block: readonly number[], flags = 4): Buffer => frame(1, flags, block);
const data = frame(0, 0, [...Buffer.from(`\x41\x03abc${url}`)]);

test.each<[string, Buffer, Buffer]>([
  ["none", headers([...method, ...custom]), headers([...method, ...custom])],
  [
    "a literal that is added to the table",
    headers([...method, ...resized, ...custom, ...literal([0x41], url), ...custom]),
    headers([...method, ...resized, ...custom, ...literal([0x41], "_"), ...custom]),
  ],
  ["a literal that is not added", headers(literal([0x01], url)), headers(literal([0x01], "_"))],
  ["a literal that is never indexed", headers(literal([0x11], url)), headers(literal([0x11], "_"))],
  [
    "a long value",
    headers([0x41, 0x7f, 0x49, ...Buffer.alloc(200, 0x61), ...method]),
    headers([...literal([0x41], "_"), ...method]),
  ],
  ["an empty value", headers(literal([0x41], "")), headers(literal([0x41], ""))],
  [
    "padding and priority",
    headers([3, 0, 0, 0, 0, 7, ...literal([0x41], url), ...literal([0x41], url).slice(0, 3)], 0x2c),
    headers([3, 0, 0, 0, 0, 7, ...literal([0x41], "_"), ...literal([0x41], url).slice(0, 3)], 0x2c),
  ],
  ["a truncated value", headers([0x41, 30, 1, 2]), headers([0x41, 30, 1, 2])],
  ["a truncated name", headers([0x40, 0x7f]), headers([0x40, 0x7f])],
])("AuthorityFilter: %s", (_, given, wanted) => {
  const around = (middle: Buffer) => Buffer.concat([preface, data, middle, data, middle, data]);
  for (const size of [1, 7, 10_000])
    expect(filtered(around(given), size).toString("hex")).toBe(around(wanted).toString("hex"));
});

test("AuthorityFilter: a frame above the limit is not buffered", () => {
  const filter = new AuthorityFilter();
  filter.add(preface);
  const head = headers(new Array(20_000).fill(0)).subarray(0, 12);
  expect(Buffer.concat(filter.add(head))).toEqual(head);
});
