import type { Scale } from "../../api/autoscaling/v1/scale.ts";
import { badRequest, internalError, StatusError } from "../../api/meta/v1/status-error.ts";
import { isMap, type JsonMap } from "../../schema/json/json-value.ts";
import { setMember } from "../../schema/json/strict-json.ts";
import type { ScalePaths } from "../../schema/language/kind.ts";
import { quote } from "../../schema/values/quote.ts";
import type { ApiObject } from "../objects/object.ts";
import { lookUp, wrongType } from "./scale-paths-validation.ts";

/** The Scale of an object, by the paths in its definition. */
export function scaleByPaths(paths: ScalePaths, object: ApiObject): Scale {
  const scale = changeableScale(paths, object);
  if (scale.spec.replicas !== unset) return scale;
  throw internalError(
    new Error(`the spec replicas field ${quote(textOf(paths.replicas))} does not exist`),
  );
}

/** Stands for a number that the object does not have. */
const unset = -(2 ** 31);

/** The Scale to change: its replicas may still be missing. */
export function changeableScale(paths: ScalePaths, object: ApiObject): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = (valueAt(object, paths.replicas, "int64") as number | undefined) ?? unset;
  const current = (valueAt(object, paths.currentReplicas, "int64") as number | undefined) ?? 0;
  const selector = paths.selector && (valueAt(object, paths.selector, "string") as string);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: current, ...(selector && { selector }) },
  };
}

/** The Scale to validate: missing replicas count as 0. */
export function judgedScale(paths: ScalePaths, object: ApiObject): Scale {
  const scale = changeableScale(paths, object);
  return scale.spec.replicas === unset ? { ...scale, spec: {} } : scale;
}

/** Sets the replicas of a Scale in an object, which is changed. */
export function setReplicas(object: JsonMap, { replicas: path }: ScalePaths, scale: Scale): void {
  const { replicas = 0 } = scale.spec;
  if (replicas === unset)
    throw badRequest(`the spec replicas field ${quote(textOf(path))} cannot be empty`);
  const names = path.slice(0, -1);
  let place = object;
  for (const name of names) {
    // `__proto__` in a path is a member of the object, never its prototype.
    if (!Object.hasOwn(place, name) || !isMap(place[name])) setMember(place, name, {});
    place = place[name] as JsonMap;
  }
  setMember(place, path.at(-1) ?? "", replicas);
}

const textOf = (names: readonly string[]): string => `.${names.join(".")}`;

function valueAt(object: unknown, names: readonly string[], type: "int64" | "string"): unknown {
  const { value, fault } = lookUp(object, names);
  const problem = fault ?? wrongType(textOf(names), value, type);
  if (problem !== undefined) throw new StatusError("", problem, { code: 500 });
  return value;
}
