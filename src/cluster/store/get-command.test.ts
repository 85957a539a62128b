import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { wherryProgram } from "../../../test/wherry-program.ts";
import { counted } from "./counted.ts";
import { hexDump } from "./hex-dump.ts";
import {
  configMap,
  newDataDirectory,
  put,
  putText,
  runStore,
  secret,
} from "./store-command.test-support.ts";

const map = "/registry/configmaps/default/m";
const hidden = "/registry/secrets/default/s";
const plain = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } };
const printed = (stdout: string) => ({ code: 0, stdout, stderr: "" });
const refused = (message: string) => ({ code: 1, stdout: "", stderr: `Error: ${message}\n` });

describe("wherry store get", () => {
  test("shows an object as YAML, JSON or a line of a table", async () => {
    const op = put(map, plain);
    const dir = await newDataDirectory([[op]]);
    const get = (...args: readonly string[]) => runStore(["get", "--data-dir", dir, map, ...args]);
    expect(await get()).toEqual(printed("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\n"));
    expect(await get("-o", "json")).toEqual(
      printed(
        '{\n  "kind": "ConfigMap",\n  "apiVersion": "v1",\n  "metadata": {\n    "name": "m"\n  }\n}\n',
      ),
    );
    expect(await get("-o", "table")).toEqual(
      printed(
        `CREATED   REVISION   VERSION   SIZE   KIND           KEY\n2         2          1         ${op.value.length}     ConfigMap.v1   ${map}\n`,
      ),
    );
  });
  test("shows custom objects, which are JSON", async () => {
    const key = "/registry/example.com/things/default/a";
    const dir = await newDataDirectory([
      [putText(key, '{"apiVersion":"example.com/v1","kind":"Thing","spec":{"b":1,"a":2}}')],
    ]);
    expect(await runStore(["get", "--data-dir", dir, key])).toEqual(
      printed("apiVersion: example.com/v1\nkind: Thing\nspec:\n  a: 2\n  b: 1\n"),
    );
  });
  test("--rev shows the object as of a revision", async () => {
    const dir = await newDataDirectory([
      [put(map, configMap({ a: "1" }))],
      [put(map, configMap({ a: "2" }))],
    ]);
    const { stdout } = await runStore(["get", "--data-dir", dir, map, "--rev", "2"]);
    expect(stdout).toContain('data:\n  a: "1"\n');
    expect(await runStore(["get", "--data-dir", dir, map, "--rev", "1"])).toEqual(
      refused(`there is no key ${map} at revision 1: list the keys with "wherry store ls"`),
    );
    expect(await runStore(["get", "--data-dir", dir, map, "--rev", "9"])).toEqual(
      refused("revision 9 is in the future; the current one is 3"),
    );
  });
  test("secrets are redacted unless requested, also in the annotation of kubectl apply", async () => {
    const dir = await newDataDirectory([[put(hidden, secret("hunter2"))]]);
    const { stdout } = await runStore(["get", "--data-dir", dir, hidden]);
    expect(stdout).toBe(`apiVersion: v1
data:
  password: '[redacted, 7 bytes]'
kind: Secret
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '[redacted, 37 bytes]'
    note: mine
  name: s
  namespace: default
type: Opaque
`);
    const shown = await runStore(["get", "--data-dir", dir, hidden, "--show-secrets"]);
    expect(shown.stdout).toContain("password: aHVudGVyMg==\n");
    expect(await runStore(["get", "--data-dir", dir, hidden, "-o", "raw"])).toEqual(
      refused(`${hidden} holds a secret: print it with --show-secrets`),
    );
  });
  test.each([
    ["text", "hello", "it is not a Kubernetes object"],
    ["JSON without a kind", "{}", "it is JSON without a kind"],
    ["an encrypted value", "k8s:enc:aescbc:v1:key1:…", "it is encrypted (k8s:enc:aescbc:v1:key1:)"],
    [
      "protobuf of an unknown kind",
      "k8s\0\n\x0a\n\x04x/v1\x12\x02No",
      "kind No of x/v1 is unknown",
    ],
  ])("the error says why %s cannot be decoded", async (_, text, reason) => {
    const dir = await newDataDirectory([[putText("key", text)]]);
    const size = counted(Buffer.byteLength(text), "byte");
    const shown = {
      ...refused(`key (${size}) cannot be decoded: ${reason}: print its bytes with -o raw`),
      stdout: hexDump(Buffer.from(text)),
    };
    expect(await runStore(["get", "--data-dir", dir, "key"])).toEqual(shown);
    expect(await runStore(["get", "--data-dir", dir, "key", "-o", "json"])).toEqual({
      ...shown,
      stdout: "",
    });
  });
  test("shows no bytes of a value that may be a secret", async () => {
    const key = "/registry/secrets/default/s";
    const dir = await newDataDirectory([[putText(key, "k8s:enc:kms:v2:a:hunter2")]]);
    const { stdout, code } = await runStore(["get", "--data-dir", dir, key]);
    expect([stdout, code]).toEqual(["", 1]);
    const shown = await runStore(["get", "--data-dir", dir, key, "--show-secrets"]);
    expect(shown.stdout).toContain("hunter2");
  });
  test("-o raw prints the bytes as they are stored", async () => {
    const op = put(map, plain);
    const dir = await newDataDirectory([[op]]);
    const args = ["store", "get", "--data-dir", dir, map, "-o", "raw"];
    const { stdout, status } = spawnSync(process.execPath, [wherryProgram(), ...args]);
    expect(status).toBe(0);
    expect(stdout.equals(Buffer.from(op.value))).toBe(true);
  });
});
