import { join } from "node:path";
import { configMapNamed, podNamed, pods } from "../apiserver/apiserver-client.ts";
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

const patched = 256;

/** What a policy over every write costs the server, as a ratio to a server without one. */
export async function benchPolicies(work: string): Promise<void> {
  const names = ["none", "validating", "mutating"] as const;
  const servers = await Promise.all(names.map((name) => startExtended(join(work, name))));
  const [, validating, mutating] = servers as [ExtendedServer, ExtendedServer, ExtendedServer];
  await enforceValidating(validating);
  await enforceMutating(mutating);
  for (const server of servers) await prepare(server);
  console.log("\nprocessor time of the server per write: without a policy, with either");
  for (const operation of operations) {
    const contenders = servers.map(({ server, connection }) =>
      contender(server, operation, connection),
    );
    const [bare = Number.NaN, ...others] = await measureInTurns(contenders);
    console.log(`${operation.name}: ${bare.toFixed(0)} µs without a policy`);
    for (const [index, micros] of others.entries())
      verdict(`  a ${names[index + 1]} policy: ${micros.toFixed(0)} µs`, micros / bare, {
        most: 1.1,
        unit: "×",
      });
  }
  for (const { server, connection } of servers) {
    connection.close();
    await stop(server);
  }
}

const operations: readonly Operation[] = [
  {
    name: "create ConfigMap",
    first: (n) => ({ method: "POST", path: settings, body: configMapNamed(`new-${n}`) }),
  },
  {
    name: "create Pod",
    first: (n) => ({
      method: "POST",
      path: pods(namespace),
      body: podNamed(`new-${n}`, namespace),
    }),
  },
  {
    name: "merge patch",
    first: (n) => mergePatch(`${settings}/known-${n % patched}`, { data: { LOG_LEVEL: `l-${n}` } }),
  },
];

async function prepare({ send }: ExtendedServer): Promise<void> {
  const account = { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "web" } };
  await send({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
    body: account,
  });
  for (let n = 0; n < patched; n++)
    await send({ method: "POST", path: settings, body: configMapNamed(`known-${n}`) });
}

const registrations = "/apis/admissionregistration.k8s.io/v1";
const matchConstraints = {
  resourceRules: [
    { operations: ["CREATE", "UPDATE"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] },
  ],
};

async function enforce(
  { send }: ExtendedServer,
  kind: string,
  { spec, binding }: { readonly spec: object; readonly binding: object },
): Promise<void> {
  const create = (suffix: string, of: object) =>
    send({
      method: "POST",
      path: `${registrations}/${`${kind}Policy${suffix}`.toLowerCase().replace(/y$/, "ie")}s`,
      body: {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: `${kind}Policy${suffix}`,
        metadata: { name: "bench" },
        spec: of,
      },
    });
  await create("", { matchConstraints, ...spec });
  await create("Binding", { policyName: "bench", ...binding });
}

/** It is in force once it denies what it is to deny. */
async function enforceValidating(server: ExtendedServer): Promise<void> {
  const expression =
    "!has(object.metadata.labels) || object.metadata.labels.all(k, !k.startsWith('denied.example.com/'))";
  await enforce(server, "ValidatingAdmission", {
    spec: { validations: [{ expression }] },
    binding: { validationActions: ["Deny"] },
  });
  const denied = { ...configMapNamed("denied"), metadata: { name: "denied", labels } };
  const path = `${settings}?dryRun=All`;
  const deny = () => server.send({ method: "POST", path, body: denied });
  await until(
    {
      send: () =>
        deny().then(
          () => Buffer.of(),
          (error) => Buffer.from(`${error}`),
        ),
    },
    {
      method: "POST",
      path,
    },
    (text) => text.includes("denied request"),
  );
}

const labels = { "denied.example.com/a": "b" };

async function enforceMutating(server: ExtendedServer): Promise<void> {
  const expression = "Object{metadata: Object.metadata{labels: {'bench.example.com/seen': 'yes'}}}";
  await enforce(server, "MutatingAdmission", {
    spec: {
      reinvocationPolicy: "Never",
      mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }],
    },
    binding: {},
  });
  const path = `${settings}?dryRun=All`;
  const probe = { method: "POST", path, body: configMapNamed("probe") };
  await until(server, probe, (body) => body.includes("bench.example.com/seen"));
}
