import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServer, send, wallClock } from "../../src/apiserver/in-process.test-support.ts";
import type { ApiServer } from "../../src/apiserver/server.ts";
import { selfSigned, signedByAnother } from "../../src/platform/real-network.test-support.ts";
import { realNetwork } from "../../src/platform/real-network.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { each } from "../each.ts";
import { eventually } from "../eventually.ts";

const trusted = selfSigned();
let directory: string;
let child: ChildProcess;
let server: ApiServer;
let port: number;
let distrusted: number;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "wherry-webhooks-"));
  const other = signedByAnother();
  const files = [trusted.cert, trusted.key, other.cert, other.key].map((text, i) => {
    const path = join(directory, `${i}.pem`);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  });
  const program = fileURLToPath(new URL("webhook-program.mjs", import.meta.url));
  child = spawn(process.execPath, [program, ...files], { stdio: ["ignore", "pipe", "inherit"] });
  const [ports] = await once(child.stdout as NonNullable<typeof child.stdout>, "data");
  [port = 0, distrusted = 0] = String(ports).split(" ").map(Number);
  server = await openServer(wallClock, new MemoryStore(wallClock), { network: realNetwork });
  for (const [name, fields] of Object.entries(hooks())) await configure(name, fields);
});

afterAll(() => {
  server?.close();
  child?.kill("SIGKILL");
  rmSync(directory, { recursive: true });
});

interface Hook {
  readonly type: "Mutating" | "Validating";
  readonly url: string;
  readonly failurePolicy?: "Fail" | "Ignore";
}

/** By the label of the objects that they see; `a` and `b` begin the names of two that see the same. */
const hooks = (): Readonly<Record<string, Hook>> => ({
  slow: { type: "Validating", url: `https://127.0.0.1:${port}/slow` },
  "slow-ignored": {
    type: "Validating",
    url: `https://127.0.0.1:${port}/slow`,
    failurePolicy: "Ignore",
  },
  huge: { type: "Validating", url: `https://127.0.0.1:${port}/huge` },
  distrusted: { type: "Validating", url: `https://127.0.0.1:${distrusted}/` },
  invalid: { type: "Mutating", url: `https://127.0.0.1:${port}/invalid`, failurePolicy: "Ignore" },
  "a.turns": { type: "Mutating", url: `https://127.0.0.1:${port}/on` },
  "b.turns": { type: "Mutating", url: `https://127.0.0.1:${port}/off` },
  die: { type: "Validating", url: `https://127.0.0.1:${port}/die` },
});

async function configure(name: string, { type, url, failurePolicy }: Hook): Promise<void> {
  const { status, text } = await send(server, {
    method: "POST",
    path: `/apis/admissionregistration.k8s.io/v1/${type.toLowerCase()}webhookconfigurations`,
    body: {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: `${type}WebhookConfiguration`,
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          timeoutSeconds: url.endsWith("/slow") ? 4 : 30,
          failurePolicy,
          ...(type === "Mutating" && { reinvocationPolicy: "IfNeeded" }),
          clientConfig: { url, caBundle: btoa(trusted.cert) },
          objectSelector: { matchLabels: { seen: name.replace(/^[ab]\./, "") } },
          rules: [
            {
              operations: ["CREATE"],
              apiGroups: [""],
              apiVersions: ["v1"],
              resources: ["configmaps"],
            },
          ],
        },
      ],
    },
  });
  if (status !== 201) throw new Error(text);
}

let created = 0;

/** Creates an object that the webhooks of a label see: its data, or the error. */
async function create(seen: string): Promise<unknown> {
  const { text } = await send(server, {
    method: "POST",
    path: "/api/v1/namespaces/default/configmaps",
    body: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `${seen}-${created++}`, labels: { seen } },
      data: { a: "b" },
    },
  });
  const body = JSON.parse(text);
  return body.kind === "Status" ? body.message : body.data;
}

const failed = (name: string, why: string): string =>
  `Internal error occurred: failed calling webhook "${name}.example.com": failed to call webhook: ${why}`;

test("webhooks of another process that are slow: decided after their timeout, and nobody else waits", async () => {
  const decided: string[] = [];
  const slow = ["slow", "slow-ignored"].map((seen) =>
    create(seen).finally(() => decided.push(seen)),
  );
  // Writes that they do not see go on meanwhile.
  for (let n = 0; n < 3; n++) expect(await create("nothing")).toEqual({ a: "b" });
  expect(decided).toEqual([]);
  const late = `Post "https://127.0.0.1:${port}/slow?timeout=4s": context deadline exceeded`;
  expect(await Promise.all(slow)).toEqual([failed("slow", late), { a: "b" }]);
});

each<[seen: string, expected: () => unknown]>([
  [
    "huge",
    () =>
      failed(
        "huge",
        "unexpected error when reading response body. Please retry. Original error: the response is larger than 16777216 bytes",
      ),
  ],
  [
    "distrusted",
    () =>
      failed(
        "distrusted",
        `Post "https://127.0.0.1:${distrusted}/?timeout=30s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      ),
  ],
  [
    "invalid",
    () =>
      "Internal error occurred: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
  ],
  ["turns", () => ({ a: "b", turn: "off" })],
])("webhooks of another process, %s: the right decision", async (seen, expected) => {
  expect(await create(seen)).toEqual(expected());
});

test("webhooks whose process dies: calls fail at once, and so do those that come later", async () => {
  expect(await create("die")).toBe(
    failed("die", `Post "https://127.0.0.1:${port}/die?timeout=30s": EOF`),
  );
  await eventually(() => expect(child.exitCode).toBe(1));
  expect(await create("turns")).toBe(
    failed(
      "a.turns",
      `Post "https://127.0.0.1:${port}/on?timeout=30s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    ),
  );
  expect(await create("nothing")).toEqual({ a: "b" });
});
