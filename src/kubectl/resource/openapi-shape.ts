import { isMap } from "../../schema/json/json-value.ts";
import type { PatchStrategy } from "../../schema/language/field.ts";
import type { FieldShape, Shape } from "../../schema/language/shape.ts";
import {
  isSameKind,
  type OpenapiDocument,
  type OpenapiKind,
  type OpenapiSchema,
  patchOperation,
} from "../factory/openapi-v3.ts";

const strategicType = "application/strategic-merge-patch+json";
const kindsMember = "x-kubernetes-group-version-kind";

/** How strategic merge patches merge objects of a kind, as the server's document has it; undefined if it takes none. */
export function openapiShape(document: OpenapiDocument, kind: OpenapiKind): Shape | undefined {
  const content = patchOperation(document, kind)?.requestBody?.content;
  if (!content || !Object.hasOwn(content, strategicType)) return undefined;
  const schemas = document.components?.schemas ?? {};
  const schema = Object.values(schemas).find((one) => {
    const of = one?.[kindsMember];
    return Array.isArray(of) && of.some((each: OpenapiKind) => isSameKind(each, kind));
  });
  return schema && new ShapeReader(schemas).shape(schema);
}

/** Makes shapes of schemas when they are looked at: schemas may contain themselves. */
class ShapeReader {
  readonly #schemas: Readonly<Record<string, OpenapiSchema | undefined>>;
  readonly #shapes = new Map<OpenapiSchema, Shape>();

  constructor(schemas: Readonly<Record<string, OpenapiSchema | undefined>>) {
    this.#schemas = schemas;
  }

  shape(schema: OpenapiSchema): Shape {
    const target = this.#resolved(schema);
    let shape = this.#shapes.get(target);
    if (!shape) {
      shape = this.#made(target);
      this.#shapes.set(target, shape);
    }
    return shape;
  }

  #made(schema: OpenapiSchema): Shape {
    const { items, properties } = schema;
    const shapeOf = (of: OpenapiSchema): Shape => this.shape(of);
    if (isMap(items))
      return {
        list: {
          kind: "atomic",
          keys: [],
          get items() {
            return shapeOf(items);
          },
        },
      };
    if (!isMap(properties)) return schema.type === "object" ? freeShape : { scalar: "untyped" };
    const fields = new Map(
      Object.entries(properties).flatMap(([name, field]): [string, FieldShape][] =>
        isMap(field) ? [[name, this.#field(field)]] : [],
      ),
    );
    return { map: { isAtomic: false, fields, items: undefined } };
  }

  #field(schema: OpenapiSchema): FieldShape {
    const strategy = schema["x-kubernetes-patch-strategy"];
    const mergeKey = schema["x-kubernetes-patch-merge-key"];
    const shapeOf = (of: OpenapiSchema): Shape => this.shape(of);
    return {
      get shape() {
        return shapeOf(schema);
      },
      patchStrategy: typeof strategy === "string" ? (strategy as PatchStrategy) : undefined,
      patchMergeKey: typeof mergeKey === "string" ? mergeKey : undefined,
      // Documents do not tell, and a member that is a map may be looked up as a list.
      isPointer: true,
    };
  }

  #resolved(schema: OpenapiSchema): OpenapiSchema {
    const { allOf } = schema;
    const inner = Array.isArray(allOf) && isMap(allOf[0]) ? allOf[0] : schema;
    const { $ref } = inner;
    if (typeof $ref !== "string") return inner;
    const found = this.#schemas[$ref.replace("#/components/schemas/", "")];
    if (!found) throw new Error(`unable to resolve ${$ref} in OpenAPI V3`);
    return found;
  }
}

const freeShape: Shape = { map: { isAtomic: false, fields: new Map(), items: undefined } };
