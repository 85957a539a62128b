import { errorMessage } from "../../../base/error-message.ts";
import type { ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { quote } from "../../../schema/values/quote.ts";
import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import { goPrint } from "./go-printf.ts";
import {
  concrete,
  GoNumber,
  goInt,
  held,
  isGoMap,
  isInteger,
  isTrue,
  numeric,
  opened,
  type Place,
  placeType,
  typeName,
} from "./go-value.ts";
import { type ParameterType, templateFunction } from "./template-functions.ts";
import {
  type AnyNode,
  type BranchNode,
  type CommandNode,
  type IdentifierNode,
  type ListNode,
  nodeText,
  type Operand,
  type PipeNode,
  type TemplateCallNode,
  type TemplateNode,
} from "./template-node.ts";

/** A template that cannot be applied to a value; the message is Go's. */
class TemplateExecutionError extends Error {
  override readonly name = "TemplateExecutionError";
}

export interface TemplateProgram {
  readonly name: string;
  readonly text: string;
  readonly definitions: ReadonlyMap<string, ListNode>;
  /** Whether a missing key of a map is an error. */
  readonly strict: boolean;
}

/** Applies a template to a value; what it wrote before an error stays written. */
export function executeTemplate(
  program: TemplateProgram,
  data: ReadonlyJsonMap,
  write: (text: string) => void,
): void {
  const root = program.definitions.get(program.name);
  if (root)
    new Execution({ program, write, name: program.name, depth: 0 }, concrete(data)).run(root);
}

type Jump = "break" | "continue" | undefined;

interface Frame {
  readonly program: TemplateProgram;
  readonly write: (text: string) => void;
  /** The definition that is executed. */
  readonly name: string;
  readonly depth: number;
}

/** Deeper recursion does not fit on the stack of this process; Go allows a hundred thousand. */
const maxDepth = 500;
const missing = Symbol("no argument from the pipeline");
type Final = Place | undefined | typeof missing;

/** One execution of a definition: its variables, and the node that errors name. */
class Execution {
  readonly #frame: Frame;
  readonly #dot: Place | undefined;
  #node: AnyNode | undefined;
  #variables: { readonly name: string; value: Place | undefined }[];

  constructor(frame: Frame, dot: Place | undefined) {
    this.#frame = frame;
    this.#dot = dot;
    this.#variables = [{ name: "$", value: dot }];
  }

  run(list: ListNode): void {
    this.#walk(list, this.#dot);
  }

  #walk(node: TemplateNode, dot: Place | undefined): Jump {
    this.#node = node;
    switch (node.type) {
      case "text":
        this.#frame.write(node.text);
        return undefined;
      case "action": {
        const value = this.#pipeline(node.pipe, dot);
        if (node.pipe.variables.length === 0)
          this.#frame.write(goPrint([value ? value.value : "<no value>"]));
        return undefined;
      }
      case "list":
        return this.#walkList(node, dot);
      case "if":
      case "with":
        return this.#branch(node, dot);
      case "range":
        return this.#range(node, dot);
      case "template":
        this.#template(node, dot);
        return undefined;
      default:
        return node.type;
    }
  }

  #walkList({ nodes }: ListNode, dot: Place | undefined): Jump {
    for (const node of nodes) {
      const jump = this.#walk(node, dot);
      if (jump) return jump;
    }
    return undefined;
  }

  #branch({ type, pipe, list, elseList }: BranchNode, dot: Place | undefined): Jump {
    const known = this.#variables.length;
    const value = this.#pipeline(pipe, dot);
    let jump: Jump;
    if (isTrue(opened(value))) jump = this.#walk(list, type === "with" ? value : dot);
    else if (elseList) jump = this.#walk(elseList, dot);
    this.#variables.length = known;
    return jump;
  }

  #range(node: BranchNode, dot: Place | undefined): Jump {
    const known = this.#variables.length;
    const value = this.#pipeline(node.pipe, dot)?.value;
    const items = this.#items(value, node.pipe.variables.length);
    let ran = false;
    for (const item of items) {
      ran = true;
      const inner = this.#variables.length;
      this.#setRangeVariables(node.pipe, item);
      const jump = this.#walk(node.list, item.value);
      this.#variables.length = inner;
      if (jump === "break") break;
    }
    const outcome = !ran && node.elseList ? this.#walk(node.elseList, dot) : undefined;
    this.#variables.length = known;
    // A jump in the else list belongs to the loop around this one; upstream, a break ends this one.
    return outcome === "continue" ? outcome : undefined;
  }

  #setRangeVariables({ variables, isAssignment }: PipeNode, item: RangeItem): void {
    const names = variables.map(({ path }) => path[0] ?? "");
    const places = names.length === 1 ? [item.value] : [item.key, item.value];
    for (const [i, name] of names.entries()) {
      if (isAssignment) this.#setVariable(name, places[i]);
      else {
        const variable = this.#variables[this.#variables.length - names.length + i];
        if (variable) variable.value = places[i];
      }
    }
  }

  *#items(value: unknown, variables: number): Iterable<RangeItem> {
    if (value === undefined || value === null) return;
    if (isInteger(value)) {
      if (variables > 1)
        throw this.#error(`can't use ${goPrint([value])} to iterate over more than one variable`);
      const end = numeric(value);
      for (let i = 0; i < end; i++) yield { key: undefined, value: countOf(value, i) };
    } else if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) yield { key: goInt(i), value: held(item) };
    } else if (isGoMap(value)) {
      for (const name of sortedKeys(value)) yield { key: concrete(name), value: held(value[name]) };
    } else throw this.#error(`range can't iterate over ${goPrint([value])}`);
  }

  #template(node: TemplateCallNode, dot: Place | undefined): void {
    const { program, depth } = this.#frame;
    const list = program.definitions.get(node.name);
    if (!list) throw this.#error(`template ${quote(node.name)} not defined`);
    if (depth === maxDepth) throw this.#error(`exceeded maximum template depth (${maxDepth})`);
    const value = node.pipe && this.#pipeline(node.pipe, dot);
    new Execution({ ...this.#frame, name: node.name, depth: depth + 1 }, value).run(list);
  }

  /** The value of a pipeline; of what a map or a list holds, the value itself. */
  #pipeline(pipe: PipeNode, dot: Place | undefined): Place | undefined {
    this.#node = pipe;
    let value: Final = missing;
    for (const command of pipe.commands) value = opened(this.#command(command, dot, value));
    const result = value === missing ? undefined : value;
    for (const { path } of pipe.variables) {
      const name = path[0] ?? "";
      if (pipe.isAssignment) this.#setVariable(name, result);
      else this.#variables.push({ name, value: result });
    }
    return result;
  }

  #setVariable(name: string, value: Place | undefined): void {
    const variable = this.#variables.findLast((candidate) => candidate.name === name);
    if (!variable) throw this.#error(`undefined variable: ${name}`);
    variable.value = value;
  }

  #command(command: CommandNode, dot: Place | undefined, final: Final): Place | undefined {
    const { args } = command;
    const [first] = args;
    if (!first) return undefined;
    const rest: Arguments = { args, final };
    switch (first.type) {
      case "field":
        this.#node = first;
        return this.#fields(dot, first.path, rest);
      case "chain":
      case "variable":
        return this.#operand(first, dot, rest);
      case "identifier":
        return this.#function(first, dot, { ...rest, node: command });
      case "pipe":
        this.#refuseArguments(rest);
        return this.#pipeline(first, dot);
      case "nil":
        this.#node = first;
        this.#refuseArguments(rest);
        throw this.#error("nil is not a command");
      default:
        this.#node = first;
        this.#refuseArguments(rest);
        return this.#operand(first, dot, noArguments);
    }
  }

  #refuseArguments({ args, final }: Arguments): void {
    const [first] = args;
    if (first && (args.length > 1 || final !== missing))
      throw this.#error(`can't give argument to non-function ${nodeText(first)}`);
  }

  /** The value of an operand that is no function, or a function without arguments. */
  #operand(node: Operand, dot: Place | undefined, rest: Arguments): Place | undefined {
    this.#node = node;
    switch (node.type) {
      case "dot":
        return dot;
      case "nil":
        return undefined;
      case "bool":
      case "string":
        return concrete(node.value);
      case "number":
        if (node.isFloat) return concrete(new GoNumber("float64", node.value));
        if (BigInt(node.value) >= 1n << 63n) throw this.#error(`${node.text} overflows int`);
        return concrete(new GoNumber("int", node.value));
      case "field":
        return this.#fields(dot, node.path, rest);
      case "chain":
        return this.#fields(this.#operand(node.node, dot, noArguments), node.path, rest);
      case "variable": {
        const [name = "", ...path] = node.path;
        const value = this.#variables.findLast((variable) => variable.name === name)?.value;
        if (path.length > 0) return this.#fields(value, path, rest);
        this.#refuseArguments(rest);
        return value;
      }
      case "pipe":
        return this.#pipeline(node, dot);
      default:
        return this.#function(node, dot, { ...noArguments, node });
    }
  }

  #fields(
    receiver: Place | undefined,
    path: readonly string[],
    { args, final }: Arguments,
  ): Place | undefined {
    const last = path.length - 1;
    const hasArguments = args.length > 1 || final !== missing;
    return path.reduce<Place | undefined>(
      (place, name, i) => this.#field(place, name, i === last && hasArguments),
      receiver,
    );
  }

  #field(receiver: Place | undefined, name: string, hasArguments: boolean): Place | undefined {
    const { strict } = this.#frame.program;
    if (!receiver) {
      if (strict) throw this.#error(`nil data; no entry for key ${quote(name)}`);
      return undefined;
    }
    const type = placeType(receiver);
    const { value } = receiver;
    if (value === null) throw this.#error(`nil pointer evaluating ${type}.${name}`);
    if (!isGoMap(value)) throw this.#error(`can't evaluate field ${name} in type ${type}`);
    if (hasArguments) throw this.#error(`${name} is not a method but has arguments`);
    if (Object.hasOwn(value, name)) return held(value[name]);
    if (strict) throw this.#error(`map has no entry for key ${quote(name)}`);
    return undefined;
  }

  #function(
    { name, ...node }: IdentifierNode,
    dot: Place | undefined,
    rest: Arguments & { readonly node: AnyNode },
  ): Place | undefined {
    this.#node = { name, ...node };
    const { parameters, rest: further, call } = templateFunction(name);
    const { final } = rest;
    const args = rest.args.slice(1);
    const count = args.length + (final === missing ? 0 : 1);
    if (further ? count < parameters.length : count !== parameters.length) {
      const wanted = further ? `at least ${parameters.length}` : parameters.length;
      const got = further ? args.length : count;
      throw this.#error(`wrong number of args for ${name}: want ${wanted} got ${got}`);
    }
    const typeAt = (i: number): ParameterType => parameters[i] ?? further ?? "any";
    if (name === "and" || name === "or") return this.#shortCircuit(name, dot, { args, final });
    const places = args.map((arg, i) => this.#argument(arg, dot, typeAt(i)));
    if (final !== missing) places.push(this.#checked(final, typeAt(args.length)));
    const [first] = args;
    try {
      return call(places, first ? nodeText(first) : goPrint([places[0]?.value]));
    } catch (error) {
      this.#node = rest.node;
      throw this.#error(`error calling ${name}: ${errorMessage(error)}`);
    }
  }

  #shortCircuit(
    name: "and" | "or",
    dot: Place | undefined,
    { args, final }: Arguments,
  ): Place | undefined {
    let value: Place | undefined;
    for (const arg of args) {
      value = this.#argument(arg, dot, "value");
      if (isTrue(opened(value)) === (name === "or")) return value;
    }
    return final === missing ? value : final;
  }

  #argument(node: Operand, dot: Place | undefined, type: ParameterType): Place | undefined {
    this.#node = node;
    if (node.type === "nil") {
      if (type === "string") throw this.#error("cannot assign nil to string");
      return undefined;
    }
    if (type === "string" && (node.type === "bool" || node.type === "number"))
      throw this.#error(`expected string; found ${nodeText(node)}`);
    return this.#checked(this.#operand(node, dot, noArguments), type);
  }

  #checked(place: Place | undefined, type: ParameterType): Place | undefined {
    if (type !== "string" || typeof place?.value === "string") return place;
    if (!place) throw this.#error("invalid value; expected string");
    const got = place.value === null ? placeType(place) : typeName(place.value);
    throw this.#error(`wrong type for value; expected string; got ${got}`);
  }

  #error(message: string): TemplateExecutionError {
    const { program, name } = this.#frame;
    const node = this.#node;
    if (!node) return new TemplateExecutionError(`template: ${name}: ${message}`);
    const before = program.text.slice(0, node.at);
    const line = before.split("\n");
    const column = new TextEncoder().encode(line.at(-1)).length;
    const place = `${program.name}:${line.length}:${column}`;
    return new TemplateExecutionError(
      `template: ${place}: executing ${quote(name)} at <${nodeText(node)}>: ${message}`,
    );
  }
}

interface RangeItem {
  readonly key: Place | undefined;
  readonly value: Place;
}

interface Arguments {
  /** The operands of a command; the first is what is called. */
  readonly args: readonly Operand[];
  /** What the command before it in the pipeline returned. */
  readonly final: Final;
}
const noArguments: Arguments = { args: [], final: missing };

/** A number below an integer, of the same type. */
const countOf = (end: unknown, i: number): Place =>
  concrete(end instanceof GoNumber ? new GoNumber(end.type, i) : i);
