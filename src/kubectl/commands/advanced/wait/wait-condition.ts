import { quote } from "../../../../schema/values/quote.ts";
import { JsonPathTemplate } from "../../../print/jsonpath/json-path-template.ts";
import { relaxedPath } from "../../../print/jsonpath/relaxed-path.ts";

/** What `kubectl wait` waits for. */
export type WaitCondition =
  | { readonly type: "create" }
  | { readonly type: "delete" }
  | StatusCondition
  | PathCondition;

export interface StatusCondition {
  readonly type: "condition";
  readonly name: string;
  readonly status: string;
}

export interface PathCondition {
  readonly type: "path";
  readonly template: JsonPathTemplate;
  /** Empty for any value. */
  readonly value: string;
}

/** Reads the values of `--for`. */
export function waitConditions(texts: readonly string[]): readonly WaitCondition[] {
  if (texts.length === 0) throw new Error("unrecognized condition: []");
  return texts.map(waitCondition);
}

function waitCondition(text: string): WaitCondition {
  const word = text.toLowerCase();
  if (word === "delete") return { type: "delete" };
  if (word === "create") return { type: "create" };
  const [, kind, rest = ""] = /^(condition|jsonpath)=(.*)$/s.exec(text) ?? [];
  if (kind === "condition") {
    const [, name = "", status = "true"] = /^([^=]*)(?:=(.*))?$/s.exec(rest) ?? [];
    return { type: "condition", name, status };
  }
  if (kind === "jsonpath") return pathCondition(rest);
  throw new Error(`unrecognized condition: ${quote(text)}`);
}

function pathCondition(text: string): PathCondition {
  const [path = "", value, ...others] = splitAtSingleEquals(text);
  if (others.length > 0)
    throw new Error(
      "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'",
    );
  const relaxed = relaxedPath(path);
  const wanted = value?.replace(/^['"]+|['"]+$/g, "");
  if (wanted === "")
    throw new Error(
      "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
    );
  if (relaxed === "") throw new Error("jsonpath expression cannot be empty");
  const template = new JsonPathTemplate(relaxed, { allowMissingKeys: true });
  return { type: "path", template, value: wanted ?? "" };
}

/** Splits at equals signs but for pairs of them, which compare in filters. */
const splitAtSingleEquals = (text: string): string[] =>
  (text.match(/==|=|[^=]+/g) ?? []).reduce<string[]>(
    (parts, token) => {
      if (token === "=") parts.push("");
      else parts[parts.length - 1] += token;
      return parts;
    },
    [""],
  );
