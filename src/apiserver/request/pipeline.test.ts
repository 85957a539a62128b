import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../test/each.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { AdmissionPlugin } from "../admission/admission.ts";
import { openServer, send, type TestRequest, toApiRequest } from "../in-process.test-support.ts";
import type { ApiServerOptions } from "../server-options.ts";
import { type PipelineParts, pipeline } from "./pipeline.ts";

/** Names, and only names, can be read of stages that are made of nothing. */
const stages = pipeline({ metrics: {}, verbParts: {} } as unknown as PipelineParts);
const names = stages.map(({ name }) => name);

const architecture = await readFile(new URL("../../../ARCHITECTURE.md", import.meta.url), "utf8");
const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");

/** The first cells of a table in ARCHITECTURE.md, by the title of its first column. */
function printed(column: string): string[] {
  const [, table = ""] = architecture.split(`| ${column} |`);
  const [rows = ""] = table.split("\n\n");
  return Array.from(rows.matchAll(/^\| `([^`]+)` \|/gm), ([, name = ""]) => name);
}

async function open(options: Partial<ApiServerOptions>) {
  const server = await openServer(new VirtualClock(), undefined, options);
  onTestFinished(() => server.close());
  return server;
}

test("pipeline: ARCHITECTURE.md and README.md print the stages as they are", () => {
  expect(printed("stage")).toEqual(names);
  const kinds = stages.map((stage) =>
    "before" in stage ? "before" : "after" in stage ? "after" : "around",
  );
  const printedKinds = architecture.matchAll(/^\| `[^`]+` \| (before|after|around) \|/gm);
  expect(Array.from(printedKinds, ([, kind]) => kind)).toEqual(kinds);
  expect(readme.replaceAll(/\s+/g, " ")).toContain(names.join(" → "));
});

test("pipeline: a request passes all stages in that order, its response those that change it", async () => {
  const seen: string[] = [];
  const server = await open({ observeStage: (stage) => seen.push(stage) });
  const { status } = await send(server, { path: "/api/v1/namespaces/default" });
  expect(status).toBe(200);
  const isAfter = (name: string) => stages.some((stage) => stage.name === name && "after" in stage);
  expect(seen).toEqual([
    ...names.filter((name) => !isAfter(name)),
    ...names.filter(isAfter).toReversed(),
  ]);
});

type End = [what: string, request: TestRequest, status: number, last: string];
const ends: [End, ...End[]] = [
  ["a document", { path: "/version" }, 200, "documents"],
  ["a path that cannot be decoded", { path: "/api/v1/%zz" }, 400, "path"],
  [
    "an invalid token",
    { path: "/version", headers: { authorization: "Bearer x" } },
    401,
    "authenticate",
  ],
  [
    "a caller without rights",
    { path: "/api/v1/secrets", headers: { "impersonate-user": "a" } },
    403,
    "authorize",
  ],
  ["an unknown resource", { path: "/api/v1/unknown" }, 404, "find-kind"],
];
each(ends)(
  "pipeline: %s gets its response at the right stage",
  async (_, request, status, last) => {
    const before: string[] = [];
    const server = await open({ observeStage: (stage) => before.push(stage) });
    const api = toApiRequest(request);
    const response = await server.handle({
      ...api,
      peer: api.headers.authorization ? undefined : api.peer,
    });
    expect(response.status).toBe(status);
    const after = new Set(["audit-id", "flow-headers", "pretty-print", "trace", "metrics"]);
    expect(before.filter((stage) => !after.has(stage)).at(-1)).toBe(last);
  },
);

/** A plugin that rejects services, by their labels, before or after they are validated. */
const rejecting: AdmissionPlugin = {
  name: "Rejecting",
  operations: ["CREATE"],
  resources: ["/services"],
  admit: ({ object }) => reject(object.metadata.labels, "mutate"),
  validate: ({ object }) => reject(object.metadata.labels, "admit"),
};

function reject(labels: Readonly<Record<string, string>> | undefined, step: string): void {
  if (labels?.[step]) throw new StatusError("Forbidden", `rejected by ${step}`);
}

/** A service that the given steps reject. */
function rejectedBy(...steps: string[]): TestRequest {
  const by = (step: string) => steps.includes(step);
  const labels = Object.fromEntries(steps.map((step) => [step, "reject"]));
  const body = JSON.stringify({
    metadata: { name: by("commit") ? "existing" : "new", labels },
    spec: {
      ports: [{ port: 80, ...(by("validate") && { name: "NOT_A_NAME" }) }],
      ...(by("allocate") && { clusterIP: "192.168.7.7" }),
    },
  });
  return {
    method: "POST",
    path: "/api/v1/namespaces/default/services",
    body: by("decode") ? body.slice(1) : body,
    headers: by("authorize") ? { "impersonate-user": "a" } : {},
  };
}

const messages: Readonly<Record<string, string>> = {
  authorize: 'User "a" cannot create resource "services"',
  decode: "couldn't get version/kind",
  mutate: "rejected by mutate",
  allocate: "failed to allocate IP 192.168.7.7",
  validate: "spec.ports[0].name: Invalid value",
  admit: "rejected by admit",
  commit: 'services "existing" already exists',
};
const steps = ["authorize", ...printed("step").filter((step) => step !== "default")];
each(steps.map((step, i): [string, string[]] => [step, steps.slice(i)]) as [[string, string[]]])(
  "verb: %s comes before the printed steps that follow it",
  async (step, all) => {
    const server = await open({ admission: { also: [rejecting] } });
    const create = (request: TestRequest) => send(server, request);
    const { status } = await create({ ...rejectedBy("none"), body: existing });
    expect(status).toBe(201);
    const { text } = await create(rejectedBy(...all));
    expect((JSON.parse(text) as { message: string }).message).toContain(messages[step]);
  },
);
const existing = { metadata: { name: "existing" }, spec: { ports: [{ port: 80 }] } };

test("verb: default comes before mutate, which comes before allocate", async () => {
  const seen: unknown[] = [];
  const show = ({ spec }: { spec?: { type?: string; clusterIP?: string } }) =>
    seen.push([spec?.type, spec?.clusterIP !== undefined]);
  const plugin: AdmissionPlugin = {
    ...rejecting,
    admit: ({ object }) => void show(object as never),
    validate: ({ object }) => void show(object as never),
  };
  const server = await open({ admission: { also: [plugin] } });
  await send(server, { ...rejectedBy(), body: existing });
  expect(seen).toEqual([
    ["ClusterIP", false],
    ["ClusterIP", true],
  ]);
  expect(printed("step").slice(0, 4)).toEqual(["decode", "default", "mutate", "allocate"]);
});
