import { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { ClaimSurroundings } from "../../../api/core/v1/quota/device-claims.ts";
import { quotaEvaluators } from "../../../api/core/v1/quota/evaluators.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { DeviceClass } from "../../../api/resource/v1/device-class.ts";
import { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import type { AnyKind, ApiObject } from "../../objects/object.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { type Account, type Charge, type Checked, checkQuotas } from "./check-quotas.ts";
import type { LimitedResource } from "./configuration.ts";
import { quotaAccounts, quotaCharge } from "./quota-charge.ts";

export interface ResourceQuotaSetup
  extends Pick<PluginSetup, "reader" | "resources" | "environment"> {
  /** Resources that cannot be used without a quota. */
  readonly limited: readonly LimitedResource[];
}

/**
 * A namespace uses no more than its quotas allow. The usage of an object is charged in the commit that
 * writes the object: a write that fails after admission has used nothing, and counting the objects of
 * a revision has the usage that the quotas of that revision state.
 */
export function resourceQuota(setup: ResourceQuotaSetup): AdmissionPlugin {
  const { reader, limited } = setup;
  const evaluatorOf = quotaEvaluators(claimSurroundings(setup));

  const chargeOf = ({ operation, address, subresource, ...rest }: Attributes) => {
    if (operation !== "CREATE" && operation !== "UPDATE") return undefined;
    const { kind, namespace } = address;
    const evaluator = namespace === "" ? undefined : evaluatorOf(kind);
    if (!evaluator) return undefined;
    const [object, old] = [asStored(kind, rest.object), rest.old && asStored(kind, rest.old)];
    const charge: Charge = { evaluator, operation, subresource, object, old };
    return evaluator.charges(charge) ? charge : undefined;
  };
  const check = (attributes: Attributes, charge: Charge, accounts: readonly Account[]) =>
    admitted(attributes, checkQuotas(accounts, charge, limited));

  return {
    name: "ResourceQuota",
    operations: ["CREATE", "UPDATE"],

    validate(attributes) {
      const accounts = quotaAccounts(reader, attributes.address.namespace);
      if (accounts.length === 0 && limited.length === 0) return;
      const charge = chargeOf(attributes);
      if (charge) check(attributes, charge, accounts);
    },

    charge(attributes) {
      const { namespace } = attributes.address;
      const accounts = quotaAccounts(reader, namespace);
      const charge = accounts.length > 0 ? chargeOf(attributes) : undefined;
      // Most writes change no quota, and need not wait for those that do.
      if (!charge || isFree(checkQuotas(accounts, charge, limited), accounts)) return undefined;
      return quotaCharge({
        reader,
        tracking: setup,
        namespace,
        charge: (current) => check(attributes, charge, current),
      });
    },
  };
}

const isFree = (checked: Checked, known: readonly Account[]): boolean =>
  "accounts" in checked && checked.accounts === known;

function admitted(attributes: Attributes, checked: Checked): readonly Account[] {
  if ("accounts" in checked) return checked.accounts;
  if ("forbidden" in checked) throw rejection(attributes, checked.forbidden);
  // Upstream's error has no reason.
  throw new StatusError("", checked.fault);
}

/** An object in its stored version, which evaluators know. */
const asStored = ({ conversion }: AnyKind, object: ApiObject): object =>
  conversion ? (conversion.toStored(object as never) as object) : object;

/** The objects around a claim of devices, as the cache has them. */
const claimSurroundings = ({ reader, environment }: ResourceQuotaSetup): ClaimSurroundings => ({
  now: () => environment.clock.now(),
  deviceClasses: () => reader.listCached(DeviceClass),
  pod: (namespace, name) => reader.getCached(Pod, { namespace, name }),
  claims: (namespace) => reader.listCached(ResourceClaim, namespace),
});
