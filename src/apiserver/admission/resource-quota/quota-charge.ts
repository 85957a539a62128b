import { amountsOf, resourceListOf, sameAmounts } from "../../../api/core/v1/quota/amounts.ts";
import { ResourceQuota } from "../../../api/core/v1/quota/resource-quota.ts";
import { conflict } from "../../../api/meta/v1/status-error.ts";
import { copyJson } from "../../../schema/json/json-value.ts";
import { keyOf } from "../../objects/address.ts";
import type { CommitPart, ObjectWrite } from "../../objects/commit-part.ts";
import { type ApiObject, finalObject, type ObjectDraft } from "../../objects/object.ts";
import { addressOf, anyKind, type Reader } from "../../objects/reader.ts";
import { serverContext } from "../../server-context.ts";
import { type FieldTracking, trackFields } from "../../verbs/patch/field-management.ts";
import { type Account, accountOf } from "./check-quotas.ts";

/** The quotas of a namespace as accounts, from the cache: the usage of a quota is in its status. */
export const quotaAccounts = (reader: Reader, namespace: string): readonly Account[] =>
  reader.listCached(ResourceQuota, namespace).map(accountOf);

export interface QuotaCharge {
  readonly reader: Reader;
  readonly tracking: FieldTracking;
  readonly namespace: string;
  /** The accounts after the write; throws if the write exceeds one. */
  charge(accounts: readonly Account[]): readonly Account[];
}

/** How often others may change the quotas between reading them and the commit. */
const maxRetries = 10;

/**
 * Writes the status of the quotas that a write is charged to, in the commit of that write. Writes that
 * are charged to a namespace run one after the other, each in a commit of its own: a watch continues
 * after the last revision that it has seen, so no two objects of a resource may share one.
 */
export function quotaCharge({ reader, tracking, namespace, charge }: QuotaCharge): CommitPart {
  let keys = new Set<string>();
  let before: readonly Account[] = [];
  let retries = 0;
  return {
    lane: `quotas of ${namespace}`,
    changes() {
      before = quotaAccounts(reader, namespace);
      const writes = charge(before)
        .filter(({ used }, i) => !sameAmounts(used, before[i]?.used ?? amountsOf()))
        .map((account) => statusWrite(tracking, account));
      keys = new Set(writes.map(({ address }) => keyOf(address)));
      return writes;
    },
    async failed({ key }) {
      if (!keys.has(key)) return undefined;
      if (retries === maxRetries) throw modified(before[0]);
      retries++;
      await reader.catchUp();
      return "retry";
    },
  };
}

/** The write of a quota's status as an update by the server itself would make it. */
function statusWrite(tracking: FieldTracking, { quota, used }: Account): ObjectWrite {
  const kind = anyKind(ResourceQuota);
  const draft = copyJson(quota) as unknown as ObjectDraft & { status: object };
  draft.status = { ...quota.status, used: resourceListOf(used) };
  kind.form.complete(draft);
  const old = quota as unknown as ApiObject;
  trackFields(tracking, { kind, subresource: "status" }, { draft, old, context: serverContext() });
  const { namespace = "", name = "", resourceVersion } = quota.metadata;
  return {
    type: "put",
    address: addressOf(ResourceQuota, { namespace, name }),
    object: finalObject(kind, draft),
    ifRevision: Number(resourceVersion),
  };
}

const modified = (account: Account | undefined): Error =>
  conflict(
    { group: "", resource: "resourcequotas", name: account?.quota.metadata.name ?? "" },
    "the object has been modified; please apply your changes to the latest version and try again",
  );
