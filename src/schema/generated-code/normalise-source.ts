import type { Field } from "../language/field.ts";
import type { Struct } from "../language/struct.ts";
import { structOf, type Type } from "../language/type.ts";
import { literal, type Replaceable, Source } from "./generate.ts";
import { type MakeObject, objectMaker } from "./object-maker.ts";

export type Normaliser = (value: unknown) => unknown;

/** What generated functions share with those that interpret. */
export interface Normalising {
  /** What is thrown at the first value that is not as declared. */
  readonly odd: Error;
  /** How many members of objects were recognised. */
  readonly count: { members: number };
  /** What a field's value becomes; undefined where it is a zero that is not written. */
  valueOf(field: Field): Normaliser;
  /** What stands for a field that is absent, or zero. */
  absentOf(field: Field): () => unknown;
  ofStruct(struct: Struct): Replaceable<Normaliser>;
}

/**
 * A function that normalises values of a struct, made for its fields; undefined where there can be
 * none. Of a struct with a text and a probe:
 *
 *     (input) => {
 *       if (typeof input !== "object" || input === null || Array.isArray(input)) throw odd;
 *       let v0, v1;
 *       const name = input["name"];
 *       if (name !== undefined) {
 *         count.members++;
 *         if (name !== null) { if (typeof name !== "string") throw odd; if (name !== "") v0 = name; }
 *       }
 *       … probe …
 *       return make((v0 === undefined ? 0 : 1) | (v1 === undefined ? 0 : 2), v0, v1);
 *     }
 *
 * Unlike what interprets, it makes the object anew even if it is in order: that costs less than to find
 * out, and objects of equal fields are alike to the compiler wherever they come from.
 */
export function generateNormaliser(struct: Struct, parts: Normalising): Normaliser | undefined {
  const names = Object.keys(struct.fields);
  const make = objectMaker(names);
  if (!make) return undefined;
  const source = new Source();
  const odd = source.use(parts.odd, "odd");
  const count = source.use(parts.count, "count");
  const fields = Object.values(struct.fields).map((field, i) => {
    const absent = absentSource(field, parts, source);
    return `const given${i} = input[${literal(names[i] as string)}];
      let value${i};
      if (given${i} !== undefined) {
        ${count}.members++;
        if (given${i} !== null) { ${valueSource(field, i, { parts, source, odd })} }
      }
      ${absent === undefined ? "" : `if (value${i} === undefined) value${i} = ${absent};`}`;
  });
  return source.toFunction(
    `(input) => {
      if (typeof input !== "object" || input === null || Array.isArray(input)) throw ${odd};
      ${fields.join("\n")}
      return ${makeSource(make, names.length, source)};
    }`,
  );
}

interface Context {
  readonly parts: Normalising;
  readonly source: Source;
  readonly odd: string;
}

/** Statements that set the value of a field to what becomes of what is given, which is not null. */
function valueSource(field: Field, i: number, { parts, source, odd }: Context): string {
  const { type, zero } = field;
  const [given, value] = [`given${i}`, `value${i}`];
  const keepsZero = zero === "pointer" || zero === "null";
  switch (type.code) {
    case "string":
    case "bool": {
      const js = type.code === "bool" ? "boolean" : "string";
      const take = keepsZero ? `${value} = ${given};` : `if (${given}) ${value} = ${given};`;
      return `if (typeof ${given} !== "${js}") throw ${odd}; ${take}`;
    }
    case "struct":
      if (zero === "omit") break;
      return `${value} = ${cellSource(type, parts, source)}.run(${given});`;
    case "list":
      if (type.of?.code !== "struct") break;
      return listSource(field, i, { parts, source, odd });
    default:
  }
  return `${value} = ${source.use(parts.valueOf(field), "valueOf")}(${given});`;
}

/** Items that are structs are taken in turn; how an empty list and what is no list fare is not repeated. */
function listSource(field: Field, i: number, { parts, source }: Context): string {
  const [given, value] = [`given${i}`, `value${i}`];
  const item = cellSource(field.type.of as Type, parts, source);
  return `if (!Array.isArray(${given}) || ${given}.length === 0 || ${given}.includes(null))
      ${value} = ${source.use(parts.valueOf(field), "valueOf")}(${given});
    else {
      ${value} = new Array(${given}.length);
      for (let k = 0; k < ${given}.length; k++) ${value}[k] = ${item}.run(${given}[k]);
    }`;
}

const cellSource = (type: Type, parts: Normalising, source: Source): string =>
  source.use(parts.ofStruct(structOf(type) as Struct), "struct");

/** What stands for a field that is absent; undefined where nothing does. */
function absentSource(field: Field, parts: Normalising, source: Source): string | undefined {
  if (field.zero !== "always" && field.zero !== "null") return undefined;
  const absent = source.use(parts.absentOf(field), "absent");
  return `${absent}()`;
}

/** The object made of all values that are not undefined. */
function makeSource(make: MakeObject, fields: number, source: Source): string {
  const values = Array.from({ length: fields }, (_, i) => `value${i}`);
  const bits = values.map((value, i) => `(${value} === undefined ? 0 : ${2 ** (i % 31)})`);
  const low = bits.slice(0, 31).join(" | ") || "0";
  const high = bits.slice(31).join(" | ") || "0";
  return `${source.use(make, "make")}.of(${low}, ${high})(${values.join(", ")})`;
}
