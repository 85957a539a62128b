import { errorMessage } from "../../base/error-message.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { goType } from "../../schema/values/go-print.ts";
import { goSorted } from "../../schema/values/go-sort.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../schema/values/quantity.ts";
import { quote } from "../../schema/values/quote.ts";
import { compareUtf8 } from "../../schema/values/utf8-order.ts";
import { JsonPathTemplate } from "./jsonpath/json-path-template.ts";
import { relaxedPath } from "./jsonpath/relaxed-path.ts";
import type { TableRow } from "./table.ts";

/** Sorts objects by what a path leads to; objects without it come first. Throws with kubectl's words. */
export function sortObjects(
  objects: readonly ReadonlyJsonMap[],
  path: string,
): readonly ReadonlyJsonMap[] {
  if (objects.length === 0) return objects;
  const field = relaxedPath(path);
  return sortedBy(objects, new Field(field, new JsonPathTemplate(field, found)));
}

/** Sorts the rows of a table by what a path leads to in their objects. Throws with kubectl's words. */
export function sortRows(rows: readonly TableRow[], path: string): readonly TableRow[] {
  if (rows.length <= 1) return rows;
  const parsed = relaxedOr(path);
  const field = new Field(parsed, templateOf(parsed), true);
  return sortedBy(rows, field, ({ object }) => rowKey(field, object));
}

function templateOf(path: string): JsonPathTemplate {
  try {
    return new JsonPathTemplate(path, found);
  } catch (error) {
    throw new Error(`sorting error: ${errorMessage(error)}`, { cause: error });
  }
}

function rowKey(field: Field, object: unknown): Key {
  try {
    return field.valueIn(object);
  } catch (error) {
    const fault = `&errors.errorString{s:${quote(errorMessage(error))}}`;
    throw new Error(
      `Failed to get values for [][]reflect.Value(nil) using ${field.path} (${fault})`,
    );
  }
}

const found = { allowMissingKeys: true };

function relaxedOr(path: string): string {
  try {
    return relaxedPath(path);
  } catch {
    // The parser has the better message.
    return path;
  }
}

class Field {
  readonly path: string;
  /** Whether rows of a table are sorted, not objects. */
  readonly isOfRows: boolean;
  readonly #template: JsonPathTemplate;

  constructor(path: string, template: JsonPathTemplate, isOfRows = false) {
    this.path = path;
    this.#template = template;
    this.isOfRows = isOfRows;
  }

  /** The first value in an object; undefined if there is none. */
  valueIn(object: unknown): Key {
    const [values = []] = this.#template.find(object);
    return values.length === 0 ? undefined : { value: values[0] };
  }
}

function sortedBy<T>(
  items: readonly T[],
  field: Field,
  keyOf: (item: T) => Key = (item) => field.valueIn(item),
): readonly T[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  if (keyed.every(({ key }) => key === undefined))
    throw new Error(
      `couldn't find any field with path ${quote(field.path)} in the list of objects`,
    );
  const compare = (a: Keyed<T>, b: Keyed<T>): number => {
    if (!a.key || !b.key) return Number(a.key !== undefined) - Number(b.key !== undefined);
    return compareValues(a.key.value, b.key.value, field);
  };
  // Upstream finds what has no value less than anything, which turns the order of such objects around.
  return goSorted(keyed, (a, b) => !a.key || compare(a, b) < 0).map(({ item }) => item);
}

interface Keyed<T> {
  readonly item: T;
  readonly key: Key;
}

type Key = { readonly value: unknown } | undefined;

function compareValues(a: unknown, b: unknown, field: Field): number {
  const isNil = [a, b].map((value) => value === null || value === undefined);
  if (isNil[0] || isNil[1]) return Number(!isNil[0]) - Number(!isNil[1]);
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  const type = goType(a);
  if (type !== "int64" && type !== "float64" && type !== "string")
    throw unsortable(field, `unsortable type: ${type}`);
  if (type !== goType(b)) throw unsortable(field, "unsortable interface: interface");
  return (a as number) < (b as number) ? -1 : Number((a as number) > (b as number));
}

/** Texts that are both quantities are compared as such, so that `900m` comes before `1`. */
function compareTexts(a: string, b: string): number {
  const x = quantity(a);
  const y = x && quantity(b);
  return x && y ? compareQuantities(x, y) : compareUtf8(a, b);
}

function quantity(text: string): Quantity | undefined {
  try {
    return parseQuantity(text);
  } catch {
    return undefined;
  }
}

/** Values have no order. The original ends at once with a line of its log. */
export class UnsortableError extends Error {
  override readonly name = "UnsortableError";
  /** Where the original's source has the line. */
  readonly place: string;

  constructor(message: string, place: string) {
    super(message);
    this.place = place;
  }
}

function unsortable({ path, isOfRows }: Field, why: string): UnsortableError {
  const type = isOfRows ? "[][][]reflect.Value" : "*unstructured.Unstructured";
  return new UnsortableError(
    `Field ${path} in ${type} is an unsortable type: interface, err: ${why}`,
    isOfRows ? "sorter.go:375" : "sorter.go:329",
  );
}
