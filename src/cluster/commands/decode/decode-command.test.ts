import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { factsFolder } from "../../../../test/facts.ts";
import { wherryProgram } from "../../../../test/wherry-program.ts";
import { type Format, ObjectReader } from "./decode-objects.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The output for one input, or its error. */
function decode(input: string | Uint8Array, format: Format): string | Uint8Array {
  const reader = new ObjectReader(format);
  const fault = reader.read("in", () => (typeof input === "string" ? bytes(input) : input));
  if (fault !== undefined) return fault;
  const { output, fault: late } = reader.finish();
  return late ?? output;
}

const map =
  '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"10":"x","9":"y"}}';

describe("decode", () => {
  test("converts JSON to protobuf, and protobuf to YAML", () => {
    const protobuf = decode(map, "protobuf") as Uint8Array;
    expect([...protobuf.subarray(0, 4)]).toEqual([0x6b, 0x38, 0x73, 0]);
    expect(decode(protobuf, "yaml")).toBe(
      'apiVersion: v1\ndata:\n  "9": "y"\n  "10": x\nkind: ConfigMap\nmetadata:\n  name: a\n',
    );
  });
  test("prints several documents one after the other", () => {
    const yaml = "kind: A\napiVersion: x.io/v1\n---\nkind: B\napiVersion: x.io/v1\n";
    expect(decode(yaml, "json")).toBe(
      '{\n  "kind": "A",\n  "apiVersion": "x.io/v1"\n}\n{\n  "kind": "B",\n  "apiVersion": "x.io/v1"\n}\n',
    );
    expect(decode(`${map}\n${map}`, "yaml")).toMatch(/^apiVersion(.|\n)*\n---\napiVersion/);
  });
  test.each([
    [
      "truncated JSON",
      '{\n  "kind": "Pod",\n',
      "in: line 3, column 1: unexpected end of JSON input",
    ],
    [
      "a value of a wrong type",
      '{"kind":"ConfigMap","apiVersion":"v1",\n"metadata":{"name":5}}',
      "in: line 2, column 20: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string",
    ],
    [
      "an unknown field",
      '{"kind":"ConfigMap","apiVersion":"v1","dat":{}}',
      'in: line 1, column 1: unknown field "dat"',
    ],
    ["invalid YAML", "a: b: c", "in: yaml: mapping values are not allowed in this context"],
    ["nothing", " \n", "in: line 1: the input is empty"],
    [
      "bytes",
      "a\0b",
      "in: byte 1: neither text nor Kubernetes' protobuf, which begins with k8s\\0",
    ],
    ["a list where an object should be", "[1]", "in: line 1, column 1: expected an object"],
  ])("errors include the position: %s", (_, input, expected) => {
    expect(decode(input, "json")).toBe(expected);
  });
  test("the error for truncated protobuf includes the byte", () => {
    const whole = decode(map, "protobuf") as Uint8Array;
    expect(decode(whole.subarray(0, whole.length - 12), "json")).toMatch(/^in: .* at byte \d+$/);
  });
  test("rejects objects that have no protobuf form", () => {
    expect(decode('{"kind":"Nope","apiVersion":"x.io/v1"}', "protobuf")).toBe(
      "kind Nope of x.io/v1 is unknown",
    );
    expect(decode(`${map}${map}`, "protobuf")).toMatch(
      /^protobuf output holds one object, but there are 2/,
    );
  });
});

describe("decode of golden objects", () => {
  const folder = join(factsFolder, "golden");
  const names = readdirSync(folder).flatMap((file) =>
    file.endsWith(".json") ? [file.slice(0, -5)] : [],
  );

  test.each(names)("%s goes from JSON to protobuf and back unchanged", (name) => {
    const json = readFileSync(join(folder, `${name}.json`));
    const protobuf = readFileSync(join(folder, `${name}.pb`));
    const encoded = decode(json, "protobuf");
    if (typeof encoded === "string") throw new Error(encoded);
    expect(Buffer.from(encoded).equals(protobuf)).toBe(true);
    expect(decode(encoded, "json")).toBe(`${json.toString().trimEnd()}\n`);
    expect(
      Buffer.from(decode(decode(protobuf, "json"), "protobuf") as Uint8Array).equals(protobuf),
    ).toBe(true);
  });

  test("the program prints all of them as JSON, one after the other", () => {
    const files = names.map((name) => join(folder, name));
    expect(wherryDecode("", ...files.map((file) => `${file}.pb`))).toMatchObject({
      code: 0,
      stdout: files.map((file) => `${readFileSync(`${file}.json`, "utf8").trimEnd()}\n`).join(""),
      stderr: "",
    });
  });
});

/** Runs the program with standard input and arguments. */
function wherryDecode(input: string | Uint8Array, ...args: readonly string[]) {
  const command = [wherryProgram(), "decode", ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { input });
  return { code: status, stdout: `${stdout}`, stderr: `${stderr}`, bytes: stdout };
}

describe("wherry decode", () => {
  test("writes protobuf bytes unchanged, and reads them again", () => {
    const { code, stderr, bytes: protobuf } = wherryDecode(map, "-o", "protobuf");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(wherryDecode(protobuf, "-o", "yaml").stdout).toBe(decode(map, "yaml"));
  });
  test("an invalid input exits with code 1, and the others are still printed", () => {
    expect(wherryDecode(map, "/no/such/file", "-")).toMatchObject({
      code: 1,
      stdout: decode(map, "json"),
      stderr: "Error: /no/such/file: there is no such file\n",
    });
  });
  test("several objects as protobuf exit with code 1", () => {
    expect(wherryDecode(`${map}${map}`, "-o", "protobuf")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "Error: protobuf output holds one object, but there are 2: decode them one by one\n",
    });
  });
});
