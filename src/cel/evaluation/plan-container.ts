import type { ListExpr, MapExpr, StructExpr } from "../syntax/ast.ts";
import { CelError, CelOptional, type CelValue, isError } from "../values/cel-value.ts";
import { ArrayList } from "../values/list.ts";
import { EntryMap } from "../values/map.ts";
import { newMessage } from "../values/message.ts";
import { showValue } from "../values/show-value.ts";
import type { Frame } from "./frame.ts";
import { type Planned, type Planning, runOf } from "./planned.ts";

/** What it costs to make a list, a map or a message. */
const listCost = 10;
const mapCost = 30;
const messageCost = 40;

/** A list; one of constants is made once, for nothing. */
export function planList(planning: Planning, { elements, optional }: ListExpr): Planned {
  const planned = elements.map((element) => planning.plan(element));
  const runs = planned.map(runOf);
  const make = (frame: Frame): CelValue => {
    const values: CelValue[] = [];
    for (const [i, run] of runs.entries()) {
      const value = run(frame);
      if (isError(value)) return value;
      if (!optional.includes(i)) values.push(value);
      else if (!(value instanceof CelOptional)) return notOptional("list element", value);
      else if (value.value !== undefined) values.push(value.value);
    }
    return new ArrayList(values);
  };
  return container(planned, make, listCost);
}

/** A map; one of constants is made once, for nothing. */
export function planMap(planning: Planning, { entries }: MapExpr): Planned {
  const planned = entries.map(({ key, value, optional }) => ({
    key: planning.plan(key),
    value: planning.plan(value),
    optional,
  }));
  const runs = planned.map(({ key, value, optional }) => ({
    makeKey: runOf(key),
    makeValue: runOf(value),
    optional,
  }));
  const make = (frame: Frame): CelValue => {
    const map = new EntryMap();
    for (const { makeKey, makeValue, optional } of runs) {
      const key = makeKey(frame);
      if (isError(key)) return key;
      const value = makeValue(frame);
      if (isError(value)) return value;
      if (!optional) map.set(key, value);
      else if (!(value instanceof CelOptional))
        return notOptional(`entry '${showValue(key)}'`, value);
      else if (value.value === undefined) map.delete(key);
      else map.set(key, value.value);
    }
    return map;
  };
  const parts = planned.flatMap(({ key, value }) => [key, value]);
  return container(parts, make, mapCost);
}

/** A message, or what a well-known one stands for. */
export function planStruct(planning: Planning, { typeName, fields }: StructExpr): Planned {
  const runs = fields.map((field) => ({ ...field, makeValue: planning.runOf(field.value) }));
  const make = (frame: Frame): CelValue => {
    const given = new Map<string, CelValue>();
    for (const { name, makeValue, optional } of runs) {
      const value = makeValue(frame);
      if (isError(value)) return value;
      if (!optional) given.set(name, value);
      else if (!(value instanceof CelOptional)) return notOptional(`entry '${name}'`, value);
      else if (value.value === undefined) given.delete(name);
      else given.set(name, value.value);
    }
    return newMessage(typeName, given);
  };
  const run = (frame: Frame): CelValue => {
    const value = make(frame);
    frame.charge(messageCost);
    return value;
  };
  return { kind: "step", run };
}

function container(
  parts: readonly Planned[],
  make: (frame: Frame) => CelValue,
  cost: number,
): Planned {
  if (parts.every(({ kind }) => kind === "constant")) {
    return { kind: "constant", value: make(noFrame) };
  }
  const run = (frame: Frame): CelValue => {
    const value = make(frame);
    frame.charge(cost);
    return value;
  };
  return { kind: "step", run };
}

/** Constants do not look at the frame. */
const noFrame = undefined as unknown as Frame;

const notOptional = (what: string, value: CelValue): CelError =>
  new CelError(`cannot initialize optional ${what} from non-optional value ${showValue(value)}`);
