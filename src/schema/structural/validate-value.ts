import { isMap, type JsonMap, sameJson } from "../json/json-value.ts";
import type { At } from "../language/report.ts";
import { goRegexp, regexpFault } from "../regexp/go-regexp.ts";
import { quote } from "../values/quote.ts";
import type { Correlated } from "./correlated.ts";
import { Findings } from "./findings.ts";
import { hasFormat } from "./formats.ts";
import { additionalOf, itemsOf, type JsonSchema, propertyOf, typesOf } from "./json-schema.ts";
import { validateNumber } from "./validate-number.ts";

/** Reports all that is wrong with a value by its schema. */
export function validateValue(schema: JsonSchema, value: unknown, at: At): void {
  check(schema, value, { path: "", before: undefined }).report(at);
}

/**
 * The same for a value that was another one before: what is wrong with parts that did not change is
 * left. What cannot be told what it was is looked at as a whole.
 */
export function validateValueUpdate(
  {
    schema,
    correlated,
  }: { readonly schema: JsonSchema; readonly correlated: Correlated | undefined },
  value: unknown,
  at: At,
): void {
  ratcheted(schema, value, { path: "", before: correlated }).report(at);
}

/** Where a value stands, and what it was. */
interface Place {
  readonly path: string;
  readonly before: Correlated | undefined;
}

/** What is wrong with a value, unless it was the same before. */
function ratcheted(schema: JsonSchema, value: unknown, place: Place): Findings {
  const found = check(schema, value, place);
  return found.isValid || !place.before?.isSame ? found : found.forgiven();
}

/** Checks that hold are counted: of several schemas that fail, the one that fits best is spoken of. */
function check(schema: JsonSchema, value: unknown, place: Place): Findings {
  const { path } = place;
  const found = new Findings();
  if (value === null) {
    found.merge(checkType(schema, null, path));
    return found.merge(checkEnum(schema, null, path));
  }
  if (typesOf(schema).length > 0 || schema.format)
    found.merge(checkType(schema, value, path)).held();
  found.merge(checkJunctors(schema, value, place)).held();
  if (typeof value === "string") {
    found.merge(checkText(schema, value, path)).held();
    const fits = hasFormat(schema.format ?? "", value);
    if (fits !== undefined) {
      if (!fits) found.wrongType(path, schema.format ?? "", value);
      found.held();
    }
  }
  if (typeof value === "number" || typeof value === "bigint")
    found.merge(validateNumber(schema, value, path)).held();
  if (Array.isArray(value)) found.merge(checkList(schema, value, place)).held();
  found.merge(checkEnum(schema, value, path)).held();
  if (isMap(value)) found.merge(checkObject(schema, value, place)).held();
  return found.held();
}

function checkType(schema: JsonSchema, value: unknown, path: string): Findings {
  const { format = "", nullable } = schema;
  const types = typesOf(schema);
  const found = new Findings();
  if (value === null) {
    if (types.length > 0 && !types.includes("null") && !nullable)
      found.wrongType(path, types.join(","), "null");
    else found.held();
    return found;
  }
  const [actual, width] = typeOf(value);
  const isText = typeof value === "string" || Array.isArray(value);
  const isNumber = types.includes("number") || types.includes("integer");
  const fits = types.includes(actual) || (actual === "integer" && types.includes("number"));
  if (!isText && format !== "" && !fits && width !== format) found.wrongType(path, format, width);
  else if (isText && format !== "" && !isNumber) found.held();
  else if (!fits) found.wrongType(path, types.join(","), actual);
  else found.held();
  return found;
}

/** The type of a value, and the format in which Go holds it. */
function typeOf(value: unknown): readonly [type: string, format: string] {
  if (typeof value === "boolean") return ["boolean", ""];
  if (typeof value === "string") return ["string", ""];
  if (typeof value === "bigint") return ["integer", "int64"];
  if (typeof value === "number")
    return isInt64(value) ? ["integer", "int64"] : ["number", "float64"];
  return [Array.isArray(value) ? "array" : "object", ""];
}

/** Upstream holds an integer of more than 64 bits as a number with a fraction. */
const isInt64 = (value: number): boolean =>
  Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;

function checkText(schema: JsonSchema, value: string, path: string): Findings {
  const { maxLength, minLength, pattern } = schema;
  const found = new Findings();
  const length = [...value].length;
  if (maxLength !== undefined && length > maxLength) found.tooLong(path, maxLength);
  else if (minLength !== undefined && length < minLength)
    found.invalid(path, value, `should be at least ${minLength} chars long`);
  else if (pattern) {
    const fault = regexpFault(pattern);
    if (fault !== undefined)
      found.invalid(path, value, `should match '${pattern}, but pattern is invalid: ${fault}'`);
    else if (!goRegexp(pattern).test(value))
      found.invalid(path, value, `should match '${pattern}'`);
  }
  return found;
}

