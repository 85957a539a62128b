import { endOfText, tokenType } from "./token.ts";

/** A part of the right side of a rule. `as` names what it matches, for the one who reads the tree. */
export type Item =
  | { readonly kind: "token"; readonly types: readonly number[]; readonly as?: string }
  | {
      readonly kind: "rule";
      readonly rule: RuleName;
      readonly precedence: number;
      readonly as?: string;
    }
  | { readonly kind: "optional" | "star" | "plus"; readonly items: readonly Item[] };

/** One way to match a rule; of an operator of a rule that begins with itself, how strongly it binds. */
export interface Alternative {
  readonly label: string;
  readonly items: readonly Item[];
  readonly precedence?: number;
}

/**
 * A rule. With `operators` it begins with itself: first one of the alternatives, and then any number
 * of operators, each of which takes what was read so far as its left side.
 */
export interface Rule {
  readonly alternatives: readonly Alternative[];
  readonly operators?: readonly Alternative[];
}

export type RuleName =
  | "start"
  | "expr"
  | "conditionalOr"
  | "conditionalAnd"
  | "relation"
  | "calc"
  | "unary"
  | "member"
  | "primary"
  | "exprList"
  | "listInit"
  | "fieldInitializerList"
  | "optField"
  | "mapInitializerList"
  | "escapeIdent"
  | "optExpr"
  | "literal";

type TokenName = Parameters<typeof tokenType>[0];

const token = (name: TokenName, as?: string): Item => anyOf([name], as);
const anyOf = (names: readonly TokenName[], as?: string): Item => ({
  kind: "token",
  types: names.map(tokenType),
  ...(as !== undefined && { as }),
});
const call = (rule: RuleName, as?: string, precedence = 0): Item => ({
  kind: "rule",
  rule,
  precedence,
  ...(as !== undefined && { as }),
});
const optional = (...items: Item[]): Item => ({ kind: "optional", items });
const star = (...items: Item[]): Item => ({ kind: "star", items });
const plus = (...items: Item[]): Item => ({ kind: "plus", items });
const rule = (label: string, ...items: Item[]): Rule => ({ alternatives: [{ label, items }] });

