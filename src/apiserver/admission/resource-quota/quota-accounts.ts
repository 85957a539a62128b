import { amountsOf, resourceListOf, sameAmounts } from "../../../api/core/v1/quota/amounts.ts";
import type { ResourceQuota } from "../../../api/core/v1/quota/resource-quota.ts";
import { conflict } from "../../../api/meta/v1/status-error.ts";
import { copyJson } from "../../../schema/json/json-value.ts";
import type { CommitOutcome, Op } from "../../../store/store.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../../objects/object.ts";
import { type Commit, commitTo, keyOf, type Registry, sealed } from "../../objects/registry.ts";
import { whileWriting } from "../../objects/stored.ts";
import { serverContext } from "../../server-context.ts";
import { trackFields } from "../../verbs/patch/field-management.ts";
import type { Cluster } from "../plugins.ts";
import type { Accounts } from "./charge-lanes.ts";
import { type Account, accountOf } from "./check-quotas.ts";

/** The quotas of namespaces as accounts: what is used of them is their status. */
export function quotaAccounts(cluster: Cluster, kind: AnyKind): Accounts<readonly Account[]> {
  return {
    read(namespace) {
      const quotas = cluster().cache.of(kind);
      return Array.from(quotas.list(`${quotas.prefix}${namespace}/`), ({ object }) =>
        accountOf(object as unknown as ResourceQuota),
      );
    },
    fresh: () => cluster().cache.fresh(),
    conflict: ([account]) =>
      conflict(
        { group: "", resource: kind.plural, name: account?.quota.metadata.name ?? "" },
        "the object has been modified; please apply your changes to the latest version and try again",
      ),
  };
}

/** Commits operations with what they are charged to quotas; "overtaken" where others changed one of these. */
export async function commitCharged(
  registry: Registry,
  { before, after }: { readonly before: readonly Account[]; readonly after: readonly Account[] },
  { ops, by = commitTo(registry), kind }: ChargedCommit,
): Promise<CommitOutcome | "overtaken"> {
  const changes = after
    .filter(({ used }, i) => !sameAmounts(used, before[i]?.used ?? amountsOf()))
    .map((account) => statusWrite(registry, kind, account));
  const keys = new Set(changes.map(({ key }) => key));
  const outcome = await withWrites(kind, changes, (writes) => by([...ops, ...writes]));
  return !outcome.ok && keys.has(outcome.key) ? "overtaken" : outcome;
}

interface ChargedCommit {
  readonly ops: readonly Op[];
  readonly by: Commit | undefined;
  /** Of quotas. */
  readonly kind: AnyKind;
}

interface StatusWrite {
  readonly key: string;
  readonly object: ApiObject;
  readonly ifRevision: number;
}

/** What an update of the status by the server itself would store. */
function statusWrite(registry: Registry, kind: AnyKind, { quota, used }: Account): StatusWrite {
  const draft = copyJson(quota) as unknown as ObjectDraft & { status: object };
  draft.status = { ...quota.status, used: resourceListOf(used) };
  kind.form.complete(draft);
  const old = quota as unknown as ApiObject;
  trackFields(registry, { kind, subresource: "status" }, { draft, old, context: serverContext() });
  const { namespace = "", name = "", resourceVersion } = quota.metadata;
  return {
    key: keyOf({ kind, namespace, name }),
    object: sealed(kind, draft),
    ifRevision: Number(resourceVersion),
  };
}

/** Runs a commit with the operations that write objects. */
function withWrites<T>(
  kind: AnyKind,
  [first, ...rest]: readonly StatusWrite[],
  commit: (ops: readonly Op[]) => Promise<T>,
): Promise<T> {
  if (!first) return commit([]);
  const { object, key, ifRevision } = first;
  return whileWriting(kind, object, (value) =>
    withWrites(kind, rest, (ops) => commit([{ type: "put", key, value, ifRevision }, ...ops])),
  );
}
