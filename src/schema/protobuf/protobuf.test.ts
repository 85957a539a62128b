import { expect, test } from "vitest";
import { WireError } from "../../base/protobuf-wire.ts";
import { SeededRandom } from "../../base/random.ts";
import { decodeJson } from "../json/decode.ts";
import { inline, string } from "../language/field.ts";
import { struct } from "../language/struct.ts";
import { emptyThing, Thing, Tree } from "../language/thing.test-support.ts";
import { encodeProtobuf } from "./protobuf.ts";
import { decodeProtobuf } from "./protobuf-decode.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const bytes = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));
const thing = (fields: object) => decodeJson(Thing, JSON.stringify(fields)).value;

/** What Go writes for a thing of which nothing is given. */
const zeros = "0a00 1000 1800 2000 29 0000000000000000 a201020a00 aa01040a001000 ba0100".replaceAll(
  " ",
  "",
);

test("encodeProtobuf: values that are no pointers are always there", () => {
  expect(hex(encodeProtobuf(Thing, thing({})))).toEqual(zeros);
});

const full = {
  text: "é",
  on: true,
  small: -1,
  large: 9007199254740991,
  ratio: -1.5,
  data: "AAEC",
  at: "1969-12-31T23:59:59Z",
  exactly: "2026-01-01T00:00:00.000001Z",
  wait: "-1.5s",
  memory: "1500m",
  port: "http",
  any: { a: [1, null] },
  fields: { "f:a": {} },
  part: { name: "", size: 3, labels: { b: "1", a: "2" } },
  parts: [{ name: "x" }, { name: "y" }],
  words: ["", "a"],
  counts: [0, -5],
  limits: { cpu: "1", "10": "2" },
  byName: { k: { name: "n" } },
  path: "p",
  depth: 0,
  held: { name: "h" },
  count: 0,
  title: "t",
  none: "n",
  flags: { __proto__x: "1" },
};

test("decodeProtobuf: what was written is read, field by field", () => {
  for (const [name, value] of Object.entries(full)) {
    const written = thing({ [name]: value });
    expect(decodeProtobuf(Thing, encodeProtobuf(Thing, written))).toEqual(written);
  }
  const all = thing(full);
  const read = decodeProtobuf(Thing, encodeProtobuf(Thing, all));
  expect(JSON.stringify(read)).toEqual(JSON.stringify(all));
});

test.each([
  ["inline fields are nested", { path: "p", depth: 7 }, "a201050a01701007"],
  [
    "maps are in order of their keys",
    { flags: { b: "1", "10": "2" } },
    "ca01070a02313012 0132 ca01060a0162120131",
  ],
  ["numbers of ports", { port: 80 }, "5a0608001050 1a00"],
  ["names of ports", { port: "a" }, "5a0708011000 1a0161"],
  ["times", { at: "1970-01-01T00:00:01Z" }, "3a0408011000"],
  ["negative numbers", { small: -1 }, "18ffffffffffffffffff01"],
] as const)("encodeProtobuf: %s", (_, fields, wanted) => {
  expect(hex(encodeProtobuf(Thing, thing(fields)))).toContain(wanted.replaceAll(" ", ""));
});

test.each([
  ["nothing", "", {}],
  ["unknown fields of every wire type", "f80701 f107 0000000000000000 fa0701ff fd0700000000", {}],
  ["the last of repeated scalars", "0a0161 0a0162", { text: "b" }],
  ["an empty time", "3a00", { at: null }],
  ["a struct in parts of a list", "7a030a0161 7a00", { parts: [{ name: "a" }, { name: "" }] }],
  ["a key without a value", "ca01030a0161", { flags: { a: "" } }],
  ["a value without a key", "ca0103120161", { flags: { "": "a" } }],
  [
    "__proto__ as a key",
    "ca010e0a095f5f70726f746f5f5f120161",
    JSON.parse('{"flags":{"__proto__":"a"}}'),
  ],
  ["integers cut to 32 bits", "1885808080 10", { small: 5 }],
  ["bytes that are not UTF-8", "0a02ffc3", { text: "\ufffd\ufffd" }],
] as const)("decodeProtobuf: %s", (_, text, wanted) => {
  expect(decodeProtobuf(Thing, bytes(text))).toEqual({ ...emptyThing, ...wanted });
});

