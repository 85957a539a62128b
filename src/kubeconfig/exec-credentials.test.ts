import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import { selfSigned } from "../platform/real-network.test-support.ts";
import type { Credentials } from "./credentials.ts";
import { parseExecAnswer } from "./exec-credential.ts";
import { execCredentials, withoutEscapes } from "./exec-credentials.ts";
import type { ExecConfig } from "./kubeconfig.ts";

const v1 = "client.authentication.k8s.io/v1";

interface PluginSurroundings {
  readonly clock?: VirtualClock;
  /** What standard input is: a terminal, and read by the command itself. */
  readonly stdin?: { readonly isTerminal: boolean; isUsed: boolean };
}

/** A plugin that runs this script; `count` returns the number of runs. */
function plugin(
  script: string,
  { clock = new VirtualClock(0), stdin, ...config }: ExecConfig & PluginSurroundings = {},
): { readonly credentials: Credentials; count(): number } {
  const dir = mkdtempSync(join(tmpdir(), "wherry-exec-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const runs = join(dir, "runs");
  writeFileSync(runs, "");
  const whole = `require("node:fs").appendFileSync(${JSON.stringify(runs)}, "x");
    const give = (status, apiVersion = "${v1}") =>
      console.log(JSON.stringify({ apiVersion, kind: "ExecCredential", status }));
    ${script}`;
  const credentials = execCredentials(
    {
      command: process.execPath,
      args: ["-e", whole],
      apiVersion: v1,
      interactiveMode: "Never",
      ...config,
    },
    {
      clock,
      env: { PATH: process.env.PATH },
      isTerminal: stdin?.isTerminal ?? false,
      isStdinUsed: () => stdin?.isUsed ?? false,
      cluster: async () => ({ server: "https://c", config: { a: 1 } }),
    },
  );
  return { credentials, count: () => readFileSync(runs, "utf8").length };
}

test("exec plugin: gets the cluster information and its environment", async () => {
  const { credentials } = plugin(
    `give({ token: process.env.KUBERNETES_EXEC_INFO.trim() + process.env.MINE });`,
    { provideClusterInfo: true, env: [{ name: "MINE", value: "+mine" }] },
  );
  expect((await credentials.current()).authorization).toBe(
    `Bearer {"kind":"ExecCredential","apiVersion":"${v1}","spec":{"cluster":{"server":"https://c","config":{"a":1}},"interactive":false}}+mine`,
  );
});

test("exec plugin: gets no cluster information unless it requests it; older versions are supported", async () => {
  const beta = `${v1}beta1`;
  const { credentials } = plugin(
    `give({ token: process.env.KUBERNETES_EXEC_INFO.trim() }, "${beta}");`,
    { apiVersion: beta, interactiveMode: undefined },
  );
  expect((await credentials.current()).authorization).toBe(
    `Bearer {"kind":"ExecCredential","apiVersion":"${beta}","spec":{"interactive":false}}`,
  );
});

const interactive = `give({ token: String(JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec.interactive) });`;
const noPrompt = "getting credentials: exec plugin cannot support interactive mode: ";
const used = "standard input is unavailable: used by stdin resource manifest reader";

const modes: [mode: string, isTerminal: boolean, before: string, after: string][] = [
  ["Never", true, "Bearer false", "Bearer false"],
  ["IfAvailable", false, "Bearer false", "Bearer false"],
  ["IfAvailable", true, "Bearer true", "Bearer false"],
  ["Always", true, "Bearer true", `${noPrompt}${used}`],
  [
    "Always",
    false,
    `${noPrompt}standard input is not a terminal`,
    `${noPrompt}standard input is not a terminal`,
  ],
];

test.each(modes)(
  "exec plugin: %s prompts on a terminal (%s) that is not read",
  async (mode, isTerminal, before, after) => {
    const stdin = { isTerminal, isUsed: false };
    const { credentials } = plugin(interactive, { interactiveMode: mode, stdin });
    const current = () =>
      credentials.current().then(
        ({ authorization }) => authorization,
        (error: Error) => error.message,
      );
    expect(await current()).toBe(before);
    stdin.isUsed = true;
    expect(await current()).toBe(after);
  },
);

test("exec plugin: runs once for all callers, until the credentials expire or are rejected", async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const { credentials, count } = plugin(
    `give({ token: String(process.hrtime.bigint()), expirationTimestamp: "2026-01-01T00:10:00Z" });`,
    { clock },
  );
  const all = await Promise.all(Array.from({ length: 10 }, () => credentials.current()));
  expect([new Set(all).size, count()]).toEqual([1, 1]);
  await clock.advance(599_000);
  const [first] = all;
  expect(await credentials.current()).toBe(first);
  await clock.advance(2_000);
  const second = await credentials.current();
  expect([second === first, count()]).toEqual([false, 2]);
  // The first credentials were replaced already: renewing them runs nothing.
  if (first) expect(await credentials.renew(first)).toBe(true);
  expect(count()).toBe(2);
});

test("exec plugin: runs again after a rejection, and reports unchanged credentials", async () => {
  const { credentials, count } = plugin(`give({ token: "always" });`);
  const identity = await credentials.current();
  expect(await credentials.renew(identity)).toBe(false);
  expect(count()).toBe(2);
});

test("exec plugin: can return a certificate", async () => {
  const { cert, key } = selfSigned();
  const pair = { clientCertificateData: cert, clientKeyData: key };
  const { credentials } = plugin(`give(${JSON.stringify(pair)});`);
  expect(await credentials.current()).toEqual({ cert, key });
  const other = { ...pair, clientKeyData: selfSigned().key };
  await expect(plugin(`give(${JSON.stringify(other)});`).credentials.current()).rejects.toThrow(
    "failed parsing client key/certificate: tls: private key does not match public key",
  );
});

test("exec plugin: errors contain its stderr and never its output", async () => {
  const failing = plugin(
    `console.log("secret-token"); console.error("log in first"); process.exit(4);`,
  );
  const fault = await failing.credentials.current().catch((error: Error) => error.message);
  expect(fault).toBe(
    `getting credentials: exec: executable ${process.execPath} failed with exit code 4: log in first`,
  );
  const garbled = plugin(`console.log("{ secret-token");`);
  const other = await garbled.credentials.current().catch((error: Error) => error.message);
  expect(other).toMatch(/^getting credentials: decoding stdout: /);
  expect(other).not.toContain("secret");
});

const noType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const otherVersion = (version: string) =>
  `exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin returned version ${version}`;

const noCredentials: [output: string, error: string][] = [
  [
    "plain text",
    `decoding stdout: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${noType}`,
  ],
  [
    "[]",
    `decoding stdout: couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${noType}`,
  ],
  [
    "12",
    `decoding stdout: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go value of type ${noType}`,
  ],
  [
    '{"kind":1}',
    "decoding stdout: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
  ],
  ["", otherVersion("client.authentication.k8s.io/__internal")],
  ['{"kind":"ExecCredential"}', otherVersion("client.authentication.k8s.io/__internal")],
  [
    '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"}',
    otherVersion("client.authentication.k8s.io/v1beta1"),
  ],
  [
    '{"kind":"X","apiVersion":"v1"}',
    'decoding stdout: no kind "X" is registered for version "v1" in scheme "k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go:64"',
  ],
  [
    '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":5}}',
    "decoding stdout: json: cannot unmarshal number into Go struct field ExecCredentialStatus.status.token of type string",
  ],
  [
    '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"}',
    "exec plugin didn't return a status field",
  ],
];

test.each(noCredentials)(
  "parseExecAnswer: %j is an error in client-go's words",
  (output, error) => {
    expect(() => parseExecAnswer("client.authentication.k8s.io/v1", output)).toThrow(
      expect.objectContaining({ message: error }),
    );
  },
);

test("exec plugin: the next caller runs a failed plugin again", async () => {
  const { credentials, count } = plugin(`process.exit(1);`);
  await expect(credentials.current()).rejects.toThrow("exit code 1");
  await expect(credentials.current()).rejects.toThrow("exit code 1");
  expect(count()).toBe(2);
});

test("exec plugin: closing the transport kills a plugin that hangs", async () => {
  const { credentials, count } = plugin(`setInterval(() => {}, 1000);`);
  const waiting = expect(credentials.current()).rejects.toThrow("exit code -1");
  while (count() === 0) await new Promise((resolve) => setImmediate(resolve));
  credentials.close?.();
  await waiting;
});

test("exec plugin: an install hint cannot contain escape sequences", () => {
  expect(withoutEscapes("a\u001b[1mb\n\tÄ€\u0007")).toBe("aU+001B[1mb\n\tÄ€U+0007");
});
