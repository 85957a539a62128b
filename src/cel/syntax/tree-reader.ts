import type { CallExpr, Expr, MapEntry, StructField } from "./ast.ts";
import { balance } from "./balance.ts";
import type { Ids } from "./expr-factory.ts";
import { readLiteral } from "./literal.ts";
import type { Expansion } from "./macro.ts";
import { GaveUp } from "./recovery.ts";
import type { Part, Tree } from "./syntax-tree.ts";
import { innermost, readName, tokenIn, tokensIn, treeIn, treesIn } from "./tree-parts.ts";

/** What turns a tree into an expression depends on. */
export interface TreeReaderOptions {
  readonly ids: Ids;
  expand(call: CallExpr): Expansion;
  /** Whether something was found to be wrong already. */
  hasProblems(): boolean;
  report(offset: number | undefined, message: string): void;
}

/** An expression may be so deep. */
const maxDepth = 250;

const reserved: ReadonlySet<string> = new Set(
  (
    "as break const continue else false for function if import in let loop package namespace null " +
    "return true var void while"
  ).split(" "),
);

const constants = ["Int", "Uint", "Double", "String", "Bytes", "BoolTrue", "BoolFalse", "Null"];

const operators: Readonly<Record<string, string>> = { in: "@in" };

/**
 * Turns a tree into an expression. Of a text with mistakes parts are missing: an unspecified
 * expression stands for them, and what else is wrong is told nevertheless.
 */