test.each([
  ["a tag that breaks off", "8a"],
  ["a length that breaks off", "0a"],
  ["a length beyond the end", "0a05 61"],
  ["a length beyond all bounds", "0affffffffffffffff7f"],
  ["a negative length", "0affffffffffffffffff01"],
  ["a varint without end", "10ffffffffffffffffffffff"],
  ["an integer beyond 2^53", "2080808080808080 20"],
  ["a double that breaks off", "29 000000"],
  ["a wrong wire type", "0801"],
  ["an illegal wire type", "0f"],
  ["a group", "0b0c"],
  ["a message that ends in its field", "72040a0561"],
  ["a map entry that ends in its key", "ca01030a0561"],
  ["an inline message that is a number", "a00105"],
  ["a duration that is text", "4a030a0178"],
  ["a quantity that is none", "52030a0178"],
  ["a quantity that is a number", "52020801 "],
  ["a time far away", "3a0a08ffffffffffffff0f"],
  ["a time with too many nanoseconds", "3a0710ffffffff0f"],
  ["free-form text that is no JSON", "62030a017b"],
  [
    "free-form text with a number that cannot be kept",
    "62130a1139303037313939323534373430393933 39",
  ],
  ["a tag beyond all bounds", "ffffffffffffffff7f"],
])("decodeProtobuf: %s is a WireError or nothing", (_, text) => {
  let fault: unknown;
  try {
    decodeProtobuf(Thing, bytes(text));
  } catch (error) {
    fault = error;
  }
  expect(fault).toBeInstanceOf(WireError);
});

test("decodeProtobuf: bytes cut off anywhere are a WireError or a smaller thing", () => {
  const whole = encodeProtobuf(Thing, thing(full));
  for (let end = 0; end < whole.length; end++)
    expect(outcome(whole.subarray(0, end))).toMatch(/^(read|WireError)$/);
});

test("decodeProtobuf: bytes changed anywhere are read or refused, and nothing else", () => {
  const random = new SeededRandom(7);
  const whole = encodeProtobuf(Thing, thing(full));
  const seen = new Set<string>();
  for (let n = 0; n < 5000; n++) {
    const changed = whole.slice();
    for (let i = 0; i < 1 + (n % 3); i++)
      changed[Math.floor(random.next() * whole.length)] = Math.floor(random.next() * 256);
    seen.add(outcome(changed));
  }
  expect([...seen].sort()).toEqual(["WireError", "read"]);
});

test("decodeProtobuf: a message in a message in a message ends in time", () => {
  let nested = new Uint8Array();
  for (let depth = 0; depth < 20_000; depth++) {
    const length: number[] = [];
    for (let rest = nested.length; ; rest >>>= 7) {
      length.push(rest >= 0x80 ? (rest & 0x7f) | 0x80 : rest);
      if (rest < 0x80) break;
    }
    const next = new Uint8Array(1 + length.length + nested.length);
    next.set([0x12, ...length]);
    next.set(nested, 1 + length.length);
    nested = next;
  }
  expect(() => decodeProtobuf(Tree, nested)).toThrow(WireError);
});

/** What comes of reading bytes, and of writing what was read. */
function outcome(changed: Uint8Array): string {
  try {
    encodeProtobuf(Thing, decodeProtobuf(Thing, changed));
    return "read";
  } catch (error) {
    return (error as Error).name;
  }
}

test("protobuf: inline fields of inline fields are nested twice", () => {
  const Inner = struct("test.v1.Inner", { a: string(1) });
  const Middle = struct("test.v1.Middle", { b: string(1), ...inline(2, Inner) });
  const Outer = struct("test.v1.Outer", { ...inline(3, Middle) });
  const written = encodeProtobuf(Outer, { a: "x", b: "y" });
  expect(hex(written)).toEqual("1a080a017912030a0178");
  expect(decodeProtobuf(Outer, written)).toEqual({ a: "x", b: "y" });
});
