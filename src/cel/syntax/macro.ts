import type { Expr } from "./ast.ts";
import { accumulatorName, type ExprFactory } from "./expr-factory.ts";

/** What a call was replaced by, or what is wrong with it and where; nothing if it is no macro. */
export type Expansion = Expr | { readonly error: string; readonly at: Expr } | undefined;

/** A call that is replaced by another expression before types are checked. */
export interface Macro {
  readonly name: string;
  readonly argCount: number;
  readonly isMethod: boolean;
  expand(factory: ExprFactory, args: readonly Expr[], target: Expr): Expansion;
}

/** The macros that every environment has. */
export function standardMacros(): readonly Macro[] {
  return [
    { name: "has", argCount: 1, isMethod: false, expand: (factory, args) => has(factory, args) },
    method("all", 2, quantifier(1, all)),
    method("exists", 2, quantifier(1, exists)),
    method("exists_one", 2, quantifier(1, existsOne)),
    method("map", 2, mapList),
    method("map", 3, mapList),
    method("filter", 2, filterList),
  ];
}

/** Those with an index or key beside the element. */
export function twoVariableMacros(): readonly Macro[] {
  return [
    method("all", 3, quantifier(2, all)),
    method("exists", 3, quantifier(2, exists)),
    method("existsOne", 3, quantifier(2, existsOne)),
    method("exists_one", 3, quantifier(2, existsOne)),
    ...[3, 4].flatMap((argCount) => [
      method("transformList", argCount, transform("list")),
      method("transformMap", argCount, transform("map")),
      method("transformMapEntry", argCount, transform("entries")),
    ]),
  ];
}

/** Those on values that may be missing. */
export function optionalMacros(): readonly Macro[] {
  return [
    method(
      "optMap",
      2,
      optionalMap("optMap", (factory, value) => factory.call("optional.of", value)),
    ),
    method(
      "optFlatMap",
      2,
      optionalMap("optFlatMap", (_, value) => value),
    ),
  ];
}

/** The one that gives a value a name, `cel.bind(name, value, expression)`. */
export function bindingMacros(): readonly Macro[] {
  return [method("bind", 3, bind)];
}

/** The one that sorts a list by what it computes of each element. */
export function listMacros(): readonly Macro[] {
  return [method("sortBy", 2, sortBy)];
}

type Expand = (factory: ExprFactory, args: readonly Expr[], target: Expr) => Expansion;

const method = (name: string, argCount: number, expand: Expand): Macro => ({
  name,
  argCount,
  isMethod: true,
  expand,
});

const yes = { type: "bool", value: true } as const;
const no = { type: "bool", value: false } as const;
const integer = (value: bigint) => ({ type: "int", value }) as const;

function has(factory: ExprFactory, [argument]: readonly Expr[]): Expansion {
  if (argument === undefined) return undefined;
  if (argument.kind !== "select") {
    return { error: "invalid argument to has() macro", at: argument };
  }
  return factory.presenceTest(argument.operand, argument.field);
}

