import type { ServedKind } from "../../../schema/language/kind.ts";
import type { Schema } from "../../../schema/openapi/openapi.ts";
import { writePaths } from "./openapi-operation.ts";
import { groupWord, operationWord, pathsOf, title } from "./openapi-paths.ts";
import { sharing } from "./shared-parameters.ts";

/** Members of an object of the document: names, and the JSON of each name with its value. */
export type Entries = readonly (readonly [name: string, text: string])[];

/** The paths of custom kinds of one shape in OpenAPI 2, of which only the names differ. */
export interface PathTemplate {
  fill(kind: ServedKind): Entries;
  /** The parameters that these paths share with others. */
  readonly parameters: Entries;
}

/** Names that stand for those of a kind. Each can be found again after it was put into another. */
const stand = {
  group: "zqg.zqh",
  version: "zq-v",
  plural: "zqps",
  kind: "Zqk",
  name: "zqname",
  listName: "zqlist",
};
const stands = /zqg\.zqh|zqgZqh|ZqgZqh|zq-v|zqV|ZqV|zqps|Zqk|zqname|zqlist/;

/** What kinds have in common whose paths differ in names only. */
export const templateKey = ({ scope, subresources }: ServedKind): string =>
  `${scope} ${subresources.join()}`;

/** Writes the paths of a kind once, to fill in the names of others of its shape. */
export function pathTemplate(sample: ServedKind, hash: (text: string) => string): PathTemplate {
  const { name, listName, ...names } = stand;
  const kind = { ...sample, ...names, form: { ...sample.form, name, listName } };
  const shared = new Map<string, Schema>();
  const paths = Object.entries(writePaths(pathsOf(kind), 2, sharing(shared, hash))).map(
    ([path, item]) => [textOf(path), textOf(JSON.stringify(item))] as const,
  );
  const parameters = entriesOf(shared);
  let words = wordsOf(sample.group);
  return {
    parameters,
    fill(filled) {
      // Kinds of one group mostly follow each other.
      if (words.group !== filled.group) words = wordsOf(filled.group);
      const values = valuesOf(filled, words);
      return paths.map(([path, item]) => entry(path(values), item(values)));
    },
  };
}

const entry = (name: string, text: string): readonly [name: string, text: string] => [
  name,
  `${JSON.stringify(name)}:${text}`,
];

export const entriesOf = (named: Iterable<readonly [string, Schema]>): Entries =>
  [...named].map(([name, value]) => entry(name, JSON.stringify(value)));

type Values = Record<string, string>;
type Text = (values: Values) => string;

/** The text with the values of a kind; names of kinds need no escaping in JSON. */
function textOf(template: string): Text {
  const parts = template.split(new RegExp(`(${stands.source})`));
  return (values) => {
    let text = "";
    // What stands for something is at every odd place.
    for (const [i, part] of parts.entries()) text += i % 2 === 0 ? part : values[part];
    return text;
  };
}

interface GroupWords {
  readonly group: string;
  readonly word: string;
  readonly title: string;
}

function wordsOf(group: string): GroupWords {
  const word = groupWord(group);
  return { group, word, title: title(word) };
}
const standWords = wordsOf(stand.group);

function valuesOf({ version, plural, kind, form }: ServedKind, words: GroupWords): Values {
  return {
    [standWords.group]: words.group,
    [standWords.word]: words.word,
    [standWords.title]: words.title,
    [stand.version]: version,
    [operationWord(stand.version)]: operationWord(version),
    [title(operationWord(stand.version))]: title(operationWord(version)),
    [stand.plural]: plural,
    [stand.kind]: kind,
    [stand.name]: form.name,
    [stand.listName]: form.listName,
  };
}
