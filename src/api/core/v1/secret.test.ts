import { expect, test } from "vitest";
import { applyDefaults } from "../../../schema/language/defaults.ts";
import { At } from "../../../schema/language/report.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { Secret } from "./secret.ts";

for (const recorded of recordedCases("secrets"))
  test(`Secret: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(Secret as never, recorded);
  });

const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");
const secret = (more: Partial<Secret>): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s", namespace: "n" },
  ...more,
});

test("Secret: text is folded into the data, where it wins", () => {
  const object = secret({
    data: { b: base64("old"), c: base64("c") },
    stringData: { b: "ü", a: "1" },
  });
  applyDefaults(Secret.struct, object);
  expect(JSON.stringify(object)).toBe(
    JSON.stringify(
      secret({ data: { a: base64("1"), b: base64("ü"), c: base64("c") }, type: "Opaque" }),
    ),
  );
});

const redacted = 'data[.dockercfg]: Invalid value: "<secret contents redacted>":';
const refused: readonly [type: string, data: Record<string, string>, errors: readonly string[]][] =
  [
    ["Opaque", {}, []],
    ["kubernetes.io/dockercfg", {}, ["data[.dockercfg]: Required value"]],
    ["kubernetes.io/dockercfg", { ".dockercfg": base64("{}") }, []],
    ["kubernetes.io/dockercfg", { ".dockercfg": base64("null") }, []],
    ["kubernetes.io/dockercfg", { ".dockercfg": "" }, [`${redacted} unexpected end of JSON input`]],
    [
      "kubernetes.io/dockercfg",
      { ".dockercfg": base64("[1]") },
      [`${redacted} json: cannot unmarshal array into Go value of type map[string]interface {}`],
    ],
    [
      "kubernetes.io/dockercfg",
      { ".dockercfg": base64("true") },
      [`${redacted} json: cannot unmarshal bool into Go value of type map[string]interface {}`],
    ],
    [
      "kubernetes.io/dockercfg",
      { ".dockercfg": base64(new Uint8Array([0x7b, 0x80])) },
      [`${redacted} invalid character '\\u0080' looking for beginning of object key string`],
    ],
    [
      "kubernetes.io/basic-auth",
      {},
      ["data[username]: Required value", "data[password]: Required value"],
    ],
    ["kubernetes.io/basic-auth", { password: "" }, []],
    ["kubernetes.io/ssh-auth", { "ssh-privatekey": "" }, ["data[ssh-privatekey]: Required value"]],
    ["kubernetes.io/tls", { "tls.crt": "" }, ["data[tls.key]: Required value"]],
    ["my.own/type", {}, []],
  ];

for (const [type, data, errors] of refused)
  test(`Secret: ${type} with ${JSON.stringify(data)}`, () => {
    const at = At.root();
    Secret.validateCreate(secret({ type, data }), at);
    expect(at.errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(errors);
  });

test("Secret: the data takes a megabyte at most", () => {
  const at = At.root();
  Secret.validateCreate(secret({ data: { a: base64(new Uint8Array(1024 * 1024 + 1)) } }), at);
  expect(at.errors).toEqual([
    {
      type: "FieldValueTooLong",
      field: "data",
      message: "Too long: may not be more than 1048576 bytes",
    },
  ]);
});
