/** Where v1 keeps what it has no fields for: metrics, what they are, behaviour and conditions. */
export const metricSpecsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
export const metricStatusesAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics";
export const conditionsAnnotation = "autoscaling.alpha.kubernetes.io/conditions";
export const behaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";

/** All of them, and others that are kept free for such. */
export const roundTripAnnotations: readonly string[] = [
  metricSpecsAnnotation,
  metricStatusesAnnotation,
  conditionsAnnotation,
  behaviorAnnotation,
  "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
  "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
];
const roundTrip = new Set(roundTripAnnotations);

/** The annotations that are not another form of fields. */
export function ownAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations ?? {}).filter(([key]) => !roundTrip.has(key)),
  );
}

/** Takes those that are another form of fields from an object that has the fields. */
export function dropRoundTripAnnotations(metadata: {
  annotations?: Record<string, string> | undefined;
}): void {
  if (!metadata.annotations) return;
  if (Object.keys(metadata.annotations).some((key) => roundTrip.has(key)))
    metadata.annotations = ownAnnotations(metadata.annotations);
}
