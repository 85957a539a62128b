// Compares what two servers make of custom resources, such as those that projects publish:
// npm run compare-servers -- --kubeconfig FILE --reference FILE [--objects N] [--mutations N] FOLDER…
import { runnerArguments, Tally } from "./arguments.ts";
import { difference } from "./difference.ts";
import {
  type Definition,
  type Manifests,
  readManifests,
  type Version,
} from "./servers/manifests.ts";
import { mutations, sampleOf } from "./servers/mutations.ts";
import {
  collectionPath,
  type NamedStep,
  namespace,
  objectRequests,
} from "./servers/object-requests.ts";
import { sampleObjects } from "./servers/sample-object.ts";
import { TwoServers } from "./servers/two-servers.ts";
import { compareStable, isMembers, type Members, pick, sleep } from "./values.ts";

const { kubeconfig, grep, quiet, values, folders } = runnerArguments("compare-servers", {
  reference: { type: "string" },
  objects: { type: "string" },
  mutations: { type: "string" },
});
const reference = values.reference;
if (typeof reference !== "string")
  throw new Error("--reference is required: the kubeconfig of the other server");
const objectLimit = Number(values.objects ?? 6);
const mutationLimit = Number(values.mutations ?? 60);
const commonFields = ["apiVersion", "kind", "metadata"];
const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const servers = new TwoServers(reference, kubeconfig);
const tally = new Tally();
await servers.both({
  method: "POST",
  path: "/api/v1/namespaces",
  body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
});
for (const folder of folders)
  await compareFolder(folder.split("/").findLast(Boolean) ?? folder, readManifests(folder));
servers.close();
tally.finish();

async function compareFolder(family: string, manifests: Manifests): Promise<void> {
  const definitions = manifests.definitions.filter(({ metadata }) => grep.test(metadata.name));
  for (const definition of definitions) await compareChanges(family, definition);
  for (const definition of definitions)
    await compare(family, {
      name: `create ${definition.metadata.name}`,
      method: "POST",
      path: definitionsPath,
      body: definition,
    });
  for (const definition of definitions) await established(definition);
  // A server delays the first object of a definition that was established just now.
  await sleep(3000);
  for (const definition of definitions) {
    await compare(family, {
      name: `get ${definition.metadata.name}`,
      method: "GET",
      path: `${definitionsPath}/${definition.metadata.name}`,
    });
    for (const version of definition.spec.versions)
      if (version.served) await compareVersion(family, definition, version, manifests.objects);
  }
  await compareDocuments(family, definitions);
  for (const { metadata } of definitions) {
    const path = `${definitionsPath}/${metadata.name}`;
    await servers.both({ method: "DELETE", path });
    await servers.until({ method: "GET", path }, ({ status }) => status === 404);
  }
}

/** Changed definitions, which are mostly invalid. */
async function compareChanges(family: string, definition: Definition): Promise<void> {
  for (const { what, object } of sampleOf(mutations(definition), mutationLimit))
    await compare(family, {
      name: `${definition.metadata.name} with ${what}`,
      method: "POST",
      path: `${definitionsPath}?dryRun=All&fieldValidation=Strict`,
      body: object,
    });
}

async function established({ metadata }: Definition): Promise<void> {
  const path = `${definitionsPath}/${metadata.name}`;
  await servers.until(
    { method: "GET", path },
    ({ status, body }) =>
      status === 404 ||
      pick(body, "status.conditions[type=Established].status") === "True" ||
      pick(body, "status.conditions[type=NamesAccepted].status") === "False",
  );
}

async function compareVersion(
  family: string,
  definition: Definition,
  version: Version,
  objects: readonly Members[],
): Promise<void> {
  const { group, names } = definition.spec;
  const apiVersion = `${group}/${version.name}`;
  const own = objects.filter(
    (object) => object.apiVersion === apiVersion && object.kind === names.kind,
  );
  const title = `${names.plural}.${apiVersion}`;
  for (const object of [...sampleObjects(definition, version), ...own.slice(0, objectLimit)]) {
    const of = `${title} ${pick(object, "metadata.name")}`;
    for (const step of objectRequests(definition, version, object, mutationLimit))
      await compare(family, { ...step, name: `${of}: ${step.name}` });
  }
  await compare(family, {
    name: `${title}: list`,
    method: "GET",
    path: collectionPath(definition, version.name),
  });
}