interface Fold {
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** A fold over a list or map whose predicate is the last argument. */
function quantifier(count: 1 | 2, fold: (factory: ExprFactory, predicate: Expr) => Fold): Expand {
  return (factory, args, range) => {
    const names = variables(args.slice(0, count), "argument must be a simple name");
    const predicate = args[count];
    if ("error" in names || predicate === undefined) return "error" in names ? names : undefined;
    const accumulator = accumulatorName;
    return factory.comprehension({ range, ...names, accumulator, ...fold(factory, predicate) });
  };
}

function all(factory: ExprFactory, predicate: Expr): Fold {
  return {
    initial: factory.literal(yes),
    condition: factory.call("@not_strictly_false", factory.accumulator()),
    step: factory.call("_&&_", factory.accumulator(), predicate),
    result: factory.accumulator(),
  };
}

function exists(factory: ExprFactory, predicate: Expr): Fold {
  const not = factory.call("!_", factory.accumulator());
  return {
    initial: factory.literal(no),
    condition: factory.call("@not_strictly_false", not),
    step: factory.call("_||_", factory.accumulator(), predicate),
    result: factory.accumulator(),
  };
}

function existsOne(factory: ExprFactory, predicate: Expr): Fold {
  const more = factory.call("_+_", factory.accumulator(), factory.literal(integer(1n)));
  return {
    initial: factory.literal(integer(0n)),
    condition: factory.literal(yes),
    step: factory.call("_?_:_", predicate, more, factory.accumulator()),
    result: factory.call("_==_", factory.accumulator(), factory.literal(integer(1n))),
  };
}

function mapList(factory: ExprFactory, args: readonly Expr[], range: Expr): Expansion {
  const names = variables(args.slice(0, 1), "argument is not an identifier");
  if ("error" in names) return names;
  const value = args.at(-1);
  const filter = args.length === 3 ? args[1] : undefined;
  return value && gather(factory, { range, names, filter, value: (one) => one.list(value) });
}

function filterList(factory: ExprFactory, args: readonly Expr[], range: Expr): Expansion {
  const names = variables(args.slice(0, 1), "argument is not an identifier");
  if ("error" in names) return names;
  const [element, filter] = args;
  return element && gather(factory, { range, names, filter, value: (one) => one.list(element) });
}

function transform(into: "list" | "map" | "entries"): Expand {
  return (factory, args, range) => {
    const names = variables(args.slice(0, 2), "argument must be a simple name");
    if ("error" in names) return names;
    const value = args.at(-1);
    const filter = args.length === 4 ? args[2] : undefined;
    if (value === undefined) return undefined;
    if (into === "list") {
      return gather(factory, { range, names, filter, value: (one) => one.list(value) });
    }
    const inserted = into === "map" ? [factory.ident(names.variable), value] : [value];
    const step = factory.call("cel.@mapInsert", factory.accumulator(), ...inserted);
    return factory.comprehension({
      range,
      ...names,
      accumulator: accumulatorName,
      initial: factory.map(),
      condition: factory.literal(yes),
      step: conditionally(factory, filter, step),
      result: factory.accumulator(),
    });
  };
}

/** A fold that adds a list to the list gathered so far, for the elements that pass the filter. */
function gather(
  factory: ExprFactory,
  {
    range,
    names,
    filter,
    value,
  }: {
    range: Expr;
    names: Variables;
    filter: Expr | undefined;
    value: (factory: ExprFactory) => Expr;
  },
): Expr {
  const initial = factory.list();
  const condition = factory.literal(yes);
  const step = factory.call("_+_", factory.accumulator(), value(factory));
  return factory.comprehension({
    range,
    ...names,
    accumulator: accumulatorName,
    initial,
    condition,
    step: conditionally(factory, filter, step),
    result: factory.accumulator(),
  });
}

function conditionally(factory: ExprFactory, filter: Expr | undefined, step: Expr): Expr {
  return filter === undefined ? step : factory.call("_?_:_", filter, step, factory.accumulator());
}

/** The value computed of what is there, and nothing of nothing. */
function optionalMap(name: string, wrap: (factory: ExprFactory, value: Expr) => Expr): Expand {
  return (factory, [variable, result], target) => {
    if (variable === undefined || result === undefined) return undefined;
    if (variable.kind !== "ident") {
      return { error: `${name}() variable name must be a simple identifier`, at: variable };
    }
    const present = factory.methodCall("hasValue", target);
    const value = factory.methodCall("value", factory.copy(target));
    const bound = nameValue(factory, variable.name, value, result);
    return factory.call("_?_:_", present, wrap(factory, bound), factory.call("optional.none"));
  };
}

function bind(factory: ExprFactory, args: readonly Expr[], target: Expr): Expansion {
  const [variable, value, result] = args;
  if (target.kind !== "ident" || target.name !== "cel") return undefined;
  if (variable === undefined || value === undefined || result === undefined) return undefined;
  if (variable.kind !== "ident") {
    return { error: "cel.bind() variable names must be simple identifiers", at: variable };
  }
  return nameValue(factory, variable.name, value, result);
}

function sortBy(factory: ExprFactory, args: readonly Expr[], target: Expr): Expansion {
  const input = "@__sortBy_input__";
  const variable = factory.ident(input);
  if (!["list", "select", "ident", "comprehension", "call"].includes(target.kind)) {
    return {
      error:
        "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
      at: target,
    };
  }
  const keys = mapList(factory, args, factory.copy(variable));
  if (keys === undefined || "error" in keys) return keys;
  const sorted = factory.methodCall("@sortByAssociatedKeys", factory.copy(variable), keys);
  return nameValue(factory, input, target, sorted);
}

/** A fold over nothing: its accumulator has the value, and its result may name it. */
function nameValue(factory: ExprFactory, name: string, value: Expr, result: Expr): Expr {
  return factory.comprehension({
    range: factory.list(),
    variable: "#unused",
    variable2: undefined,
    accumulator: name,
    initial: value,
    condition: factory.literal(no),
    step: factory.ident(name),
    result,
  });
}

interface Variables {
  readonly variable: string;
  readonly variable2: string | undefined;
}

function variables(
  args: readonly Expr[],
  notAName: string,
): Variables | { error: string; at: Expr } {
  const names: string[] = [];
  for (const at of args) {
    if (at.kind !== "ident") return { error: notAName, at };
    names.push(at.name);
  }
  const [variable = "", variable2] = names;
  const [first, second] = args;
  if (second !== undefined && variable === variable2) {
    return { error: `duplicate variable name: ${variable}`, at: second };
  }
  for (const [at, name] of [
    [first, variable],
    [second, variable2],
  ] as const) {
    if (at !== undefined && (name === accumulatorName || name === "__result__")) {
      return { error: "iteration variable overwrites accumulator variable", at };
    }
  }
  return { variable, variable2 };
}
