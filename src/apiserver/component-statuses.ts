import { notFound } from "../api/meta/v1/status-error.ts";
import { apiVersionOf } from "../schema/kind.ts";
import type { ListPage } from "./list.ts";
import type { AnyKind, ApiObject } from "./object.ts";
import { canonical, type Registry } from "./registry.ts";

/** How the parts of the control plane are: computed when somebody asks, and kept nowhere. */
export async function componentStatuses(registry: Registry, kind: AnyKind): Promise<ListPage> {
  const objects = await Promise.all(
    components.map(async ({ name, check }) => statusOf(kind, name, await check(registry))),
  );
  return { objects: objects.map((object) => listed(kind, object)), metadata: {} };
}

/** The one of that name. */
export async function componentStatus(
  registry: Registry,
  kind: AnyKind,
  name: string,
): Promise<ApiObject> {
  const { objects } = await componentStatuses(registry, kind);
  const found = objects.find(({ object }) => object.metadata.name === name);
  if (!found) throw notFound({ group: "", resource: "componentstatus", name });
  return found.object;
}

/** What is asked of each; undefined when it is well. */
const components: readonly {
  readonly name: string;
  check(registry: Registry): Promise<string | undefined>;
}[] = [
  // Nothing of this program listens there: what does not run is not well.
  { name: "controller-manager", check: async () => refused(10257) },
  { name: "scheduler", check: async () => refused(10259) },
  {
    name: "etcd-0",
    check: ({ store }) => store.currentRevision().then(() => undefined, String),
  },
];

const refused = (port: number): string =>
  `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`;

function statusOf(kind: AnyKind, name: string, fault: string | undefined): ApiObject {
  const condition = {
    type: "Healthy",
    status: fault === undefined ? "True" : "False",
    message: fault ?? "ok",
  };
  return canonical(kind, {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: { name },
    conditions: [condition],
  });
}

const listed = (kind: AnyKind, object: ApiObject): ListPage["objects"][number] => ({
  object,
  get jsonTail() {
    const text = kind.form.encode(object).slice(kind.form.head.length);
    return new TextEncoder().encode(text);
  },
});