/** Discovery and OpenAPI of the groups. */
async function compareDocuments(family: string, definitions: readonly Definition[]): Promise<void> {
  const groups = new Set(definitions.map(({ spec }) => spec.group));
  const versions = new Set(
    definitions.flatMap(({ spec }) => spec.versions.map(({ name }) => `${spec.group}/${name}`)),
  );
  // The controllers that write the documents run after the definitions are established.
  await sleep(5000);
  for (const group of groups)
    await compare(family, { name: `discovery of ${group}`, method: "GET", path: `/apis/${group}` });
  for (const version of versions) {
    const discovery = { name: `discovery of ${version}`, method: "GET", path: `/apis/${version}` };
    await compareParts(family, discovery, byName);
    await compareSchemas(family, `OpenAPI v3 of ${version}`, `/openapi/v3/apis/${version}`, groups);
  }
  await compareSchemas(family, `OpenAPI v2 of ${[...groups]}`, "/openapi/v2", groups);
}

/** Compares the parts of a document that come from definitions; other descriptions are each server's own. */
async function compareSchemas(
  family: string,
  name: string,
  path: string,
  groups: ReadonlySet<string>,
): Promise<void> {
  await compareParts(family, { name, method: "GET", path }, (body) => ({
    schemas: ownSchemas(pick(body, "components.schemas") ?? pick(body, "definitions"), groups),
    paths: ownPaths(pick(body, "paths"), groups),
  }));
}

async function compareParts(
  family: string,
  step: NamedStep,
  part: (body: unknown) => unknown,
): Promise<void> {
  const [expected, now] = await servers.both(step);
  count(family, step.name, difference(part(expected.body), part(now.body)));
}

function ownSchemas(schemas: unknown, groups: ReadonlySet<string>): unknown {
  const own = filtered(schemas, (_, schema) => {
    const kinds = pick(schema, "x-kubernetes-group-version-kind");
    return Array.isArray(kinds) && kinds.length === 1 && groups.has(String(kinds[0]?.group));
  });
  return Object.entries(own).map(([name, schema]) => [
    name,
    name.endsWith("List") ? withoutDescriptions(schema) : withOwnDescriptions(schema),
  ]);
}

/** Fields that every resource has are described by the server. */
function withOwnDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOwnDescriptions);
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [
      name,
      commonFields.includes(name) && isMembers(held)
        ? { ...(held as Members), description: undefined }
        : withOwnDescriptions(held),
    ]),
  );
}

function ownPaths(paths: unknown, groups: ReadonlySet<string>): unknown {
  return withoutDescriptions(filtered(paths, (path) => groups.has(path.split("/")[2] ?? "")));
}

function withoutDescriptions(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, held: unknown) => {
      if (name === "description") return undefined;
      // The names of shared parameters end in a hash of their descriptions.
      return name === "$ref" ? String(held).replace(/^(#\/parameters\/\w+)-.*/, "$1") : held;
    }),
  );
}

/** The order of resources is that of a map. */
function byName(body: unknown): unknown {
  const resources = (pick(body, "resources") ?? []) as readonly Members[];
  return { ...(body as Members), resources: resources.toSorted(compareStable) };
}

function filtered(value: unknown, keep: (name: string, held: unknown) => boolean): Members {
  if (!isMembers(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, held]) => keep(name, held))
      .sort(),
  );
}

async function compare(family: string, step: NamedStep): Promise<void> {
  count(
    family,
    step.name,
    await servers.compare(step).catch((error: Error) => `no answer: ${error.message}`),
  );
}

function count(family: string, name: string, found: string | undefined): void {
  tally.count(`${family}/${name}`, found === undefined ? "equal" : "different");
  if (found !== undefined && !quiet) console.log(`DIFFERENT ${family}/${name}\n    ${found}`);
}
