import { notFound } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import type { Store } from "../../store/store.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import { canonical } from "../objects/object.ts";
import { type ComputedObjects, computedPage } from "./computed-objects.ts";

/** The health of the control plane's components, which is checked for each request. */
export const componentStatuses = (store: Store): ComputedObjects => ({
  async list(kind, { selection }) {
    const objects = await Promise.all(
      components.map(async ({ name, check }) => statusOf(kind, name, await check(store))),
    );
    const selected = objects.filter((object) => selection.matches(object));
    return computedPage(kind, selected);
  },

  async get(kind, { name }) {
    const found = components.find((component) => component.name === name);
    if (!found) throw notFound({ group: "", resource: "componentstatus", name });
    return statusOf(kind, name, await found.check(store));
  },
});

/** The result of a health check. */
interface Health {
  readonly status: "True" | "False";
  readonly message?: string;
  readonly error?: string;
}

const components: readonly {
  readonly name: string;
  check(store: Store): Promise<Health>;
}[] = [
  // Nothing of this program listens at the usual ports of these two.
  { name: "controller-manager", check: async () => refused(10257) },
  { name: "scheduler", check: async () => refused(10259) },
  {
    name: "etcd-0",
    check: (store) =>
      store.currentRevision().then(
        () => ({ status: "True", message: "ok" }),
        (error: unknown) => ({ status: "False", error: errorMessage(error) }),
      ),
  },
];

const refused = (port: number): Health => ({
  status: "False",
  message: `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`,
});

const statusOf = (kind: AnyKind, name: string, health: Health): ApiObject =>
  canonical(kind, {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: { name },
    conditions: [{ type: "Healthy", ...health }],
  });
