import type { ClaimSurroundings } from "../../../api/core/v1/quota/device-claims.ts";
import { quotaEvaluators } from "../../../api/core/v1/quota/evaluators.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { Clock } from "../../../base/clock.ts";
import type { AnyKind, ApiObject } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import type { Cluster } from "../plugins.ts";
import { refusal } from "../refusal.ts";
import { chargeLanes } from "./charge-lanes.ts";
import { type Account, type Charge, type Checked, checkQuotas } from "./check-quotas.ts";
import type { LimitedResource } from "./configuration.ts";
import { commitCharged, quotaAccounts } from "./quota-accounts.ts";

export interface ResourceQuotaOptions {
  readonly cluster: Cluster;
  readonly resources: Resources;
  readonly clock: Clock;
  /** What nobody may use without a quota for it. */
  readonly limited: readonly LimitedResource[];
}

/**
 * A namespace uses no more than its quotas allow. What an object uses is charged in the same commit that
 * writes it: whoever fails after being admitted has used nothing, and whoever counts the objects of a
 * revision finds what its quotas say.
 */
export function resourceQuota(options: ResourceQuotaOptions): AdmissionPlugin {
  const { cluster, resources, limited } = options;
  const evaluatorOf = quotaEvaluators(surroundings(options));
  const quotas = resources.find("", "v1", "resourcequotas");
  const accounts = quotas && quotaAccounts(cluster, quotas);
  const inTurn = accounts && chargeLanes(accounts);

  const chargeOf = ({ operation, address, subresource, ...rest }: Attributes) => {
    if (operation !== "CREATE" && operation !== "UPDATE") return undefined;
    const { kind, namespace } = address;
    const evaluator = namespace === "" ? undefined : evaluatorOf(kind);
    if (!evaluator) return undefined;
    const [object, old] = [asStored(kind, rest.object), rest.old && asStored(kind, rest.old)];
    const charge: Charge = { evaluator, operation, subresource, object, old };
    return evaluator.charges(charge) ? charge : undefined;
  };
  const check = (attributes: Attributes, charge: Charge, known: readonly Account[]) =>
    admitted(attributes, checkQuotas(known, charge, limited));

  return {
    name: "ResourceQuota",
    operations: ["CREATE", "UPDATE"],

    validate(attributes) {
      const known = accounts?.read(attributes.address.namespace) ?? [];
      if (known.length === 0 && limited.length === 0) return;
      const charge = chargeOf(attributes);
      if (charge) check(attributes, charge, known);
    },

    commit(attributes, by) {
      const { namespace } = attributes.address;
      const known = accounts?.read(namespace) ?? [];
      const charge = known.length > 0 ? chargeOf(attributes) : undefined;
      // Most writes are none of any quota's business, and wait for nobody.
      if (!inTurn || !charge || isFree(checkQuotas(known, charge, limited), known)) return by;
      return (ops) =>
        inTurn(namespace, {
          charge: (before) => check(attributes, charge, before),
          commit: (change) => commitCharged(cluster(), change, { ops, by, kind: quotas }),
        });
    },
  };
}

const isFree = (checked: Checked, known: readonly Account[]): boolean =>
  "accounts" in checked && checked.accounts === known;

function admitted(attributes: Attributes, checked: Checked): readonly Account[] {
  if ("accounts" in checked) return checked.accounts;
  if ("forbidden" in checked) throw refusal(attributes, checked.forbidden);
  // Upstream does not say what kind of failure it is.
  throw new StatusError("", checked.fault);
}

/** An object as evaluators know it, whatever version it was written in. */
const asStored = ({ conversion }: AnyKind, object: ApiObject): object =>
  conversion ? (conversion.toStored(object as never) as object) : object;

/** What is around a claim of devices, as the server's cache has it. */
function surroundings({ cluster, resources, clock }: ResourceQuotaOptions): ClaimSurroundings {
  const all = <O>(group: string, plural: string, prefix = ""): readonly O[] => {
    const kind = resources.find(group, "v1", plural);
    if (!kind) return [];
    const cached = cluster().cache.of(kind);
    return Array.from(cached.list(cached.prefix + prefix), ({ object }) => object as O);
  };
  return {
    now: () => clock.now(),
    deviceClasses: () => all("resource.k8s.io", "deviceclasses"),
    pod(namespace, name) {
      const kind = resources.find("", "v1", "pods");
      const pods = kind && cluster().cache.of(kind);
      return pods?.get(`${pods.prefix}${namespace}/${name}`)?.object as never;
    },
    claims: (namespace) => all("resource.k8s.io", "resourceclaims", `${namespace}/`),
  };
}
