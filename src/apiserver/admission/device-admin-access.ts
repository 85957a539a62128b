import { Namespace } from "../../api/core/v1/namespace.ts";
import { invalid } from "../../api/meta/v1/status-error.ts";
import { At } from "../../schema/language/report.ts";
import { kindName } from "../objects/address.ts";
import type { ApiObject } from "../objects/object.ts";
import type { AdmissionPlugin, Attributes } from "./admission.ts";
import type { PluginSetup } from "./plugins.ts";

const label = "resource.kubernetes.io/admin-access";

/** Devices that others use are for namespaces that are labelled as an administrator's. */
export function deviceAdminAccess({ reader }: Pick<PluginSetup, "reader">): AdmissionPlugin {
  return {
    name: "DeviceAdminAccess",
    operations: ["CREATE", "UPDATE"],

    async validate(attributes) {
      const field = askedFor(attributes);
      if (field === undefined || !reader.serves(Namespace)) return;
      const { address } = attributes;
      const namespace = await reader.get(Namespace, { name: address.namespace });
      if (namespace?.metadata.labels?.[label] === "true") return;
      const report = At.root();
      report.forbidden(
        field,
        `admin access to devices requires the \`${label}: true\` label on the containing namespace`,
      );
      throw invalid(kindName(address), report.errors);
    },
  };
}

/** The paths at which an object requests admin access that it did not have before. */
function askedFor({ operation, address, object, old }: Attributes): string | undefined {
  const { group, plural } = address.kind;
  if (group !== "resource.k8s.io") return undefined;
  if (operation === "CREATE") {
    if (plural === "resourceclaims") return place("spec.devices.requests", requestsOf(object.spec));
    // Named as in a claim, though a template has it one level deeper.
    const { spec } = (object.spec ?? {}) as { readonly spec?: unknown };
    return plural === "resourceclaimtemplates"
      ? place("spec.devices.requests", requestsOf(spec))
      : undefined;
  }
  const results = "status.allocation.devices.results";
  if (plural !== "resourceclaims" || place(results, resultsOf(old))) return undefined;
  return place(results, resultsOf(object));
}

interface Asking {
  readonly adminAccess?: boolean;
  /** The field of versions with exact requests. */
  readonly exactly?: { readonly adminAccess?: boolean };
}

function place(path: string, items: readonly Asking[]): string | undefined {
  const index = items.findIndex(({ adminAccess, exactly }) => adminAccess || exactly?.adminAccess);
  return index < 0 ? undefined : `${path}[${index}].adminAccess`;
}

const requestsOf = (spec: unknown): readonly Asking[] =>
  (spec as { devices?: { requests?: readonly Asking[] | null } } | undefined)?.devices?.requests ??
  [];

const resultsOf = (object: ApiObject | undefined): readonly Asking[] =>
  (object?.status as { allocation?: { devices?: { results?: readonly Asking[] } } } | undefined)
    ?.allocation?.devices?.results ?? [];
