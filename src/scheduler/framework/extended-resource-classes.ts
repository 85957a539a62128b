import { isExtendedResource } from "../../api/core/v1/resource-name.ts";
import { DeviceClass } from "../../api/resource/v1/device-class.ts";
import type { Indexers } from "../../client/informer/informer-options.ts";
import type { Handle } from "./handle.ts";
import type { Resource } from "./resource.ts";

/** Finds the device class whose devices stand for an extended resource. */
export type ExtendedResourceClasses = (resource: string) => DeviceClass | undefined;

/** Every class stands for a resource of its name, and for the one that it names itself. */
export const resourcesOfClass = ({ metadata, spec }: DeviceClass): readonly string[] => [
  `${classPrefix}${metadata.name}`,
  ...(spec.extendedResourceName === undefined ? [] : [spec.extendedResourceName]),
];

const classPrefix = "deviceclass.resource.kubernetes.io/";
const byResource = "extendedResource";
/** Plugins share their informers, and need the same index. */
const classesByResource: Indexers<DeviceClass> = { [byResource]: resourcesOfClass };

export function extendedResourceClasses({ informer }: Handle): ExtendedResourceClasses {
  const classes = informer(DeviceClass, { indexers: classesByResource });
  return (resource) => classes.byIndex(byResource, resource).toSorted(newerFirst)[0];
}

/** Of two classes for a resource the newer counts, so that one can replace the other. */
const newerFirst = ({ metadata: a }: DeviceClass, { metadata: b }: DeviceClass): number =>
  compare(b.creationTimestamp, a.creationTimestamp) || compare(a.name, b.name);

const compare = (a = "", b = ""): number => (a < b ? -1 : a > b ? 1 : 0);

/** The requested resources that devices may stand for. */
export const extendedResourcesIn = ({ scalars }: Resource): readonly string[] =>
  scalars
    ? [...scalars]
        .filter(
          ([name, amount]) =>
            amount !== 0 && (isExtendedResource(name) || name.startsWith(classPrefix)),
        )
        .map(([name]) => name)
    : [];
