/** What an image may cost at most: images are untrusted. */
export interface Limits {
  /** The bytes of an archive that is loaded, and of all layers of an image that is pulled. */
  readonly imageBytes: number;
  /** The bytes of a layer when it is unpacked. */
  readonly layerBytes: number;
  /** How many times larger than its compressed form a layer may be. */
  readonly expansion: number;
  /** The bytes to which even the smallest layer may expand. */
  readonly smallLayerBytes: number;
}

const gibibyte = 1024 ** 3;

export const defaultLimits: Limits = {
  imageBytes: 128 * gibibyte,
  layerBytes: 128 * gibibyte,
  expansion: 100,
  smallLayerBytes: gibibyte,
};
