import { isMap, member, type ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import type { User } from "../request/identity.ts";
import type { Attributes } from "./attributes.ts";
import { type Authorizer, noRules } from "./authorizer.ts";

/** One line of a policy file. `*` matches everything, an empty text nothing. */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

/** Allows what one of the policies allows. */
export const abacAuthorizer = (policies: readonly AbacPolicy[]): Authorizer => ({
  authorize: (attributes) =>
    policies.some((policy) => allows(policy, attributes))
      ? { verdict: "allow", reason: "" }
      : { verdict: "no opinion", reason: "No policy matched." },
  rulesFor(user, namespace) {
    const own = policies.filter(
      (policy) => isAbout(policy, user) && isOneOf(policy.namespace, namespace),
    );
    return {
      ...noRules,
      resourceRules: own
        .filter(({ resource }) => resource !== "")
        .map((policy) => ({
          verbs: verbsOf(policy),
          apiGroups: [policy.apiGroup],
          resources: [policy.resource],
        })),
      nonResourceRules: own
        .filter(({ nonResourcePath }) => nonResourcePath !== "")
        .map((policy) => ({ verbs: verbsOf(policy), nonResourceURLs: [policy.nonResourcePath] })),
    };
  },
});

/** Reads a policy file: a JSON object a line, with blank lines and comments between. */
export function parsePolicyFile(path: string, text: string): AbacPolicy[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "" || line.trim().startsWith("#")) return [];
    try {
      return [parsePolicy(line)];
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(
        `error reading policy file ${path}, line ${index + 1}: ${line.trim()}: ${reason}`,
      );
    }
  });
}

const readingVerbs = ["get", "list", "watch"];
const verbsOf = ({ readonly }: AbacPolicy): readonly string[] => (readonly ? readingVerbs : ["*"]);

const isOneOf = (allowed: string, value: string): boolean => allowed === "*" || allowed === value;

function allows(policy: AbacPolicy, asked: Attributes): boolean {
  if (!isAbout(policy, asked.user)) return false;
  if (policy.readonly && !readingVerbs.includes(asked.verb)) return false;
  if (!asked.isResource) return isPathOf(policy.nonResourcePath, asked.path);
  return (
    isOneOf(policy.namespace, asked.namespace) &&
    isOneOf(policy.resource, asked.resource) &&
    isOneOf(policy.apiGroup, asked.group)
  );
}

/** Both user and group must match where both are set; without either, nobody matches. */
function isAbout({ user, group }: AbacPolicy, { name, groups }: User): boolean {
  if (user === "" && group === "") return false;
  const isUser = user === "" || isOneOf(user, name);
  return isUser && (group === "" || group === "*" || groups.includes(group));
}

function isPathOf(allowed: string, path: string): boolean {
  if (isOneOf(allowed, path)) return true;
  return allowed.endsWith("*") && path.startsWith(allowed.replace(/\*+$/, ""));
}

const authenticated = "system:authenticated";

function parsePolicy(line: string): AbacPolicy {
  const value: unknown = JSON.parse(line);
  if (!isMap(value)) throw new Error("it must be an object");
  const isVersioned =
    value.kind === "Policy" && value.apiVersion === "abac.authorization.kubernetes.io/v1beta1";
  return isVersioned ? versionedPolicy(value) : oldPolicy(value);
}

function versionedPolicy(value: ReadonlyJsonMap): AbacPolicy {
  const spec = member(value, "spec") ?? {};
  if (!isMap(spec)) throw new Error("spec must be an object");
  return forAuthenticated(readFields(spec));
}

/** In lines without an apiVersion, a missing field matches everything. */
function oldPolicy(value: ReadonlyJsonMap): AbacPolicy {
  const { user, group, readonly, namespace, resource } = readFields(value);
  return forAuthenticated({
    user,
    group: user === "" && group === "" ? authenticated : group,
    readonly,
    apiGroup: "*",
    namespace: namespace === "" ? "*" : namespace,
    resource: resource === "" ? "*" : resource,
    nonResourcePath: namespace === "" && resource === "" ? "*" : "",
  });
}

/** `*` as user or group matches authenticated users only. */
function forAuthenticated(policy: AbacPolicy): AbacPolicy {
  const isAny = policy.user === "*" || policy.group === "*";
  return isAny ? { ...policy, user: "", group: authenticated } : policy;
}

function readFields(value: ReadonlyJsonMap): AbacPolicy {
  const text = (name: string): string => {
    const given = member(value, name) ?? "";
    if (typeof given !== "string") throw new Error(`${name} must be a string`);
    return given;
  };
  const readonly = member(value, "readonly") ?? false;
  if (typeof readonly !== "boolean") throw new Error("readonly must be true or false");
  return {
    user: text("user"),
    group: text("group"),
    readonly,
    apiGroup: text("apiGroup"),
    resource: text("resource"),
    namespace: text("namespace"),
    nonResourcePath: text("nonResourcePath"),
  };
}
