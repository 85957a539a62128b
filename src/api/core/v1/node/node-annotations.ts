import { jsonValue, parseJson } from "../../../../schema/json/strict-json.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Taint, validateTaints } from "../scheduling/taint.ts";

const taintsKey = "scheduler.alpha.kubernetes.io/taints";
const avoidPodsKey = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/** The rules of annotations that mean something on nodes. */
export function validateNodeAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  at: At,
): void {
  const taints = annotations?.[taintsKey];
  if (taints) validateTaintsAnnotation(taints, at);
  const avoid = annotations?.[avoidPodsKey];
  if (avoid) validateAvoidPods(avoid, at);
}

function validateTaintsAnnotation(text: string, at: At): void {
  const taints = attempt(() => readTaints(text));
  if (typeof taints === "string") at.invalid("", taintsKey, taints);
  else validateTaints(taints, at.child(taintsKey));
}

function validateAvoidPods(text: string, at: At): void {
  const controllers = attempt(() => readAvoidedControllers(text));
  if (typeof controllers === "string") {
    at.invalid("AvoidPods", avoidPodsKey, controllers);
    return;
  }
  for (const [i, controller] of controllers.entries()) {
    const here = at.child(avoidPodsKey).index(i).child("PodSignature");
    if (controller === undefined) here.required();
    else if (controller.controller === false)
      here.child("PodController").invalid("Controller", false, "must point to a controller");
  }
}

/** The outcome of reading, or what is wrong with the text. */
function attempt<T extends object>(read: () => T): T | string {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof SyntaxError) return fault.message;
    throw fault;
  }
}

function readTaints(text: string): readonly Taint[] {
  const value = jsonValue(parseJson(text));
  if (value === null) return [];
  if (!Array.isArray(value)) throw mismatch(value, "Go value of type []core.Taint");
  return value.map((item) => {
    const members = membersOf(item, "Go value of type core.Taint");
    const member = (name: string): string => {
      const given = members.get(name.toLowerCase()) ?? "";
      if (typeof given !== "string")
        throw mismatch(given, `Go struct field Taint.${name} of type string`);
      return given;
    };
    return { key: member("Key"), value: member("Value"), effect: member("Effect") };
  });
}

interface Controller {
  readonly controller?: unknown;
}

function readAvoidedControllers(text: string): readonly (Controller | undefined)[] {
  const value = membersOf(jsonValue(parseJson(text)), "Go value of type v1.AvoidPods");
  const entries = value.get("preferavoidpods") ?? [];
  if (!Array.isArray(entries))
    throw mismatch(
      entries,
      "Go struct field AvoidPods.preferAvoidPods of type []v1.PreferAvoidPodsEntry",
    );
  return entries.map((entry) => {
    const signature = (entry as { podSignature?: { podController?: Controller | null } } | null)
      ?.podSignature;
    return signature?.podController ?? undefined;
  });
}

/** Go takes the names of members whatever their case. */
function membersOf(value: unknown, target: string): ReadonlyMap<string, unknown> {
  if (value === null) return new Map();
  if (typeof value !== "object" || Array.isArray(value)) throw mismatch(value, target);
  return new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]));
}

function mismatch(value: unknown, target: string): SyntaxError {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return new SyntaxError(`json: cannot unmarshal ${type} into ${target}`);
}

/** Of a node that serves the cluster's DNS at its addresses: `true`. */
export const servesDnsAnnotation = "wherry.dev/serves-dns";
