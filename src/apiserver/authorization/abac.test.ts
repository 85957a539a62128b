import { expect, test } from "vitest";
import { abacAuthorizer, parsePolicyFile } from "./abac.ts";
import { pathAttributes, resourceAttributes } from "./attributes.ts";

const version = '"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy"';
const policy = (spec: string): string => `{${version},"spec":{${spec}}}`;
const file = `# who may what
${policy('"user":"alice","namespace":"*","resource":"*","apiGroup":"*"')}

${policy('"user":"bob","namespace":"projects","resource":"pods","apiGroup":"","readonly":true')}
${policy('"group":"ops","user":"carol","nonResourcePath":"/logs/*"')}
${policy('"group":"*","nonResourcePath":"/version","readonly":true')}
  {"user":"dora","resource":"pods","readonly":true}
{"user":"erin"}
{"namespace":"open"}
${policy('"namespace":"*","resource":"*","apiGroup":"*","nonResourcePath":"*"')}
`;
const authorizer = abacAuthorizer(parsePolicyFile("f", file));

const rows: [who: string, verb: string, what: string, isAllowed: boolean][] = [
  ["alice", "delete", "apps/deployments in x", true],
  ["alice", "get", "/anything", false],
  ["bob", "list", "/pods in projects", true],
  ["bob", "create", "/pods in projects", false],
  ["bob", "get", "/pods in other", false],
  ["bob", "get", "/secrets in projects", false],
  ["bob", "get", "apps/pods in projects", false],
  ["carol", "get", "/logs/a", false],
  ["carol:ops", "get", "/logs/a", true],
  ["carol:ops", "post", "/logs/a", true],
  ["carol:ops", "get", "/logs", false],
  ["dave:ops", "get", "/logs/a", false],
  ["zoe:system:authenticated", "get", "/version", true],
  ["zoe", "get", "/version", false],
  ["zoe:system:authenticated", "post", "/version", false],
  ["dora", "watch", "any/pods in any", true],
  ["dora", "update", "any/pods in any", false],
  ["dora", "get", "/healthz", false],
  ["erin", "delete", "any/thing in any", true],
  ["erin", "post", "/any/path", true],
  ["zoe:system:authenticated", "create", "any/thing in open", true],
  ["zoe:system:authenticated", "create", "any/thing in closed", false],
];
test.each(rows)("abacAuthorizer: %s may %s %s: %s", async (who, verb, what, isAllowed) => {
  const [name = "", ...groups] = who.split(/:(.*)/).filter((part) => part !== "");
  const user = { name, groups };
  const [, group = "", resource = "", namespace = ""] = /^(.*?)\/(.*) in (.*)$/.exec(what) ?? [];
  const asked = what.includes(" in ")
    ? resourceAttributes(user, verb, { group, resource, namespace })
    : pathAttributes(user, verb, what);
  expect(await authorizer.authorize(asked)).toEqual(
    isAllowed
      ? { verdict: "allow", reason: "" }
      : { verdict: "no opinion", reason: "No policy matched." },
  );
});

test("abacAuthorizer: lists the rules of a user in a namespace", async () => {
  expect(await authorizer.rulesFor({ name: "bob", groups: [] }, "projects")).toEqual({
    resourceRules: [{ verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["pods"] }],
    nonResourceRules: [],
    incomplete: false,
    errors: [],
  });
  expect(await authorizer.rulesFor({ name: "erin", groups: [] }, "x")).toMatchObject({
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  });
});

test.each([
  ['{"user":1}', "user must be a string"],
  [`\n{${version},"spec":[]}`, "spec must be an object"],
  [`{${version},"spec":{"readonly":"yes"}}`, "readonly must be true or false"],
  ["[]", "it must be an object"],
])("parsePolicyFile: %s is refused, with its line", (text, reason) => {
  const line = text.startsWith("\n") ? 2 : 1;
  expect(() => parsePolicyFile("f", text)).toThrow(
    `error reading policy file f, line ${line}: ${text.trim()}: ${reason}`,
  );
});