function checkList(schema: JsonSchema, value: readonly unknown[], place: Place): Findings {
  const { minItems, maxItems, uniqueItems } = schema;
  const { path, before } = place;
  const found = new Findings();
  const items = itemsOf(schema);
  if (items)
    for (const [i, item] of value.entries())
      found.merge(ratcheted(items, item, { path: `${path}[${i}]`, before: before?.item(i) }));
  if (minItems !== undefined && value.length < minItems)
    found.invalid(path, value.length, `should have at least ${minItems} items`);
  if (maxItems !== undefined && value.length > maxItems)
    found.tooMany(path, { actual: value.length, max: maxItems, of: "items" });
  const isDuplicate = (item: unknown, i: number) =>
    value.slice(0, i).some((other) => sameJson(item, other));
  if (uniqueItems && value.some(isDuplicate))
    found.invalid(path, "", "shouldn't contain duplicates");
  return found.held();
}

function checkObject(schema: JsonSchema, value: JsonMap, { path, before }: Place): Findings {
  const { minProperties, maxProperties, properties = {}, required = [] } = schema;
  const found = new Findings();
  const names = Object.keys(value);
  if (minProperties !== undefined && names.length < minProperties)
    found.invalid(path, names.length, `should have at least ${minProperties} properties`);
  if (maxProperties !== undefined && names.length > maxProperties)
    found.tooMany(path, { actual: names.length, max: maxProperties, of: "properties" });
  // Kind and version of the object itself were never another's.
  const earlier = (name: string) =>
    path === "" && (name === "kind" || name === "apiVersion") ? undefined : before?.member(name);
  const member = (inner: JsonSchema, name: string, at: string) =>
    found.merge(ratcheted(inner, value[name], { path: at, before: earlier(name) }));
  const additional = additionalOf(schema);
  for (const name of names) {
    if (propertyOf(schema, name)) continue;
    if (schema.additionalProperties === false) found.unwanted(path, name);
    else if (additional) member(additional, name, `${path}.${name}`);
  }
  for (const [name, property] of Object.entries(properties))
    if (Object.hasOwn(value, name)) member(property, name, path === "" ? name : `${path}.${name}`);
  for (const name of required) if (!Object.hasOwn(value, name)) found.required(`${path}.${name}`);
  return found;
}

function checkEnum(schema: JsonSchema, value: unknown, path: string): Findings {
  const { enum: allowed = [] } = schema;
  const found = new Findings();
  if (allowed.length > 0 && !allowed.some((each) => isMember(value, each)))
    found.notOneOf(path, value, allowed);
  return found;
}

/** A number is made a whole one before it is compared with one. */
function isMember(value: unknown, allowed: unknown): boolean {
  if (value === null || allowed === null) return false;
  if (typeof value === "number" && typeof allowed === "number")
    return (Number.isInteger(allowed) ? Math.trunc(value) : value) === allowed;
  return sameJson(value, allowed);
}

function checkJunctors(schema: JsonSchema, value: unknown, place: Place): Findings {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  const { path } = place;
  const found = new Findings();
  const all = (schemas: readonly JsonSchema[]) => schemas.map((each) => check(each, value, place));
  if (anyOf.length > 0) mergeAny(all(anyOf), path, found);
  if (oneOf.length > 0) mergeOne(all(oneOf), path, found);
  if (allOf.length > 0) mergeAll(all(allOf), path, found);
  if (not && check(not, value, place).isValid)
    found.composite(`${quote(path)} must not validate the schema (not)`);
  return found.held();
}

const isValid = (each: Findings): boolean => each.isValid;

function mergeAny(results: readonly Findings[], path: string, found: Findings): void {
  const valid = results.find(isValid);
  if (!valid) found.composite(`${quote(path)} must validate at least one schema (anyOf)`);
  found.merge(valid ?? best(results));
}

function mergeOne(results: readonly Findings[], path: string, found: Findings): void {
  const [valid, ...others] = results.filter(isValid);
  if (valid && others.length === 0) {
    found.merge(valid);
    return;
  }
  const how = valid ? `Found ${others.length + 1} valid alternatives` : "Found none valid";
  found.composite(`${quote(path)} must validate one and only one schema (oneOf). ${how}`);
  if (!valid) found.merge(best(results));
}

function mergeAll(results: readonly Findings[], path: string, found: Findings): void {
  for (const result of results) found.merge(result);
  if (results.every(isValid)) return;
  const how = results.some(isValid) ? "" : ". None validated";
  found.composite(`${quote(path)} must validate all the schemas (allOf)${how}`);
}

/** Of failures, the first that has the most checks that hold. */
const best = (results: readonly Findings[]): Findings =>
  results.reduce((a, b) => (b.holding > a.holding ? b : a));