/** The grammar of the language, in the order and with the choices that decide how errors read. */
export const grammar: Readonly<Record<RuleName, Rule>> = {
  start: rule("Start", call("expr", "e"), { kind: "token", types: [endOfText] }),
  expr: rule(
    "Expr",
    call("conditionalOr", "e"),
    optional(token("'?'", "op"), call("conditionalOr", "e1"), token("':'"), call("expr", "e2")),
  ),
  conditionalOr: rule(
    "ConditionalOr",
    call("conditionalAnd", "e"),
    star(token("'||'", "ops"), call("conditionalAnd", "e1")),
  ),
  conditionalAnd: rule(
    "ConditionalAnd",
    call("relation", "e"),
    star(token("'&&'", "ops"), call("relation", "e1")),
  ),
  relation: {
    alternatives: [{ label: "Relation", items: [call("calc", "e")] }],
    operators: [
      {
        label: "Relation",
        precedence: 1,
        items: [
          anyOf(["'<'", "'<='", "'>='", "'>'", "'=='", "'!='", "'in'"], "op"),
          call("relation", "right", 2),
        ],
      },
    ],
  },
  calc: {
    alternatives: [{ label: "Calc", items: [call("unary", "e")] }],
    operators: [
      {
        label: "Calc",
        precedence: 2,
        items: [anyOf(["'*'", "'/'", "'%'"], "op"), call("calc", "right", 3)],
      },
      {
        label: "Calc",
        precedence: 1,
        items: [anyOf(["'+'", "'-'"], "op"), call("calc", "right", 2)],
      },
    ],
  },
  unary: {
    alternatives: [
      { label: "MemberExpr", items: [call("member", "e")] },
      { label: "LogicalNot", items: [plus(token("'!'", "ops")), call("member", "e")] },
      { label: "Negate", items: [plus(token("'-'", "ops")), call("member", "e")] },
    ],
  },
  member: {
    alternatives: [{ label: "PrimaryExpr", items: [call("primary", "e")] }],
    operators: [
      {
        label: "Select",
        precedence: 3,
        items: [token("'.'", "op"), optional(token("'?'", "opt")), call("escapeIdent", "id")],
      },
      {
        label: "MemberCall",
        precedence: 2,
        items: [
          token("'.'", "op"),
          token("IDENTIFIER", "id"),
          token("'('", "open"),
          optional(call("exprList", "args")),
          token("')'"),
        ],
      },
      {
        label: "Index",
        precedence: 1,
        items: [
          token("'['", "op"),
          optional(token("'?'", "opt")),
          call("expr", "index"),
          token("']'"),
        ],
      },
    ],
  },
  primary: {
    alternatives: [
      {
        label: "Ident",
        items: [optional(token("'.'", "leadingDot")), token("IDENTIFIER", "id")],
      },
      {
        label: "GlobalCall",
        items: [
          optional(token("'.'", "leadingDot")),
          token("IDENTIFIER", "id"),
          token("'('", "op"),
          optional(call("exprList", "args")),
          token("')'"),
        ],
      },
      { label: "Nested", items: [token("'('"), call("expr", "e"), token("')'")] },
      {
        label: "CreateList",
        items: [
          token("'['", "op"),
          optional(call("listInit", "elems")),
          optional(token("','")),
          token("']'"),
        ],
      },
      {
        label: "CreateStruct",
        items: [
          token("'{'", "op"),
          optional(call("mapInitializerList", "entries")),
          optional(token("','")),
          token("'}'"),
        ],
      },
      {
        label: "CreateMessage",
        items: [
          optional(token("'.'", "leadingDot")),
          token("IDENTIFIER", "ids"),
          star(token("'.'", "ops"), token("IDENTIFIER", "ids")),
          token("'{'", "op"),
          optional(call("fieldInitializerList", "entries")),
          optional(token("','")),
          token("'}'"),
        ],
      },
      { label: "ConstantLiteral", items: [call("literal", "e")] },
    ],
  },
  exprList: rule("ExprList", call("expr", "e"), star(token("','"), call("expr", "e"))),
  listInit: rule(
    "ListInit",
    call("optExpr", "elems"),
    star(token("','"), call("optExpr", "elems")),
  ),
  fieldInitializerList: rule(
    "FieldInitializerList",
    call("optField", "fields"),
    token("':'", "cols"),
    call("expr", "values"),
    star(token("','"), call("optField", "fields"), token("':'", "cols"), call("expr", "values")),
  ),
  optField: rule("OptField", optional(token("'?'", "opt")), call("escapeIdent", "id")),
  mapInitializerList: rule(
    "MapInitializerList",
    call("optExpr", "keys"),
    token("':'", "cols"),
    call("expr", "values"),
    star(token("','"), call("optExpr", "keys"), token("':'", "cols"), call("expr", "values")),
  ),
  escapeIdent: {
    alternatives: [
      { label: "SimpleIdentifier", items: [token("IDENTIFIER", "id")] },
      { label: "EscapedIdentifier", items: [token("ESC_IDENTIFIER", "id")] },
    ],
  },
  optExpr: rule("OptExpr", optional(token("'?'", "opt")), call("expr", "e")),
  literal: {
    alternatives: [
      { label: "Int", items: [optional(token("'-'", "sign")), token("NUM_INT", "tok")] },
      { label: "Uint", items: [token("NUM_UINT", "tok")] },
      { label: "Double", items: [optional(token("'-'", "sign")), token("NUM_FLOAT", "tok")] },
      { label: "String", items: [token("STRING", "tok")] },
      { label: "Bytes", items: [token("BYTES", "tok")] },
      { label: "BoolTrue", items: [token("'true'", "tok")] },
      { label: "BoolFalse", items: [token("'false'", "tok")] },
      { label: "Null", items: [token("'null'", "tok")] },
    ],
  },
};
