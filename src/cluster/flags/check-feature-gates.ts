import { boolFlag } from "../../cli/flag.ts";
import { featureDependencies, featureGates } from "./feature-gates.ts";
import type { FeatureSettings } from "./feature-gates-flag.ts";

/** The result of checking feature gates. */
export interface CheckedFeatures {
  /** The problems, in upstream's words. */
  readonly problems: readonly string[];
  /** The gates that are not set to their default. */
  readonly changed: readonly string[];
  /** The features that are on. */
  readonly on: ReadonlySet<string>;
}

/** The stage of a feature: `Beta`. */
export const stageOf = (name: string): string | undefined => featureGates.get(name)?.stage;

/** Checks names and values of feature gates as v1.36 does. */
export function checkFeatureGates(settings: FeatureSettings): CheckedFeatures {
  const wrong = (problem: string): CheckedFeatures => ({
    problems: [problem],
    changed: [],
    on: enabled(new Map()),
  });
  for (const component of settings.keys()) {
    if (component === "" && settings.has("kube"))
      return wrong(
        "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use",
      );
    if (component !== "" && component !== "kube")
      return wrong(`component not registered: ${component}`);
  }
  const wanted = new Map<string, boolean>();
  for (const setting of [...settings.values()].flat()) {
    const equals = setting.indexOf("=");
    const name = (equals < 0 ? setting : setting.slice(0, equals)).trim();
    if (equals < 0) return wrong(`missing bool value for ${name}`);
    const value = setting.slice(equals + 1).trim();
    try {
      wanted.set(name, boolFlag({ usage: "" }).read(value, undefined));
    } catch (error) {
      return wrong(`invalid value of ${name}=${value}, err: ${(error as Error).message}`);
    }
  }
  return checkGates(wanted);
}

/** Checks the values of feature gates by name. */
export function checkGates(wanted: ReadonlyMap<string, boolean>): CheckedFeatures {
  const refused = refusals(wanted);
  if (refused.length > 0) return { problems: refused, changed: [], on: enabled(new Map()) };
  const changed = [...wanted].filter(([name, value]) => featureGates.get(name)?.default !== value);
  const on = enabled(wanted);
  return { problems: missing(on), changed: changed.map(([name]) => name), on };
}

/** Why gates cannot be set. */
function refusals(wanted: ReadonlyMap<string, boolean>): string[] {
  const unknown = [...wanted.keys()].find((name) => !featureGates.has(name));
  if (unknown !== undefined) return [`unrecognized feature gate: ${unknown}`];
  return [...wanted].flatMap(([name, value]) => {
    const gate = featureGates.get(name);
    return gate?.locked && gate.default !== value
      ? [`cannot set feature gate ${name} to ${value}, feature is locked to ${gate.default}`]
      : [];
  });
}

/** Which features are on: by their own gate, by AllAlpha or AllBeta, or by default. */
function enabled(wanted: ReadonlyMap<string, boolean>): ReadonlySet<string> {
  const on = [...featureGates].filter(([name, gate]) => {
    const ofStage = gate.locked ? undefined : wanted.get(`All${gate.stage}`);
    return wanted.get(name) ?? ofStage ?? gate.default;
  });
  return new Set(on.map(([name]) => name));
}

function missing(on: ReadonlySet<string>): string[] {
  return [...featureDependencies].flatMap(([name, needs]) => {
    const off = needs.filter((need) => !on.has(need));
    if (!on.has(name) || off.length === 0) return [];
    return [`${name} is enabled, but depends on features that are disabled: [${off.join(" ")}]`];
  });
}
