import { literal, Source } from "./generate.ts";

/** Fills in the defaults of an object, in place. */
export type Defaulter = (value: Record<string, unknown>) => void;

/** What is filled in: by the struct as a whole, for its own fields, and in what those hold. */
export interface Defaults {
  readonly whole: Defaulter | undefined;
  readonly own: readonly (readonly [name: string, value: unknown])[];
  readonly nested: readonly (readonly [name: string, apply: (value: unknown) => void])[];
  /** Objects and lists are copied. */
  copy(value: unknown): unknown;
}

/**
 * A function that fills in the defaults of a struct, made for its fields; undefined where there can be
 * none. Of a struct with a number and a probe:
 *
 *     (value) => {
 *       if (value["port"] === undefined || value["port"] === null) value["port"] = 80;
 *       if (value["probe"] !== undefined && value["probe"] !== null) probe(value["probe"]);
 *     }
 */
export function generateDefaulter({ whole, own, nested, copy }: Defaults): Defaulter | undefined {
  if ([...own, ...nested].some(([name]) => name in {})) return undefined;
  const source = new Source();
  const standardSource = (standard: unknown): string => {
    const name = source.use(standard, "standard");
    return typeof standard === "object" ? `${source.use(copy, "copy")}(${name})` : name;
  };
  const filled = own.map(([name, standard]) => {
    const field = `value[${literal(name)}]`;
    return `if (${field} === undefined || ${field} === null) ${field} = ${standardSource(standard)};`;
  });
  const held = nested.map(([name, apply]) => {
    const field = `value[${literal(name)}]`;
    return `if (${field} !== undefined && ${field} !== null) ${source.use(apply, name)}(${field});`;
  });
  const first = whole ? `${source.use(whole, "whole")}(value);` : "";
  return source.toFunction(`(value) => { ${[first, ...filled, ...held].join("\n")} }`);
}
