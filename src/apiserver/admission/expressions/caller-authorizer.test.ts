import { expect, test } from "vitest";
import { settle } from "../../../cel/evaluation/pending.ts";
import type { AuthorizationQuestion } from "../../../cel/values/authorizer-value.ts";
import type { Attributes } from "../../authorization/attributes.ts";
import type { Decision } from "../../authorization/authorizer.ts";
import { callerAuthorizer } from "./caller-authorizer.ts";

const caller = { name: "u", groups: ["g"] };
const pods = {
  group: "",
  resource: "pods",
  subresource: "",
  namespace: "n",
  name: "",
  fieldSelector: "",
  labelSelector: "",
};

/** The answer to a question that is asked twice, and what the authorizer was asked. */
async function ask(
  question: Partial<AuthorizationQuestion>,
  decision: () => Decision = () => ({ verdict: "allow", reason: "so" }),
) {
  const seen: Attributes[] = [];
  const authorize = callerAuthorizer(
    {
      authorize(attributes) {
        seen.push(attributes);
        return decision();
      },
    },
    caller,
  );
  const whole = { serviceAccount: undefined, verb: "get", of: pods, ...question };
  const answers = [await settle(() => authorize(whole)), await settle(() => authorize(whole))];
  expect(answers[0]).toBe(answers[1]);
  expect(seen).toHaveLength(1);
  return { answer: answers[0], attributes: seen[0] };
}

test("callerAuthorizer: a resource in any version, for the caller; each question is decided once", async () => {
  const { answer, attributes } = await ask({});
  expect(answer).toEqual({ isAllowed: true, reason: "so" });
  expect(attributes).toMatchObject({
    user: caller,
    verb: "get",
    isResource: true,
    resource: "pods",
    version: "*",
    namespace: "n",
  });
});

test("callerAuthorizer: a path", async () => {
  const { attributes } = await ask({ of: { path: "/healthz" } });
  expect(attributes).toMatchObject({ isResource: false, path: "/healthz", verb: "get" });
});

test("callerAuthorizer: a service account without a token is no authenticated user", async () => {
  const { attributes } = await ask({ serviceAccount: { namespace: "n", name: "s" } });
  expect(attributes?.user).toEqual({
    name: "system:serviceaccount:n:s",
    groups: ["system:serviceaccounts", "system:serviceaccounts:n"],
  });
});

test("callerAuthorizer: selectors are parsed; of one that cannot be, nothing counts", async () => {
  const of = { ...pods, fieldSelector: "spec.nodeName=a", labelSelector: "!!" };
  const { attributes } = await ask({ of });
  expect(attributes?.fieldSelector).toEqual({
    requirements: [{ field: "spec.nodeName", operator: "=", value: "a" }],
    isPartial: false,
  });
  expect(attributes?.labelSelector).toEqual({ requirements: [], isPartial: true });
});

test("callerAuthorizer: an authorizer that fails allows nothing, and the error is known", async () => {
  const { answer } = await ask({}, () => {
    throw new Error("broken");
  });
  expect(answer).toEqual({ isAllowed: false, reason: "", error: "broken" });
});
