import { literal, type Replaceable, Source } from "../generated-code/generate.ts";
import { isMap } from "../json/json-value.ts";
import type { MapShape, Shape } from "../language/shape.ts";
import { close, type FieldsTrail, leaf, open } from "./fields-trail.ts";
import { fieldElement } from "./path-element.ts";

/** Writes a value that has come as fieldsV1: itself, and all that is in it. */
export type WriteWhole = (value: unknown) => void;

/**
 * A function that writes the values of a struct, made for its fields; undefined for what is no struct.
 * Of a struct with a text and a list of ports:
 *
 *     (value) => {
 *       if (!isMap(value)) return trail.add("{}");
 *       trail.add("{\".\":{}");
 *       if (value["name"] !== undefined) trail.add(",\"f:name\":{}");
 *       if (value["ports"] !== undefined) { trail.add(",\"f:ports\":"); ports.run(value["ports"]); }
 *       trail.add("}");
 *     }
 */
export function generateWhole(
  { map, list, scalar }: Shape,
  to: { readonly trail: FieldsTrail; writerOf(shape: Shape): Replaceable<WriteWhole> },
): WriteWhole | undefined {
  if (!map || list || scalar || !isStruct(map)) return undefined;
  const source = new Source();
  const add = (text: string) => `${source.use(to.trail, "trail")}.add(${literal(text)});`;
  const fields = [...map.fields].map(([name, { shape }]) => {
    const value = `value[${literal(name)}]`;
    const label = `,${JSON.stringify(fieldElement(name))}:`;
    const write = isWhole(shape)
      ? add(label + leaf)
      : `${add(label)} ${source.use(to.writerOf(shape), name)}.run(${value});`;
    return `if (${value} !== undefined) { ${write} }`;
  });
  return source.toFunction(
    `(value) => {
      if (!${source.use(isMap, "isMap")}(value)) return ${add(leaf)}
      ${add(open)}
      ${fields.join("\n")}
      ${add(close)}
    }`,
  );
}

/** Whether a map has nothing but fields, none of which every object has by another meaning. */
const isStruct = ({ isAtomic, fields, items }: MapShape): boolean =>
  !isAtomic && !items && fields.size > 0 && ![...fields.keys()].some((name) => name in {});

/** Whether values of a shape are owned as a whole, whatever is in them. */
const isWhole = ({ map, list }: Shape): boolean =>
  (map?.isAtomic ?? true) && (list?.kind ?? "atomic") === "atomic";
