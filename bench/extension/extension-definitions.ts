import { gzipSync } from "node:zlib";
import type { Request } from "../apiserver/apiserver-client.ts";
import { processorMs, stop } from "../apiserver/apiserver-process.ts";
import { median, verdict } from "../apiserver/apiserver-verdict.ts";
import { type ExtendedServer, startExtended } from "./extension-server.ts";

const groups = 50;
const kindsOfGroup = 20;
const inFlight = 16;
const mostSeconds = 60;
const mostMs = 200;
const mostBytes = 1_000_000;
const rounds = 5;

/** How long 1,000 custom kinds take to be served, and how long and large the documents are then that clients read. */
export async function benchDefinitions(work: string): Promise<void> {
  const server = await startExtended(work);
  const { send } = server;
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const count = groups * kindsOfGroup;
  const began = performance.now();
  const usedBefore = processorMs(server.server);
  const create = async (first: number): Promise<void> => {
    for (let n = first; n < count; n += inFlight)
      await send({ method: "POST", path, body: definition(n) });
  };
  await Promise.all(Array.from({ length: inFlight }, (_, n) => create(n)));
  const created = (performance.now() - began) / 1000;
  while ((await servedKinds(server)) < count) {
    if (performance.now() - began > 3 * mostSeconds * 1000)
      throw new Error("not all kinds are served");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const seconds = (performance.now() - began) / 1000;
  const used = (processorMs(server.server) - usedBefore) / 1000;
  console.log(
    `\n${count} custom kinds: created after ${created.toFixed(1)} s, served after ${seconds.toFixed(1)} s, ${used.toFixed(1)} s of processor`,
  );
  verdict(`${count} custom kinds are served`, seconds, { most: mostSeconds, unit: "s" });
  await measure(server, "discovery", { method: "GET", path: "/apis", accept: aggregated });
  await measure(server, "OpenAPI v3, the index", { method: "GET", path: "/openapi/v3" });
  const group = { method: "GET", path: `/openapi/v3/apis/${groupOf(0)}/v1` };
  await measure(server, `OpenAPI v3 of a group of ${kindsOfGroup} kinds`, group);
  await measure(server, "OpenAPI v2", { method: "GET", path: "/openapi/v2" });
  server.connection.close();
  await stop(server.server);
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

async function servedKinds({ send }: ExtendedServer): Promise<number> {
  const body = await send({ method: "GET", path: "/apis", accept: aggregated });
  const { items } = JSON.parse(body.toString()) as {
    items: { metadata: { name: string }; versions: { resources: unknown[] }[] }[];
  };
  return items
    .filter(({ metadata }) => metadata.name.endsWith(".bench.example.com"))
    .flatMap(({ versions }) => versions.flatMap(({ resources }) => resources)).length;
}

/** The first response may be made for it; later ones are what clients mostly wait for. */
async function measure({ send }: ExtendedServer, what: string, request: Request): Promise<void> {
  const times: number[] = [];
  let body: Buffer = Buffer.alloc(0);
  for (let n = 0; n <= rounds; n++) {
    const before = performance.now();
    body = await send(request);
    times.push(performance.now() - before);
  }
  const [first = Number.NaN, ...later] = times;
  const packed = gzipSync(body).length;
  console.log(
    `${what}: first ${first.toFixed(0)} ms, then ${median(later).toFixed(0)} ms; ${body.length.toLocaleString("en")} bytes, ${packed.toLocaleString("en")} compressed`,
  );
  verdict(`${what}, the first time`, first, { most: mostMs, unit: "ms" });
  // Clients accept compressed responses.
  verdict(`${what}, compressed`, packed, { most: mostBytes, unit: "bytes" });
}

const groupOf = (n: number): string => `g${n % groups}.bench.example.com`;

/** A kind with the size of a typical operator's: some nested objects, lists, bounds and descriptions. */
function definition(n: number): object {
  const group = groupOf(n);
  const plural = `widget${n}s`;
  const text = (about: string) => ({ type: "string", description: `Describes ${about}.` });
  const part = {
    type: "object",
    properties: {
      name: { ...text("the part"), maxLength: 63 },
      size: { type: "integer", minimum: 0, maximum: 100, description: "How large it is." },
      labels: { type: "object", additionalProperties: { type: "string" } },
      mode: { type: "string", enum: ["Auto", "Manual", "Off"] },
      timeout: text("when it is given up"),
    },
    required: ["name"],
  };
  const condition = {
    type: "object",
    properties: Object.fromEntries(
      ["type", "status", "reason", "message", "lastTransitionTime"].map((name) => [
        name,
        text(name),
      ]),
    ),
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: `widget${n}`, kind: `Widget${n}`, listKind: `Widget${n}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: "A widget.",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    replicas: { type: "integer", format: "int32", default: 1 },
                    template: part,
                    parts: { type: "array", items: part, maxItems: 16 },
                    paused: { type: "boolean" },
                  },
                },
                status: {
                  type: "object",
                  properties: {
                    observedGeneration: { type: "integer", format: "int64" },
                    conditions: { type: "array", items: condition },
                  },
                },
              },
            },
          },
        },
      ],
    },
  };
}