export function createTreeReader(options: TreeReaderOptions): (tree: Tree | undefined) => Expr {
  const { ids, expand, hasProblems, report } = options;
  const readers: Readonly<Record<string, (tree: Tree) => Expr>> = {
    Expr: readConditional,
    ConditionalOr: readConnected("_||_", "||"),
    ConditionalAnd: readConnected("_&&_", "&&"),
    Relation: readBinary,
    Calc: readBinary,
    LogicalNot: readUnary("!_"),
    Negate: readUnary("-_"),
    Select: readSelect,
    MemberCall: readMethodCall,
    Index: readIndex,
    Ident: readIdent,
    GlobalCall: readGlobalCall,
    CreateList: readList,
    CreateStruct: readMap,
    CreateMessage: readMessage,
    ...Object.fromEntries(constants.map((label) => [label, readConstant])),
  };
  let depth = 0;
  return visit;

  function visit(outer: Tree | undefined): Expr {
    const tree = innermost(outer);
    const read = tree && readers[tree.label];
    if (tree === undefined || read === undefined) {
      if (tree?.rule === "unary") {
        return { kind: "literal", id: idOf(tree), value: { type: "string", value: "<<error>>" } };
      }
      if (!hasProblems()) report(undefined, "unknown parse element encountered: <<nil>>");
      return unspecified(-1);
    }
    if (!deep.has(tree.label)) return read(tree);
    if (++depth > maxDepth) throw new GaveUp("max recursion depth exceeded");
    const expr = read(tree);
    depth--;
    return expr;
  }

  function readBinary(tree: Tree): Expr {
    const op = tokenIn(tree, "op");
    if (op === undefined) return failAt(tree, "operator not found");
    const left = visit(treeIn(tree, "left"));
    const id = idOf(op);
    const right = visit(treeIn(tree, "right"));
    return call({ id, function: operators[op.text] ?? `_${op.text}_`, args: [left, right] });
  }

  function readUnary(name: string): (tree: Tree) => Expr {
    return (tree) => {
      const signs = tokensIn(tree, "ops");
      const [sign] = signs;
      if (signs.length % 2 === 0 || sign === undefined) return visit(treeIn(tree, "e"));
      const id = idOf(sign);
      return call({ id, function: name, args: [visit(treeIn(tree, "e"))] });
    };
  }

  function readConnected(name: string, symbol: string): (tree: Tree) => Expr {
    return (tree) => {
      const terms = [visit(treeIn(tree, "e"))];
      const rest = treesIn(tree, "e1");
      const symbols: number[] = [];
      for (const [index, op] of tokensIn(tree, "ops").entries()) {
        const term = rest[index];
        if (term === undefined) return failAt(tree, `unexpected character, wanted '${symbol}'`);
        terms.push(visit(term));
        symbols.push(idOf(op));
      }
      return balance(name, terms, symbols);
    };
  }

  function readConditional(tree: Tree): Expr {
    const condition = visit(treeIn(tree, "e"));
    const id = idOf(tokenIn(tree, "op"));
    const args = [condition, visit(treeIn(tree, "e1")), visit(treeIn(tree, "e2"))];
    return call({ id, function: "_?_:_", args });
  }

  function readSelect(tree: Tree): Expr {
    const operand = visit(treeIn(tree, "left"));
    const name = treeIn(tree, "id");
    const op = tokenIn(tree, "op");
    if (name === undefined || op === undefined) return unspecified(idOf(tree));
    const read = readName(name);
    if ("error" in read) failAt(name, read.error);
    const field = "error" in read ? "" : read.name;
    if (tokenIn(tree, "opt") === undefined) {
      return { kind: "select", id: idOf(op), operand, field, testOnly: false };
    }
    const value = { type: "string", value: field } as const;
    const literal: Expr = { kind: "literal", id: idOf(name), value };
    return { kind: "call", id: idOf(op), function: "_?._", args: [operand, literal] };
  }

  function readMethodCall(tree: Tree): Expr {
    const target = visit(treeIn(tree, "left"));
    const name = tokenIn(tree, "id");
    if (name === undefined) return unspecified(idOf(tree));
    const id = idOf(tokenIn(tree, "open"));
    return call({ id, function: name.text, target, args: readArguments(tree) });
  }

  function readIndex(tree: Tree): Expr {
    const target = visit(treeIn(tree, "left"));
    const op = tokenIn(tree, "op");
    if (op === undefined) return unspecified(idOf(tree));
    const id = idOf(op);
    const index = visit(treeIn(tree, "index"));
    const name = tokenIn(tree, "opt") === undefined ? "_[_]" : "_[?_]";
    return call({ id, function: name, args: [target, index] });
  }

  function readIdent(tree: Tree): Expr {
    const id = tokenIn(tree, "id");
    if (id === undefined) return unspecified(idOf(tree));
    if (reserved.has(id.text)) return failAt(tree, `reserved identifier: ${id.text}`);
    const dot = tokenIn(tree, "leadingDot") === undefined ? "" : ".";
    return { kind: "ident", id: idOf(id), name: dot + id.text };
  }

  function readGlobalCall(tree: Tree): Expr {
    const name = tokenIn(tree, "id");
    if (name === undefined) return unspecified(idOf(tree));
    if (reserved.has(name.text)) return failAt(tree, `reserved identifier: ${name.text}`);
    const dot = tokenIn(tree, "leadingDot") === undefined ? "" : ".";
    const id = idOf(tokenIn(tree, "op"));
    return call({ id, function: dot + name.text, args: readArguments(tree) });
  }

  function readArguments(tree: Tree): Expr[] {
    const list = treeIn(tree, "args");
    return list === undefined ? [] : treesIn(list, "e").map(visit);
  }

  function readList(tree: Tree): Expr {
    const id = idOf(tokenIn(tree, "op"));
    const init = treeIn(tree, "elems");
    const elements = init === undefined ? [] : treesIn(init, "elems");
    const optional = elements.flatMap((element, index) =>
      tokenIn(element, "opt") === undefined ? [] : [index],
    );
    return {
      kind: "list",
      id,
      elements: elements.map((element) => visit(treeIn(element, "e"))),
      optional,
    };
  }

  function readMap(tree: Tree): Expr {
    const id = idOf(tokenIn(tree, "op"));
    return { kind: "map", id, entries: readEntries(treeIn(tree, "entries")) };
  }

  function readEntries(list: Tree | undefined): MapEntry[] {
    if (list === undefined) return [];
    if (list.label !== "MapInitializerList") return [];
    const keys = treesIn(list, "keys");
    const values = treesIn(list, "values");
    const entries: MapEntry[] = [];
    for (const [index, colon] of tokensIn(list, "cols").entries()) {
      const id = idOf(colon);
      const key = keys[index];
      const value = values[index];
      if (key === undefined || value === undefined) return [];
      const optional = tokenIn(key, "opt") !== undefined;
      entries.push({ id, key: visit(treeIn(key, "e")), value: visit(value), optional });
    }
    return entries;
  }

  function readMessage(tree: Tree): Expr {
    const dot = tokenIn(tree, "leadingDot") === undefined ? "" : ".";
    const names = tokensIn(tree, "ids").map(({ text }) => text);
    const id = idOf(tokenIn(tree, "op"));
    const fields = readFields(treeIn(tree, "entries"));
    return { kind: "struct", id, typeName: dot + names.join("."), fields };
  }

  function readFields(list: Tree | undefined): StructField[] {
    if (list === undefined) return [];
    const colons = tokensIn(list, "cols");
    const values = treesIn(list, "values");
    const fields: StructField[] = [];
    for (const [index, field] of treesIn(list, "fields").entries()) {
      const colon = colons[index];
      const value = values[index];
      if (colon === undefined || value === undefined) return [];
      const id = idOf(colon);
      const optional = tokenIn(field, "opt") !== undefined;
      const read = readName(treeIn(field, "id"));
      if ("error" in read) failAt(list, read.error);
      else fields.push({ id, name: read.name, value: visit(value), optional });
    }
    return fields;
  }

  function readConstant(tree: Tree): Expr {
    const sign = tokenIn(tree, "sign")?.text ?? "";
    const read = readLiteral(tree.label, sign + (tokenIn(tree, "tok")?.text ?? ""));
    if ("error" in read) return failAt(tree, read.error);
    return { kind: "literal", id: idOf(tree), value: read };
  }

  function call(parts: Omit<CallExpr, "kind">): Expr {
    const plain: CallExpr = { kind: "call", ...parts };
    const expanded = expand(plain);
    if (expanded === undefined) return plain;
    ids.forget(parts.id);
    if (!("error" in expanded)) return expanded;
    const offset = ids.offsets.get(expanded.at.id);
    const id = ids.next(offset);
    report(offset, expanded.error);
    return unspecified(id);
  }

  function failAt(place: Tree, message: string): Expr {
    const id = idOf(place);
    report(place.start.start, message);
    return unspecified(id);
  }

  function idOf(place: Part | undefined): number {
    if (place === undefined) return -1;
    return ids.next("text" in place ? place.start : place.start.start);
  }

  function unspecified(id: number): Expr {
    return { kind: "unspecified", id };
  }
}

/** The kinds of trees that count as a step deeper. */
const deep: ReadonlySet<string> = new Set([
  "Expr",
  "Relation",
  "Calc",
  "Select",
  "MemberCall",
  "Index",
]);
