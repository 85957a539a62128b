import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import { dynamicKind } from "../../../../client/resource-kind.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { type Helper, helper } from "../../../resource/helper.ts";
import { knownKinds } from "../../shared/known-kinds.ts";
import {
  type AccessObject,
  bindingChange,
  creation,
  type Reconciliation,
  roleChange,
} from "./reconcile-role.ts";

export interface ReconcileOptions {
  readonly isDryRun: boolean;
  readonly removesRules: boolean;
  readonly removesSubjects: boolean;
}

/** Makes the object of the server as expected, unless it opted out; says what had to be done. */
export async function reconcileAccess(
  { factory, signal }: Pick<CommandContext, "factory" | "signal">,
  expected: AccessObject,
  options: ReconcileOptions,
): Promise<Reconciliation> {
  const client = await factory.client();
  const shared = { signal, onWarning: (text: string) => factory.warn(text) };
  const isBinding = expected.kind.endsWith("Binding");
  const isOfCluster = expected.kind.startsWith("Cluster");
  const kind = dynamicKind({
    group: "rbac.authorization.k8s.io",
    version: "v1",
    kind: expected.kind,
    plural: `${expected.kind.toLowerCase()}s`,
    scope: isOfCluster ? "Cluster" : "Namespaced",
  });
  const requests = helper(client, kind, shared);
  const namespaces = isOfCluster ? undefined : helper(client, knownKinds.namespace, shared);
  const work: Work = {
    ...options,
    requests,
    namespaces,
    expected,
    isBinding,
    place: {
      namespace: isOfCluster ? "" : (expected.metadata.namespace ?? ""),
      name: expected.metadata.name ?? "",
    },
  };
  for (let attempt = 1; ; attempt++)
    try {
      return await reconcile(work, isBinding ? 3 : 2);
    } catch (error) {
      if (!StatusError.is(error, "Conflict") || attempt >= 3) throw error;
    }
}

interface Work extends ReconcileOptions {
  readonly requests: Helper;
  readonly namespaces: Helper | undefined;
  readonly expected: AccessObject;
  readonly isBinding: boolean;
  readonly place: { readonly namespace: string; readonly name: string };
}

/** Starts again, up to a limit, when others create or delete the object meanwhile. */
async function reconcile(work: Work, attemptsLeft: number): Promise<Reconciliation> {
  const { requests, expected, isBinding, isDryRun, place } = work;
  if (attemptsLeft < 0) throw new Error("exceeded maximum attempts");
  const existing = (await requests.get(place).catch(ignored("NotFound"))) as
    | AccessObject
    | undefined;
  let change = creation(expected);
  if (existing)
    change = isBinding
      ? bindingChange({ existing, expected, removesExtra: work.removesSubjects })
      : roleChange({ existing, expected, removesExtra: work.removesRules });
  if (change.isProtected || isDryRun || change.operation === "none") return change;
  const written = await write(work, change, existing);
  return written
    ? { ...change, object: written as AccessObject }
    : reconcile(work, attemptsLeft - 1);
}

/** Does what has to be done; undefined if the object is not what it was. */
async function write(
  { requests, namespaces, place }: Work,
  { operation, object }: Reconciliation,
  existing: AccessObject | undefined,
) {
  if (operation === "update") return requests.replace(place, object).catch(ignored("NotFound"));
  if (operation === "recreate" && existing) {
    const options = {
      kind: "DeleteOptions",
      apiVersion: "rbac.authorization.k8s.io/v1",
      preconditions: { uid: existing.metadata.uid },
    };
    try {
      await requests.delete(place, options);
    } catch (error) {
      if (StatusError.is(error, "Conflict")) return undefined;
      if (!StatusError.is(error, "NotFound")) throw error;
    }
  }
  if (namespaces) await ensureNamespace(namespaces, place.namespace);
  return requests.create(place.namespace, object).catch(ignored("AlreadyExists"));
}

async function ensureNamespace(namespaces: Helper, name: string): Promise<void> {
  const found = await namespaces
    .get({ namespace: "", name })
    .catch(ignored("NotFound", "Forbidden"));
  if (found) return;
  const namespace = {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name },
    spec: {},
    status: {},
  };
  await namespaces.create("", namespace).catch(ignored("AlreadyExists", "Forbidden"));
}

type Reason = Parameters<typeof StatusError.is>[1];

const ignored =
  (...reasons: Reason[]) =>
  (error: unknown): undefined => {
    if (!StatusError.is(error, ...reasons)) throw error;
    return undefined;
  };
