import { errorMessage } from "../../../base/error-message.ts";
import { quote } from "../../../schema/values/quote.ts";
import { unquoteGo } from "./go-unquote.ts";
import { functionNames } from "./template-functions.ts";
import { isKeyword, TemplateLexer, type Token, type TokenType } from "./template-lexer.ts";
import {
  type AnyNode,
  type BranchNode,
  type CommandNode,
  type EndNode,
  type ListNode,
  type NumberNode,
  nodeText,
  type Operand,
  type PipeNode,
  type TemplateNode,
  type VariableNode,
} from "./template-node.ts";
import { readCharacter, readNumber } from "./template-number.ts";

/** A text that is no template; the message is Go's. */
class TemplateSyntaxError extends SyntaxError {
  override readonly name = "TemplateSyntaxError";
}

/** Reads a template in Go's syntax: its definitions by name, with the template itself among them. */
export function parseTemplate(name: string, text: string): ReadonlyMap<string, ListNode> {
  return new TemplateParser(name, text).parse();
}

const maxDepth = 10_000;
const operandTypes: ReadonlySet<TokenType> = new Set<TokenType>([
  "bool",
  "char constant",
  "complex",
  ".",
  "field",
  "identifier",
  "number",
  "nil",
  "raw string",
  "string",
  "variable",
  "(",
]);
const constants: ReadonlySet<string> = new Set(["bool", "dot", "nil", "number", "string"]);

/** What is known within one definition. */
interface Scope {
  variables: string[];
  ranges: number;
}

class TemplateParser {
  readonly #name: string;
  readonly #lexer: TemplateLexer;
  readonly #definitions = new Map<string, ListNode>();
  /** Up to three tokens that were looked at and not taken, the next one last. */
  readonly #ahead: Token[] = [];
  /** The line of the token that was read last, which errors name. */
  #line = 0;
  #actionLine = 0;
  #depth = 0;
  #scope: Scope = { variables: ["$"], ranges: 0 };

  constructor(name: string, text: string) {
    this.#name = name;
    this.#lexer = new TemplateLexer(text);
  }

  parse(): ReadonlyMap<string, ListNode> {
    const root: ListNode = { type: "list", at: this.#peek().at, nodes: [] };
    while (this.#peek().type !== "EOF") {
      if (this.#peek().type === "left delimiter") {
        const delimiter = this.#next();
        const token = this.#nextNonSpace();
        if (token.type === "define") {
          this.#definition();
          continue;
        }
        this.#ahead.push(token, delimiter);
      }
      const node = this.#textOrAction();
      if (isEnd(node)) throw this.#error(`unexpected ${nodeText(node)}`);
      root.nodes.push(node);
    }
    this.#define(this.#name, root);
    return this.#definitions;
  }

  #define(name: string, list: ListNode): void {
    const before = this.#definitions.get(name);
    if (!before || isEmpty(before)) this.#definitions.set(name, list);
    else if (!isEmpty(list))
      throw this.#error(`template: multiple definition of template ${quote(name)}`);
  }

