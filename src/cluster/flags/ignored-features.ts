import type { FeatureSettings } from "./feature-gates-flag.ts";

/** Adds the problems of feature gates to `problems`; returns warnings for gates that have no effect. */
export async function ignoredFeatures(
  settings: FeatureSettings,
  problems: string[],
): Promise<readonly string[]> {
  if (settings.size === 0) return [];
  // Load the list of gates only if one is given.
  const { checkFeatureGates } = await import("./check-feature-gates.ts");
  const checked = checkFeatureGates(settings);
  problems.push(...checked.problems);
  return checked.changed.map((name) => `feature gate ${name} has no effect here`);
}
