const domain = "internal.config.kubernetes.io";

/** Annotations in which a build remembers how resources came about; none is in the result. */
export const buildAnnotation = {
  previousKinds: `${domain}/previousKinds`,
  previousNames: `${domain}/previousNames`,
  previousNamespaces: `${domain}/previousNamespaces`,
  prefixes: `${domain}/prefixes`,
  suffixes: `${domain}/suffixes`,
  allowNameChange: `${domain}/allowNameChange`,
  allowKindChange: `${domain}/allowKindChange`,
  refBy: `${domain}/refBy`,
  behavior: `${domain}/generatorBehavior`,
  needsHash: `${domain}/needsHashSuffix`,
} as const;

export const originAnnotation = "config.kubernetes.io/origin";
export const transformationsAnnotation = "alpha.config.kubernetes.io/transformations";

const filePositions = [
  `${domain}/path`,
  `${domain}/index`,
  `${domain}/seqindent`,
  `${domain}/id`,
  `${domain}/annotations-migration-resource-id`,
];
const legacyPositions = [
  "config.kubernetes.io/path",
  "config.kubernetes.io/index",
  "config.k8s.io/id",
];

/** All annotations that are removed at the end of a build. */
export const buildAnnotations: readonly string[] = [
  ...Object.values(buildAnnotation),
  ...filePositions,
  ...legacyPositions,
  `${domain}/helm-generated`,
];

/** Annotations that a JSON patch does not take away. */
export const isInternalAnnotation = (name: string): boolean =>
  name.startsWith(`${domain}/`) || legacyPositions.includes(name);