  #definition(): void {
    const context = "define clause";
    const token = this.#nextNonSpace();
    if (token.type !== "string" && token.type !== "raw string")
      throw this.#unexpected(token, context);
    const name = this.#unquoted(token);
    this.#expect("right delimiter", context);
    this.#ownList(name, context);
  }

  /** The nodes of a definition, which sees no variables of what is around it. */
  #ownList(name: string, context: string): void {
    const outer = { scope: this.#scope, actionLine: this.#actionLine };
    this.#scope = { variables: ["$"], ranges: 0 };
    this.#actionLine = 0;
    const { list, end } = this.#itemList();
    if (end.type !== "end") throw this.#error(`unexpected ${nodeText(end)} in ${context}`);
    this.#define(name, list);
    this.#scope = outer.scope;
    this.#actionLine = outer.actionLine;
  }

  #itemList(): { readonly list: ListNode; readonly end: EndNode } {
    const list: ListNode = { type: "list", at: this.#peekNonSpace().at, nodes: [] };
    while (this.#peekNonSpace().type !== "EOF") {
      const node = this.#textOrAction();
      if (isEnd(node)) return { list, end: node };
      list.nodes.push(node);
    }
    throw this.#error("unexpected EOF");
  }

  #textOrAction(): TemplateNode | EndNode {
    const token = this.#nextNonSpace();
    if (token.type === "text") return { type: "text", at: token.at, text: token.text };
    if (token.type !== "left delimiter") throw this.#unexpected(token, "input");
    this.#actionLine = token.line;
    const node = this.#action();
    this.#actionLine = 0;
    return node;
  }

  #action(): TemplateNode | EndNode {
    const token = this.#nextNonSpace();
    switch (token.type) {
      case "block":
        return this.#block();
      case "break":
      case "continue":
        return this.#jump(token.type, token.at);
      case "else":
        return this.#else();
      case "end":
        return { type: "end", at: this.#expect("right delimiter", "end").at };
      case "if":
      case "range":
      case "with":
        return this.#control(token.type);
      case "template":
        return this.#templateCall();
      default:
        this.#ahead.push(token);
        return { type: "action", at: token.at, pipe: this.#pipeline("command", "right delimiter") };
    }
  }

  #jump(type: "break" | "continue", at: number): TemplateNode {
    const token = this.#nextNonSpace();
    if (token.type !== "right delimiter") throw this.#unexpected(token, `{{${type}}}`);
    if (this.#scope.ranges === 0) throw this.#error(`{{${type}}} outside {{range}}`);
    return { type, at };
  }

  #else(): EndNode {
    const token = this.#peekNonSpace();
    if (token.type === "if" || token.type === "with") return { type: "else", at: token.at };
    return { type: "else", at: this.#expect("right delimiter", "else").at };
  }

  #control(type: BranchNode["type"]): BranchNode {
    const known = this.#scope.variables.length;
    const pipe = this.#pipeline(type, "right delimiter");
    if (type === "range") this.#scope.ranges++;
    const { list, end } = this.#itemList();
    if (type === "range") this.#scope.ranges--;
    const elseList = end.type === "else" ? this.#elseList(type, end) : undefined;
    this.#scope.variables.length = known;
    return { type, at: pipe.at, pipe, list, elseList };
  }

  #elseList(type: BranchNode["type"], end: EndNode): ListNode {
    if (type !== "range" && this.#peek().type === type) {
      this.#next();
      return { type: "list", at: end.at, nodes: [this.#control(type)] };
    }
    const otherwise = this.#itemList();
    if (otherwise.end.type !== "end")
      throw this.#error(`expected end; found ${nodeText(otherwise.end)}`);
    return otherwise.list;
  }

  #block(): TemplateNode {
    const context = "block clause";
    const token = this.#nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.#pipeline(context, "right delimiter");
    this.#ownList(name, context);
    return { type: "template", at: token.at, name, pipe };
  }

  #templateCall(): TemplateNode {
    const context = "template clause";
    const token = this.#nextNonSpace();
    const name = this.#templateName(token, context);
    const next = this.#nextNonSpace();
    if (next.type === "right delimiter")
      return { type: "template", at: token.at, name, pipe: undefined };
    this.#ahead.push(next);
    const pipe = this.#pipeline(context, "right delimiter");
    return { type: "template", at: token.at, name, pipe };
  }

  #templateName(token: Token, context: string): string {
    if (token.type !== "string" && token.type !== "raw string")
      throw this.#unexpected(token, context);
    return this.#unquoted(token);
  }

  #pipeline(context: string, end: TokenType): PipeNode {
    const at = this.#peekNonSpace().at;
    const pipe = { type: "pipe" as const, at, isAssignment: false, variables: [], commands: [] };
    this.#declarations(pipe, context);
    const commands: CommandNode[] = pipe.commands;
    for (;;) {
      const token = this.#nextNonSpace();
      if (token.type === end) break;
      if (!operandTypes.has(token.type)) throw this.#unexpected(token, context);
      this.#ahead.push(token);
      commands.push(this.#command());
    }
    if (commands.length === 0) throw this.#error(`missing value for ${context}`);
    for (const [i, { args }] of commands.entries())
      if (i > 0 && constants.has(args[0]?.type ?? ""))
        throw this.#error(`non executable command in pipeline stage ${i + 1}`);
    return pipe;
  }

  #declarations(pipe: PipeNode, context: string): void {
    while (this.#peekNonSpace().type === "variable") {
      const variable = this.#next();
      const after = this.#peek();
      const next = this.#peekNonSpace();
      const isComma = next.type === "char" && next.text === ",";
      if (next.type !== "=" && next.type !== ":=" && !isComma) {
        if (after.type === "space") this.#ahead.push(after);
        this.#ahead.push(variable);
        return;
      }
      if (!isComma) pipe.isAssignment = next.type === "=";
      this.#nextNonSpace();
      pipe.variables.push(variableNode(variable));
      this.#scope.variables.push(variable.text);
      if (!isComma) return;
      if (context !== "range" || pipe.variables.length >= 2)
        throw this.#error(`too many declarations in ${context}`);
      if (!["variable", "right delimiter", ")"].includes(this.#peekNonSpace().type))
        throw this.#error("range can only initialize variables");
    }
  }

  #command(): CommandNode {
    const at = this.#peekNonSpace().at;
    const args: Operand[] = [];
    for (;;) {
      this.#peekNonSpace();
      const operand = this.#operand();
      if (operand) args.push(operand);
      const token = this.#next();
      if (token.type === "space") continue;
      if (token.type === "right delimiter" || token.type === ")") this.#ahead.push(token);
      else if (token.type !== "|") throw this.#unexpected(token, "operand");
      break;
    }
    if (args.length === 0) throw this.#error("empty command");
    return { type: "command", at, args };
  }

  #operand(): Operand | undefined {
    const node = this.#term();
    if (!node || this.#peek().type !== "field") return node;
    const at = this.#peek().at;
    const path: string[] = [];
    while (this.#peek().type === "field") path.push(this.#next().text.slice(1));
    if (node.type === "field" || node.type === "variable")
      return { ...node, at, path: [...node.path, ...path] };
    if (constants.has(node.type))
      throw this.#error(`unexpected . after term ${quote(nodeText(node))}`);
    return { type: "chain", at, node, path };
  }

  #term(): Operand | undefined {
    const token = this.#nextNonSpace();
    const { at, text } = token;
    switch (token.type) {
      case "identifier":
        if (!functionNames.has(text)) throw this.#error(`function ${quote(text)} not defined`);
        return { type: "identifier", at, name: text };
      case ".":
        return { type: "dot", at };
      case "nil":
        return { type: "nil", at };
      case "variable":
        return this.#knownVariable(token);
      case "field":
        return { type: "field", at, path: text.slice(1).split(".") };
      case "bool":
        return { type: "bool", at, value: text === "true" };
      case "char constant":
      case "complex":
      case "number":
        return this.#number(token);
      case "(":
        return this.#parentheses();
      case "string":
      case "raw string":
        return { type: "string", at, quoted: text, value: this.#unquoted(token) };
      default:
        this.#ahead.push(token);
        return undefined;
    }
  }

  #parentheses(): PipeNode {
    if (this.#depth >= maxDepth) throw this.#error("max expression depth exceeded");
    this.#depth++;
    const pipe = this.#pipeline("parenthesized pipeline", ")");
    this.#depth--;
    return pipe;
  }

  #knownVariable(token: Token): VariableNode {
    const node = variableNode(token);
    const [name = ""] = node.path;
    if (!this.#scope.variables.includes(name))
      throw this.#error(`undefined variable ${quote(name)}`);
    return node;
  }

  #number({ type, at, text }: Token): NumberNode {
    try {
      const number = type === "char constant" ? readCharacter(text) : readNumber(text);
      return { type: "number", at, text, ...number };
    } catch (error) {
      throw this.#error(errorMessage(error));
    }
  }

  #unquoted({ text }: Token): string {
    try {
      return unquoteGo(text);
    } catch (error) {
      throw this.#error(errorMessage(error));
    }
  }

  #expect(type: TokenType, context: string): Token {
    const token = this.#nextNonSpace();
    if (token.type !== type) throw this.#unexpected(token, context);
    return token;
  }

  #next(): Token {
    const known = this.#ahead.pop();
    if (known) return known;
    const token = this.#lexer.next();
    this.#line = token.line;
    return token;
  }

  #peek(): Token {
    const token = this.#next();
    this.#ahead.push(token);
    return token;
  }

  #nextNonSpace(): Token {
    for (;;) {
      const token = this.#next();
      if (token.type !== "space") return token;
    }
  }

  #peekNonSpace(): Token {
    const token = this.#nextNonSpace();
    this.#ahead.push(token);
    return token;
  }

  #unexpected(token: Token, context: string): TemplateSyntaxError {
    if (token.type !== "error") return this.#error(`unexpected ${shown(token)} in ${context}`);
    if (this.#actionLine === 0 || this.#actionLine === token.line) return this.#error(token.text);
    const started = ` started at ${this.#name}:${this.#actionLine}`;
    const isOfAction = token.text.endsWith(" action");
    return this.#error(`${token.text}${isOfAction ? "" : " in action"}${started}`);
  }

  #error(message: string): TemplateSyntaxError {
    return new TemplateSyntaxError(`template: ${this.#name}:${this.#line}: ${message}`);
  }
}

const isEnd = (node: AnyNode): node is EndNode => node.type === "end" || node.type === "else";

const variableNode = ({ at, text }: Token): VariableNode => ({
  type: "variable",
  at,
  path: text.split("."),
});

function isEmpty(node: TemplateNode): boolean {
  if (node.type === "text") return node.text.trim() === "";
  return node.type === "list" && node.nodes.every(isEmpty);
}

function shown({ type, text }: Token): string {
  if (type === "EOF") return text;
  if (isKeyword(type)) return `<${text}>`;
  const chars = [...text];
  return new TextEncoder().encode(text).length > 10
    ? `${quote(chars.slice(0, 10).join(""))}...`
    : quote(text);
}
