import { badRequest } from "../../api/meta/v1/status-error.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import {
  type FieldSelector,
  parseFieldSelector,
  requiredFieldValue,
} from "../../schema/selectors/field-selector.ts";
import {
  everything,
  parseLabelSelector,
  type Selector,
} from "../../schema/selectors/label-selector.ts";
import { quote } from "../../schema/values/quote.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import type { ListOptions } from "../request/query.ts";

/** Which objects of a kind a list or watch is about. */
export interface Selection {
  /** The selected name, if a single one is selected. */
  readonly name: string | undefined;
  /** Whether anything but namespace and name is selected by. */
  readonly selects: boolean;
  matches(object: ApiObject): boolean;
}

/** Compiles the selectors of a request; throws BadRequest with upstream's words. */
export function selectionOf(
  kind: AnyKind,
  { labelSelector, fieldSelector }: Pick<ListOptions, "labelSelector" | "fieldSelector">,
): Selection {
  if (labelSelector === "" && fieldSelector === "") return all;
  const labels = parse(parseLabelSelector, labelSelector, everything);
  const fields = parse(parseFieldSelector, fieldSelector, []);
  const readers = fields.map(({ field, operator, value }) => {
    const read = fieldReader(kind, field);
    return (object: ApiObject) => (read(object) === value) === (operator === "=");
  });
  return {
    name: requiredFieldValue(fields, "metadata.name"),
    selects: true,
    matches: (object) =>
      labels.matches(object.metadata.labels) && readers.every((holds) => holds(object)),
  };
}

const all: Selection = { name: undefined, selects: false, matches: () => true };

function parse<T extends Selector | FieldSelector>(
  read: (text: string) => T,
  text: string,
  empty: T,
): T {
  if (text === "") return empty;
  try {
    return read(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(error.message);
    throw error;
  }
}

type FieldReader = (object: ApiObject) => string;

function fieldReader(kind: AnyKind, field: string): FieldReader {
  if (Object.hasOwn(kind.selectableFields, field))
    return kind.selectableFields[field] as FieldReader;
  if (field === "metadata.name") return ({ metadata }) => metadata.name ?? "";
  if (field === "metadata.namespace" && (kind.scope === "Namespaced" || hasCommonFields(kind)))
    return ({ metadata }) => metadata.namespace ?? "";
  throw badRequest(unknownField(kind, field));
}

/** Whether a kind can be selected by name and namespace only, although it may have no namespace. */
const hasCommonFields = (kind: AnyKind): boolean =>
  !kind.unknownField && Object.keys(kind.selectableFields).length === 0;

/** Kinds with fields of their own to select on say it in their own words. */
function unknownField(kind: AnyKind, field: string): string {
  if (kind.unknownField) return kind.unknownField(field);
  if (!hasCommonFields(kind))
    return kind.group === "resource.k8s.io"
      ? `field label not supported for ${apiVersionOf(kind)}, Kind=${kind.kind}: ${field}`
      : `field label not supported: ${field}`;
  return `${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
