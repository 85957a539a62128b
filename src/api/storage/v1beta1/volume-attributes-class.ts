import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import {
  VolumeAttributesClass as StableClass,
  volumeAttributesClass,
} from "../v1/volume-attributes-class.ts";

export const VolumeAttributesClass = kind({
  version: "v1beta1",
  stability: "beta",
  ...volumeAttributesClass,
  conversion: {
    stored: StableClass,
    fromStored: (stored: StableClass) => ({ ...stored, apiVersion: "storage.k8s.io/v1beta1" }),
    toStored: (beta: StableClass) => ({ ...beta, apiVersion: "storage.k8s.io/v1" }),
  },
});
export interface VolumeAttributesClass extends ObjectOf<typeof VolumeAttributesClass> {}
