import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../test/each.ts";
import { eventually } from "../../../test/eventually.ts";
import { factsFolder, readFact } from "../../../test/facts.ts";
import { maskedEvent } from "../../../test/reference/audit-events.test-support.ts";
import {
  type AuditedRequest,
  auditedRequests,
  auditPolicies,
} from "../../../test/reference/audited-requests.test-support.ts";
import {
  type Identity,
  recordedProgram,
  startServed,
} from "../../../test/reference/reference-server.test-support.ts";
import { ask, TestAuthority, testDir } from "../../../test/support/apiserver.test-support.ts";

interface Audited {
  readonly request: string;
  readonly events: readonly object[];
}

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";

each<[policy: string]>([["metadata"], ["everything"], ["mixed"]])(
  "audit: the events of each request are upstream's, under the policy %s",
  async (policy) => {
    const audited = await auditedUnder(policy);
    const fact = `access/audit-${policy}.json`;
    if (recordedProgram !== undefined) record(fact, audited);
    expect(audited).toEqual(readFact(fact));
  },
);

test("audit: a hundred requests and more are compared", () => {
  expect(auditedRequests.length).toBeGreaterThanOrEqual(100);
});

async function auditedUnder(policy: string): Promise<Audited[]> {
  const dir = testDir();
  const clients = new TestAuthority(dir);
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const log = join(dir, "audit.log");
  const server = await startServed(
    dir,
    clients,
    ...["--audit-policy-file", file("policy.json", JSON.stringify(auditPolicies[policy]))],
    ...["--audit-log-path", log, "--audit-log-mode=blocking-strict"],
    ...["--token-auth-file", file("tokens.csv", 'anns-token,ann,1,"staff"\n')],
  );
  const identities: Readonly<Record<string, Identity>> = {
    administrator: server.admin,
    ann: { headers: { authorization: "Bearer anns-token" } },
    nobody: {},
    liar: { headers: { authorization: "Bearer nonsense" } },
  };
  const agents = new Map(
    Object.keys(identities).map((name) => [name, new Agent({ keepAlive: true })]),
  );
  onTestFinished(() => {
    for (const agent of agents.values()) agent.destroy();
  });
  const send = async ({ request, caller, headers = {}, body }: AuditedRequest, id: string) => {
    const [method = "", path = ""] = request.split(" ");
    const who = caller ?? "administrator";
    const { headers: credentials, ...pair } = identities[who] ?? {};
    const text = typeof body === "string" ? body : body ? JSON.stringify(body) : "";
    const sent = {
      "user-agent": "audited/1",
      ...(body !== undefined && {
        "content-type": "application/json",
        // Node sends it only with methods that usually have a body.
        "content-length": String(Buffer.byteLength(text)),
      }),
      ...{ accept: "application/json", "audit-id": id, ...credentials, ...headers },
    };
    return ask(server, path, { method, agent: agents.get(who), ...pair, headers: sent }, text);
  };
  await allowAnn(send);
  const ids = auditedRequests.map((_, i) => `request-${i}`);
  for (const [i, one] of auditedRequests.entries()) await send(one, ids[i] as string);
  // A response may arrive before its last event is written.
  await send({ request: "GET /api/v1/namespaces/default" }, "last");
  await eventually(async () => expect(readFileSync(log, "utf8")).toContain('"auditID":"last"'));
  const events = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return auditedRequests.map((one, i) => ({
    request: [one.caller, one.request].filter(Boolean).join(": "),
    events: events.filter(({ auditID }) => auditID === ids[i]).map(maskedEvent),
  }));
}

async function allowAnn(
  send: (request: AuditedRequest, id: string) => Promise<{ readonly status: number | undefined }>,
): Promise<void> {
  const role = {
    metadata: { name: "ann" },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "create"] }],
  };
  const binding = {
    metadata: { name: "ann" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "ann" },
    subjects: [{ kind: "User", apiGroup, name: "ann" }],
  };
  for (const [kind, body] of [
    ["clusterroles", role],
    ["clusterrolebindings", binding],
  ] as const) {
    const { status } = await send({ request: `POST ${rbac}/${kind}`, body }, "before");
    expect(status).toBe(201);
  }
}

function record(fact: string, audited: readonly Audited[]): void {
  mkdirSync(join(factsFolder, "access"), { recursive: true });
  const lines = audited.map((one) => JSON.stringify(one));
  writeFileSync(join(factsFolder, fact), `[\n${lines.join(",\n")}\n]\n`);
}
