import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { send } from "../../apiserver/in-process.test-support.ts";
import { start } from "../commands/apiserver/apiserver.ts";
import { startOptions } from "../commands/apiserver/apiserver-options.ts";
import { givenFlags } from "../commands/apiserver/flags/given-flags.test-support.ts";

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  verbs: [create]
`;

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "auditing-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, "policy.yaml"), policy);
  return dir;
}

const startWith = async (dir: string, args: readonly string[]) =>
  start(
    await startOptions(
      givenFlags([
        "--data-dir",
        join(dir, "data"),
        "--secure-port=0",
        "--bind-address=127.0.0.1",
        `--audit-policy-file=${join(dir, "policy.yaml")}`,
        ...args,
      ]),
    ),
  );

const namespace = (name: string) => ({
  method: "POST",
  path: "/api/v1/namespaces",
  body: { metadata: { name } },
});

test("wherry apiserver: audit events are in the log and at the webhook when the server has stopped", async () => {
  const dir = await folder();
  const bodies: string[] = [];
  const hook = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(`${request.method} ${request.url} ${body}`);
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void hook.close());
  const { port } = hook.address() as AddressInfo;
  const kubeconfig = {
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}/audit` } }],
    contexts: [{ name: "c", context: { cluster: "c" } }],
    "current-context": "c",
  };
  await writeFile(join(dir, "hook.yaml"), JSON.stringify(kubeconfig));
  const server = await startWith(dir, [
    `--audit-log-path=${join(dir, "logs", "audit.log")}`,
    "--audit-log-mode=blocking-strict",
    `--audit-webhook-config-file=${join(dir, "hook.yaml")}`,
  ]);
  for (const name of ["a", "b"]) {
    const { status } = await send(server.core, namespace(name));
    expect(status).toBe(201);
  }
  const logged = await readFile(join(dir, "logs", "audit.log"), "utf8");
  await server.close();
  const events = logged
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Named);
  expect(events.map(({ objectRef }) => objectRef.name)).toEqual(["a", "b"]);
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).toMatch(/^POST \/audit /);
  const { items } = JSON.parse(bodies[0]?.slice("POST /audit ".length) ?? "") as {
    items: Named[];
  };
  expect(items.map(({ objectRef }) => objectRef.name)).toEqual(["a", "b"]);
});

interface Named {
  readonly objectRef: { readonly name: string };
}

test("wherry apiserver: in blocking-strict mode a request fails whose event cannot be written", async () => {
  const dir = await folder();
  await writeFile(join(dir, "policy.yaml"), policy.replace("[RequestReceived]", "[Panic]"));
  const server = await startWith(dir, [
    "--audit-log-path=/dev/full",
    "--audit-log-maxsize=0",
    "--audit-log-mode=blocking-strict",
  ]);
  const { status, text } = await send(server.core, namespace("a"));
  expect([status, text]).toEqual([
    500,
    'Internal Server Error: "/api/v1/namespaces": failed to store audit event\n',
  ]);
  const { text: metrics } = await send(server.core, { path: "/metrics" });
  expect(metrics).toContain('apiserver_audit_error_total{plugin="log"} 1');
  expect(metrics).toContain("apiserver_audit_requests_rejected_total 1");
  await server.close();
});

const problems: [args: string[], problem: string][] = [
  [
    ["--audit-log-mode=x"],
    'invalid audit log mode x, allowed modes are "batch,blocking,blocking-strict"',
  ],
  [
    ["--audit-log-mode=batch", "--audit-log-batch-buffer-size=0"],
    "invalid audit batch log buffer size 0, must be a positive number",
  ],
  [["--audit-log-maxage=-1"], "--audit-log-maxage -1 can't be a negative number"],
  [["--audit-log-format=xml"], 'invalid audit log format xml, allowed formats are "legacy,json"'],
  [
    ["--audit-log-truncate-max-event-size=0"],
    "invalid audit truncate log max event size 0, must be a positive number",
  ],
  [
    ["--audit-webhook-config-file=x", "--audit-webhook-batch-throttle-qps=0"],
    "invalid audit batch webhook throttle QPS 0, must be a positive number",
  ],
];
test.each(problems)("wherry apiserver: %j is rejected", async (args, problem) => {
  await expect(startOptions(givenFlags(["--audit-log-path=-", ...args]))).rejects.toThrow(problem);
});
