import { execFile } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { connect } from "../../src/kubeconfig/connect.ts";
import { requires, testWith } from "../requires.ts";
import { testDir } from "../support/apiserver.test-support.ts";

const whole = testWith(requires("kubectl"));

/** A kubeconfig with one cluster, user and context, and what is put into them. */
const with1 = (cluster: object, user: object = { token: "t" }): string =>
  JSON.stringify({
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
const server = "https://127.0.0.1:1";
const v1 = "client.authentication.k8s.io/v1";
const exec = (more: object): string => with1({ server }, { exec: more });

/** What is wrong, and what is given to kubectl and to us; DIR is where it stands. */
const faults: readonly (readonly [string, string, string?])[] = [
  ["no YAML", "a: b: c"],
  ["a list for a name", "clusters: [{name: [a]}]"],
  ["a number", "7"],
  ["another kind", "{kind: Pod, apiVersion: v1}"],
  ["bad base64", with1({ server, "certificate-authority-data": "??" })],
  ["a context that is not there", with1({ server }), "no"],
  ["a missing authority", with1({ server, "certificate-authority": "no.crt" })],
  [
    "authority twice",
    with1({ server, "certificate-authority": "f", "certificate-authority-data": "YQ==" }),
  ],
  ["a proxy of no kind", with1({ server, "proxy-url": "ftp://p" })],
  [
    "an authority, and none needed",
    with1({ server, "certificate-authority-data": "YQ==", "insecure-skip-tls-verify": true }),
  ],
  ["an authority that is none", with1({ server, "certificate-authority-data": "YQ==" })],
  ["a certificate without a key", with1({ server }, { "client-certificate-data": "YQ==" })],
  ["missing files", with1({ server }, { "client-certificate": "no.crt", "client-key": "no.key" })],
  ["both ways to log in", with1({ server }, { token: "t", username: "u", password: "p" })],
  ["groups of nobody", with1({ server }, { "as-groups": ["g"] })],
  ["a token file that is missing", with1({ server }, { tokenFile: "no-token" })],
  ["a plugin without a mode", exec({ command: "p", apiVersion: v1 })],
  ["a plugin without anything", exec({})],
  [
    "a plugin with a strange mode",
    exec({ command: "p", apiVersion: v1, interactiveMode: "Maybe" }),
  ],
  [
    "a plugin of another version",
    exec({ command: "p", apiVersion: "v9", interactiveMode: "Never" }),
  ],
  [
    "a nameless variable",
    exec({ command: "p", apiVersion: v1, interactiveMode: "Never", env: [{ value: "x" }] }),
  ],
  [
    "a plugin that needs a person",
    exec({ command: "p", apiVersion: v1, interactiveMode: "Always" }),
  ],
  [
    "a plugin that is not there",
    exec({
      command: "no-such",
      apiVersion: v1,
      interactiveMode: "Never",
      installHint: "get it\u001b[1m!",
    }),
  ],
  ["a plugin that fails", exec({ command: "./fails", apiVersion: v1, interactiveMode: "Never" })],
  [
    "a plugin that gives nothing",
    exec({ command: "./nothing", apiVersion: v1, interactiveMode: "Never" }),
  ],
  [
    "a plugin that gives half",
    exec({ command: "./half", apiVersion: v1, interactiveMode: "Never" }),
  ],
  [
    "a plugin that speaks another version",
    exec({ command: "./older", apiVersion: v1, interactiveMode: "Never" }),
  ],
  ["nobody there", with1({ server, "insecure-skip-tls-verify": true })],
];

const plugins: Readonly<Record<string, string>> = {
  fails: "exit 3",
  nothing: `echo '{"apiVersion":"${v1}","kind":"ExecCredential","status":{}}'`,
  half: `echo '{"apiVersion":"${v1}","kind":"ExecCredential","status":{"clientKeyData":"k"}}'`,
  older: `echo '{"apiVersion":"${v1}beta1","kind":"ExecCredential","status":{"token":"t"}}'`,
};

for (const [what, text, context] of faults)
  whole(`${what}: said as kubectl says it`, async () => {
    const dir = testDir();
    const path = join(dir, "config");
    writeFileSync(path, text);
    writeFileSync(join(dir, "f"), "x");
    for (const [name, script] of Object.entries(plugins)) {
      writeFileSync(join(dir, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(dir, name), 0o755);
    }
    const env = { KUBECONFIG: path, HOME: dir, PATH: process.env.PATH ?? "" };
    const args = ["get", "--raw", "/version", ...(context ? [`--context=${context}`] : [])];
    const [theirs, ours] = await Promise.all([complaint(args, env), said({ env, context })]);
    expect(plain(ours)).toBe(plain(theirs));
  });

async function said(options: {
  readonly env: Readonly<Record<string, string>>;
  readonly context: string | undefined;
}): Promise<string> {
  try {
    const { client, close } = await connect({ ...options, inCluster: false });
    try {
      await client.raw({ method: "GET", path: "/version" });
    } finally {
      close();
    }
    return "nothing";
  } catch (fault) {
    return (fault as Error).message;
  }
}

/** What is said, without how it is introduced and how several faults are listed. */
function plain(text: string): string {
  const bare = text.replace(
    /^(error|Unable to connect to the server|Error in configuration|invalid configuration): /,
    "",
  );
  const listed = bare.replace(/^\n\* /, "").replaceAll("\n* ", ", ");
  const refused = listed.replace(
    /^The connection to the server (\S+) was refused - did you specify the right host or port\?$/,
    "dial tcp $1: connect: connection refused",
  );
  return refused.replace(/^\[(.*)\]$/s, "$1");
}

/** What kubectl says. */
function complaint(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((resolve) => {
    execFile("kubectl", args, { env }, (_, __, stderr) => resolve(stderr.trim()));
  });
}
