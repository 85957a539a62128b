import { configMapNamed } from "../apiserver/apiserver-client.ts";
import { stop } from "../apiserver/apiserver-process.ts";
import { verdict } from "../apiserver/apiserver-verdict.ts";
import { contender, measureInTurns, type Operation } from "../apiserver/processor-time.ts";
import {
  type ExtendedServer,
  mergePatch,
  namespace,
  settings,
  startExtended,
  until,
} from "./extension-server.ts";

const group = "bench.example.com";
const custom = `/apis/${group}/v1/namespaces/${namespace}/settings`;
const listed = 500;

/** What custom objects cost the server, as a ratio to config maps of the same content. */
export async function benchCustom(work: string): Promise<void> {
  const server = await startExtended(work);
  await server.send({
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: definition,
  });
  await until(server, { method: "GET", path: custom }, () => true);
  await fill(server);
  console.log("\nprocessor time of the server per operation: config maps, custom objects");
  for (const name of ["create", "get", "list", "merge patch"] as const) {
    const contenders = [settings, custom].map((path) =>
      contender(server.server, operation(name, path), server.connection),
    );
    const [own = Number.NaN, others = Number.NaN] = await measureInTurns(contenders);
    const micros = `${own.toFixed(0)} µs, ${others.toFixed(0)} µs`;
    verdict(`${name}: ${micros}; custom objects`, own / others, { least: 0.8, unit: "×" });
  }
  server.connection.close();
  await stop(server.server);
}

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `settings.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "settings", singular: "setting", kind: "Setting", listKind: "SettingList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              data: { type: "object", additionalProperties: { type: "string" } },
            },
          },
        },
      },
    ],
  },
};

const objectAt = (path: string, name: string): object =>
  path === settings
    ? configMapNamed(name)
    : { ...configMapNamed(name), apiVersion: `${group}/v1`, kind: "Setting" };

async function fill(server: ExtendedServer): Promise<void> {
  for (const path of [settings, custom])
    for (let n = 0; n < listed; n++)
      await server.send({ method: "POST", path, body: objectAt(path, `known-${n}`) });
}

function operation(name: "create" | "get" | "list" | "merge patch", path: string): Operation {
  const at = (n: number) => `${path}/known-${n % listed}`;
  switch (name) {
    case "create":
      return { name, first: (n) => ({ method: "POST", path, body: objectAt(path, `new-${n}`) }) };
    case "get":
      return { name, first: (n) => ({ method: "GET", path: at(n) }) };
    case "list":
      return {
        name,
        workers: 4,
        first: () => ({ method: "GET", path: `${path}?limit=${listed}` }),
      };
    case "merge patch":
      return { name, first: (n) => mergePatch(at(n), { data: { LOG_LEVEL: `level-${n}` } }) };
  }
}
