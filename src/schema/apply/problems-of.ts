import { isMap, type ReadonlyJsonMap as JsonMap } from "../json/json-value.ts";
import type { ListShape, MapShape, Shape } from "../language/shape.ts";
import { GoValue, goString } from "../values/go-print.ts";
import { elementText, fieldElement, indexElement, type PathElement } from "./path-element.ts";
import {
  badItem,
  checkScalar,
  duplicate,
  formOf,
  type Problem,
  problem,
  shapeOfMember,
  stepTo,
  under,
} from "./typed.ts";

/** Every way in which a value does not have a shape. */
export function problemsOf(
  shape: Shape,
  value: unknown,
  options: { readonly allowDuplicates: boolean },
): Problem[] {
  const visit = (inner: Shape, child: unknown): Problem[] => {
    const { map, scalar, list } = inner;
    switch (formOf(inner, child)) {
      case "map":
        if (child === null) return [];
        if (!map || !isMap(child) || child instanceof GoValue)
          return [problem(`expected map, got &{${goString(child)}}`)];
        return members(map, child);
      case "scalar":
        return scalar ? checkScalar(scalar, child) : [];
      case "list":
        if (child === null) return [];
        if (!list || !Array.isArray(child))
          return [problem(`expected list, got &{${goString(child)}}`)];
        return items(list, child);
      default:
        return [problem("schema error: invalid atom: inlined")];
    }
  };

  const members = (map: MapShape, value: JsonMap): Problem[] => {
    const found: Problem[] = [];
    for (const name in value) {
      const prefix = `.${name}`;
      const inner = shapeOfMember(map, name);
      if (!inner) return [...found, problem("field not declared in schema", prefix)];
      const problems = visit(inner, value[name]);
      if (problems.length > 0) found.push(...under(elementText(fieldElement(name)), problems));
    }
    return found;
  };

  const items = (list: ListShape, values: readonly unknown[]): Problem[] => {
    const found: Problem[] = [];
    const seen = new Set<PathElement>();
    for (const [index, item] of values.entries()) {
      const step = list.kind === "atomic" ? indexElement(index) : stepTo(list, item);
      if (typeof step !== "string") return [...found, badItem(index, step)];
      if (seen.has(step) && !options.allowDuplicates) found.push(duplicate(step));
      seen.add(step);
      const problems = visit(list.items, item);
      if (problems.length > 0) found.push(...under(elementText(step), problems));
    }
    return found;
  };

  return visit(shape, value);
}
