import { cpus } from "node:os";
import type { PolicyRule } from "../../src/api/rbac/v1/policy-rule.ts";
import { rbacGroup } from "../../src/api/rbac/v1/role-ref.ts";
import { resourceAttributes } from "../../src/apiserver/authorization/attributes.ts";
import { bootstrap } from "../../src/apiserver/bootstrap/bootstrap.ts";
import type { AnyKind, ApiObject } from "../../src/apiserver/objects/object.ts";
import type { User } from "../../src/apiserver/request/identity.ts";
import {
  openParts,
  resources,
  type TestParts,
} from "../../src/apiserver/verbs/verb-parts.test-support.ts";

/** How long it takes to authorise a request among many bindings. */

console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}`);
const bindings = 1000;
const bound = 5;
let missed = 0;

const parts = await openParts();
await bootstrap(parts, { aggregatesRoles: true });
await fill(parts);

const known = "system:authenticated";
const user = (n: number): User => ({ name: `user-${n}`, groups: [`group-${n}`, known] });
await measure("allowed in a namespace", {
  who: (n) => user(n),
  namespace: (n) => `namespace-${n % 100}`,
  verdict: "allow",
});
await measure("refused in a namespace", {
  who: (n) => user(n),
  namespace: (n) => `namespace-${(n + 1) % 100}`,
  verdict: "no opinion",
});
await measure("refused, of somebody in twenty groups", {
  who: (n) => ({
    name: "stranger",
    groups: Array.from({ length: 20 }, (_, i) => `group-${(n + i) % bindings}`).concat(known),
  }),
  namespace: () => "elsewhere",
  verdict: "no opinion",
});
process.exitCode = missed > 0 ? 1 : 0;

/** A binding of the cluster and one of a namespace for each user; the role is the largest there is. */
async function fill(target: TestParts): Promise<void> {
  const kindOf = (plural: string) => resources.find(rbacGroup, "v1", plural) as AnyKind;
  const place = (
    plural: string,
    namespace: string,
    object: { name: string; [field: string]: unknown },
  ) => {
    const { name, ...rest } = object;
    const kind = kindOf(plural);
    const metadata = { name, ...(namespace !== "" && { namespace }) };
    const apiVersion = `${rbacGroup}/v1`;
    const whole = { kind: kind.kind, apiVersion, metadata, ...rest } as unknown as ApiObject;
    return { address: { kind, namespace, name }, object: whole };
  };
  const rules: PolicyRule[] = [
    { verbs: ["get"], apiGroups: ["example.com"], resources: ["cakes"] },
  ];
  const refTo = (name: string) => ({ apiGroup: rbacGroup, kind: "ClusterRole", name });
  const subject = (kind: string, name: string) => ({ kind, apiGroup: rbacGroup, name });
  const objects = [place("clusterroles", "", { name: "cakes", rules })];
  for (let n = 0; n < bindings; n++) {
    objects.push(
      place("clusterrolebindings", "", {
        name: `cakes-${n}`,
        roleRef: refTo("cakes"),
        subjects: [subject("Group", `group-${n}`)],
      }),
      place("rolebindings", `namespace-${n % 100}`, {
        name: `admin-${n}`,
        roleRef: refTo("admin"),
        subjects: [subject("User", `user-${n}`)],
      }),
    );
  }
  const writes = objects.map((object) => ({ type: "put", ...object, ifRevision: 0 }) as const);
  await target.committer.commit({ objects: writes });
}

async function measure(
  what: string,
  {
    who,
    namespace,
    verdict,
  }: { who: (n: number) => User; namespace: (n: number) => string; verdict: string },
): Promise<void> {
  const requests = Array.from({ length: bindings }, (_, n) => ({
    user: who(n),
    namespace: namespace(n),
  }));
  const round = async (): Promise<number> => {
    const began = performance.now();
    for (const { user: asking, namespace: place } of requests) {
      const about = { group: "batch", version: "v1", resource: "jobs", namespace: place };
      const decision = await parts.access.authorizer.authorize(
        resourceAttributes(asking, "create", about),
      );
      if (decision.verdict !== verdict) throw new Error(`${what}: ${JSON.stringify(decision)}`);
    }
    return ((performance.now() - began) * 1000) / requests.length;
  };
  const times: number[] = [];
  for (let i = 0; i < 200; i++) times.push(await round());
  const median = times.slice(100).sort((a, b) => a - b)[50] ?? Number.NaN;
  const ok = median <= bound;
  if (!ok) missed++;
  console.log(
    `a request that is ${what}: ${median.toFixed(2)} µs (bound ≤ ${bound} µs) ${ok ? "ok" : "MISSED"}`,
  );
}
