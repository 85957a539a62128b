import type { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import type { Device } from "../../../api/resource/v1/resource-slice-spec.ts";

/** A device as a constraint sees it. */
export interface ConstrainedDevice {
  readonly device: Device;
  readonly driver: string;
  /** The request that it is for: `REQUEST`, or `REQUEST/SUBREQUEST`. */
  readonly request: string;
}

/** What the devices of a claim must have in common, or must not. */
export interface DeviceConstraint {
  /** Adds a device; returns false and changes nothing if it does not go with the others. */
  add(device: ConstrainedDevice): boolean;
  /** Takes the device back that was added last. */
  remove(device: ConstrainedDevice): void;
}

/** The constraints of a claim. */
export const constraintsOf = ({ metadata, spec }: ResourceClaim): readonly DeviceConstraint[] =>
  (spec.devices.constraints ?? []).map(
    ({ requests = [], matchAttribute, distinctAttribute }, i) => {
      const attribute = matchAttribute ?? distinctAttribute;
      if (attribute === undefined)
        throw new Error(
          `claim ${metadata.namespace}/${metadata.name}, constraint #${i}: empty constraint (unsupported constraint type?)`,
        );
      return attributeConstraint(new Set(requests), attribute, matchAttribute !== undefined);
    },
  );

/** All devices have an attribute, and its values are all the same, or all different. */
function attributeConstraint(
  requests: ReadonlySet<string>,
  attribute: string,
  isSame: boolean,
): DeviceConstraint {
  const values: (string | undefined)[] = [];
  const concerns = ({ request }: ConstrainedDevice): boolean => {
    const [parent = ""] = request.split("/");
    return requests.size === 0 || requests.has(request) || requests.has(parent);
  };
  return {
    add(one) {
      if (!concerns(one)) return true;
      const value = attributeOf(one, attribute);
      if (value === undefined) return false;
      const fits = isSame ? values.length === 0 || values[0] === value : !values.includes(value);
      if (fits) values.push(value);
      return fits;
    },
    remove(one) {
      if (concerns(one)) values.pop();
    },
  };
}

/** The type and value of an attribute; its domain may be left out if that is the driver. */
function attributeOf({ device, driver }: ConstrainedDevice, name: string): string | undefined {
  const { attributes = {} } = device;
  const slash = name.indexOf("/");
  const isOwn = name.slice(0, slash) === driver;
  const found = attributes[name] ?? (isOwn ? attributes[name.slice(slash + 1)] : undefined);
  for (const type of ["string", "int", "bool", "version"] as const)
    if (found?.[type] !== undefined) return `${type}:${found[type]}`;
  return undefined;
}
