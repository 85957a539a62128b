import type { DeviceClass } from "../../../api/resource/v1/device-class.ts";
import type { DeviceRequest } from "../../../api/resource/v1/device-request.ts";
import type { DeviceSelector as Selector } from "../../../api/resource/v1/device-selector.ts";
import type { DeviceToleration } from "../../../api/resource/v1/device-taint.ts";
import type { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import type { CapacityRequest } from "./consumed-capacity.ts";

/** A request for devices of one class: one of a claim's own, or an alternative of such a request. */
export interface ClassRequest {
  /** `REQUEST`, or `REQUEST/SUBREQUEST`. */
  readonly name: string;
  readonly deviceClass: DeviceClass;
  readonly selectors: readonly Selector[];
  /** The number of devices; undefined for all. */
  readonly count: number | undefined;
  readonly isAdmin: boolean;
  readonly tolerations: readonly DeviceToleration[] | undefined;
  readonly capacity: CapacityRequest | undefined;
}

/** The alternatives of a request, the preferred first; most requests have one. */
export type Alternatives = readonly ClassRequest[];

/** `NAMESPACE/NAME`. */
export const claimKey = ({ metadata }: ResourceClaim): string =>
  `${metadata.namespace}/${metadata.name}`;

/** Reads the requests of a claim; throws for one that is not understood. */
export const requestsOf = (
  claim: ResourceClaim,
  classOf: (name: string) => DeviceClass | undefined,
): readonly Alternatives[] =>
  (claim.spec.devices.requests ?? []).map((request) =>
    formsOf(request).map(({ name, form }) => {
      const where = `claim ${claimKey(claim)}, request ${form.name}`;
      const { deviceClassName, selectors = [], allocationMode = "", tolerations, capacity } = form;
      const unknown = selectors.findIndex(({ cel }) => !cel);
      if (unknown >= 0)
        throw new Error(
          `${where}, selector #${unknown}: CEL expression empty (unsupported selector type?)`,
        );
      const deviceClass = classOf(deviceClassName);
      if (!deviceClass)
        throw new Error(
          `${where}: could not retrieve device class ${deviceClassName}: deviceclass.resource.k8s.io "${deviceClassName}" not found`,
        );
      if (allocationMode !== "ExactCount" && allocationMode !== "All")
        throw new Error(`${where}: unsupported count mode ${allocationMode}`);
      const count = allocationMode === "All" ? undefined : Number(form.count ?? 1);
      const isAdmin = form.adminAccess ?? false;
      return { name, deviceClass, selectors, count, isAdmin, tolerations, capacity };
    }),
  );

/** A request in the terms that both of its forms have. */
type Form = Omit<NonNullable<DeviceRequest["exactly"]>, "adminAccess"> & {
  readonly name: string;
  readonly adminAccess?: boolean | undefined;
};

const formsOf = ({
  name,
  exactly,
  firstAvailable = [],
}: DeviceRequest): readonly { readonly name: string; readonly form: Form }[] =>
  exactly
    ? [{ name, form: { name, ...exactly } }]
    : firstAvailable.map((form) => ({ name: `${name}/${form.name}`, form }));

/** The classes that a claim asks for, with the names of their requests. */
export const classesOf = ({
  spec,
}: ResourceClaim): readonly { readonly request: string; readonly className: string }[] =>
  (spec.devices.requests ?? [])
    .flatMap(formsOf)
    .map(({ name, form }) => ({ request: name, className: form.deviceClassName }));
