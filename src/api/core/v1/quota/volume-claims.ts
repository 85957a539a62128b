import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  roundUpQuantity,
} from "../../../../schema/values/quantity.ts";
import type { PersistentVolumeClaim } from "../volume/persistent-volume-claim.ts";
import { storageClassOf } from "../volume/storage-class-annotation.ts";
import { one } from "./amounts.ts";
import type { QuotaEvaluator } from "./evaluator.ts";
import { isNameInScope } from "./scopes.ts";

const counted = "count/persistentvolumeclaims";
const names = ["persistentvolumeclaims", "requests.storage"];
/** Between the name of a storage class and that of a resource. */
const perClass = ".storageclass.storage.k8s.io/";

/** What claims of volumes use: their number and their storage, over all and by storage class. */
export const volumeClaimQuota: QuotaEvaluator<PersistentVolumeClaim> = {
  group: "",
  plural: "persistentvolumeclaims",
  tracks: (name) =>
    name === counted || names.some((known) => name === known || name.endsWith(perClass + known)),
  // How much is being allocated is told by the status.
  charges: ({ subresource }) => subresource === "" || subresource === "status",

  usage(claim) {
    const usage = new Map([
      [counted, one],
      ["persistentvolumeclaims", one],
    ]);
    const storage = storageOf(claim);
    if (storage) usage.set("requests.storage", storage);
    const className = storageClassOf(claim.metadata, claim.spec.storageClassName);
    if (className === "") return usage;
    usage.set(`${className}${perClass}persistentvolumeclaims`, one);
    if (storage) usage.set(`${className}${perClass}requests.storage`, storage);
    return usage;
  },

  isInScope(claim, requirement) {
    if (requirement.scopeName !== "VolumeAttributesClass") return false;
    const classes = attributeClasses(claim);
    return classes.length === 0
      ? isNameInScope(requirement, undefined)
      : classes.some((name) => isNameInScope(requirement, name));
  },
};

/** What is asked for, or what is being allocated where that is more; in whole bytes. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const requested = spec.resources?.requests?.storage;
  if (requested === undefined) return undefined;
  const asked = roundUpQuantity(parseQuantity(requested), 0);
  const allocated = status.allocatedResources?.storage;
  if (allocated === undefined || compareQuantities(parseQuantity(allocated), asked) <= 0)
    return asked;
  return roundUpQuantity(parseQuantity(allocated), 0);
}

/** The classes of attributes that a claim has, had or is about to have. */
function attributeClasses({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const all = [
    spec.volumeAttributesClassName,
    status.currentVolumeAttributesClassName,
    status.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return all.filter((name) => name !== undefined).filter((name) => name !== "");
}
