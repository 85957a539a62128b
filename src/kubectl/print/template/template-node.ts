import { quote } from "../../../schema/values/quote.ts";

interface Located {
  /** Where the node begins, in code units of the template's text. */
  readonly at: number;
}

export interface TextNode extends Located {
  readonly type: "text";
  readonly text: string;
}
export interface ActionNode extends Located {
  readonly type: "action";
  readonly pipe: PipeNode;
}
export interface PipeNode extends Located {
  readonly type: "pipe";
  /** Whether its variables exist already. */
  isAssignment: boolean;
  readonly variables: VariableNode[];
  readonly commands: CommandNode[];
}
export interface CommandNode extends Located {
  readonly type: "command";
  readonly args: readonly Operand[];
}
export interface BranchNode extends Located {
  readonly type: "if" | "range" | "with";
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly elseList: ListNode | undefined;
}
export interface TemplateCallNode extends Located {
  readonly type: "template";
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}
export interface JumpNode extends Located {
  readonly type: "break" | "continue";
}
/** What ends a list of nodes; it is in no list itself. */
export interface EndNode extends Located {
  readonly type: "end" | "else";
}
export interface ListNode extends Located {
  readonly type: "list";
  readonly nodes: TemplateNode[];
}
export type TemplateNode =
  | TextNode
  | ActionNode
  | BranchNode
  | TemplateCallNode
  | JumpNode
  | ListNode;

export interface IdentifierNode extends Located {
  readonly type: "identifier";
  readonly name: string;
}
export interface FieldNode extends Located {
  readonly type: "field";
  readonly path: readonly string[];
}
/** A variable with the fields behind it. */
export interface VariableNode extends Located {
  readonly type: "variable";
  readonly path: readonly string[];
}
/** Fields of what a pipeline in parentheses or a function returns. */
export interface ChainNode extends Located {
  readonly type: "chain";
  readonly node: Operand;
  readonly path: readonly string[];
}
export interface DotNode extends Located {
  readonly type: "dot";
}
export interface NilNode extends Located {
  readonly type: "nil";
}
export interface BoolNode extends Located {
  readonly type: "bool";
  readonly value: boolean;
}
export interface NumberNode extends Located {
  readonly type: "number";
  readonly text: string;
  /** Whether a constant of this spelling is a float; otherwise it is an integer. */
  readonly isFloat: boolean;
  readonly value: number | bigint;
}
export interface StringNode extends Located {
  readonly type: "string";
  readonly quoted: string;
  readonly value: string;
}
export type Operand =
  | IdentifierNode
  | FieldNode
  | VariableNode
  | ChainNode
  | DotNode
  | NilNode
  | BoolNode
  | NumberNode
  | StringNode
  | PipeNode;

export type AnyNode = TemplateNode | CommandNode | Operand | EndNode;

/** A node in the template's syntax, as errors quote it. */
export function nodeText(node: AnyNode): string {
  switch (node.type) {
    case "text":
      return node.text;
    case "action":
      return `{{${nodeText(node.pipe)}}}`;
    case "pipe":
      return pipeText(node);
    case "command":
      return node.args.map(inParentheses).join(" ");
    case "list":
      return node.nodes.map(nodeText).join("");
    case "if":
    case "range":
    case "with":
      return branchText(node);
    case "template":
      return `{{template ${quote(node.name)}${node.pipe ? ` ${nodeText(node.pipe)}` : ""}}}`;
    case "identifier":
      return node.name;
    case "field":
      return node.path.map((name) => `.${name}`).join("");
    case "variable":
      return node.path.join(".");
    case "chain":
      return [inParentheses(node.node), ...node.path].join(".");
    case "dot":
      return ".";
    case "nil":
      return "nil";
    case "bool":
      return String(node.value);
    case "number":
      return node.text;
    case "string":
      return node.quoted;
    default:
      return `{{${node.type}}}`;
  }
}

function pipeText({ variables, isAssignment, commands }: PipeNode): string {
  const names = variables.map(nodeText).join(", ");
  const start = names === "" ? "" : `${names} ${isAssignment ? "=" : ":="} `;
  return start + commands.map(nodeText).join(" | ");
}

function branchText({ type, pipe, list, elseList }: BranchNode): string {
  const otherwise = elseList ? `{{else}}${nodeText(elseList)}` : "";
  return `{{${type} ${nodeText(pipe)}}}${nodeText(list)}${otherwise}{{end}}`;
}

const inParentheses = (node: Operand): string =>
  node.type === "pipe" ? `(${nodeText(node)})` : nodeText(node);
