import { isDns1123Label, isDns1123Subdomain } from "../../../schema/values/names.ts";

/** The names in a new project. */
export interface ProjectNames {
  /** Of the operator: its package, namespace, account and image. */
  readonly name: string;
  readonly group: string;
  /** `CronTab` */
  readonly kind: string;
  /** `crontabs` */
  readonly plural: string;
  /** Of files: `cron-tab` */
  readonly file: string;
  /** Of values: `cronTab` */
  readonly value: string;
}

export interface AskedNames {
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  /** Derived from the kind if empty. */
  readonly plural: string;
}

/** The names of a project, or what is wrong with the given ones. */
export function projectNames({ name, group, kind, plural }: AskedNames): ProjectNames | string[] {
  const problems = [
    ...(isDns1123Label(name).length === 0
      ? []
      : [
          `the project's name must have lower-case letters, digits and "-" only: ${name}; choose another with --name`,
        ]),
    ...(isDns1123Subdomain(group).length === 0 && group.includes(".") && !reserved.test(group)
      ? []
      : [`--group must be a domain that is yours, such as example.com: ${group}`]),
    ...(/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)
      ? []
      : [`--kind must be a capital letter, then letters and digits, such as CronTab: ${kind}`]),
    ...(imported.has(kind)
      ? [`--kind=${kind} is the name of something else in the project: choose another`]
      : []),
    ...(plural === "" || isDns1123Label(plural).length === 0
      ? []
      : [`--plural must have lower-case letters, digits and "-" only: ${plural}`]),
  ];
  if (problems.length > 0) return problems;
  // A run of capitals is one word: HTTPProxy is http-proxy.
  const file = kind
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
  const camel = file.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const value = taken.has(camel) ? `the${kind}` : camel;
  return { name, group, kind, plural: plural || pluralOf(kind.toLowerCase()), file, value };
}

/** What files of the project import beside the kind. */
const imported = new Set(["Cluster", "Deployment", "ObjectOf"]);

/** Words that cannot name an object of the kind: those of the language, and the other values of the controller. */
const taken = new Set([
  ...["await", "break", "case", "catch", "class", "const", "continue", "debugger", "default"],
  ...["delete", "do", "else", "enum", "export", "extends", "false", "finally", "for", "function"],
  ...["if", "implements", "import", "in", "instanceof", "interface", "let", "new", "null"],
  ...["package", "private", "protected", "public", "return", "static", "super", "switch", "this"],
  ...["throw", "true", "try", "typeof", "var", "void", "while", "with", "yield"],
  ...["client", "clock", "conditions", "deployment", "generation", "image", "labels", "merge"],
  ...["name", "namespace", "old", "replicas", "wanted"],
]);

/** Groups of Kubernetes itself, whose definitions need an approval. */
const reserved = /(^|\.)(k8s\.io|kubernetes\.io)$/;

/** The plural of an English noun, as kubebuilder makes it: `proxies`, `classes`, `widgets`. */
function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
