import { invalid, methodNotAllowed, type ResourceName } from "../api/meta/v1/status-error.ts";
import { At } from "../schema/report.ts";
import { checkNamespace } from "./create.ts";
import type { User } from "./identity.ts";
import type { ApiObject, ObjectDraft } from "./object.ts";
import { type Address, kindName, sealed } from "./registry.ts";

/** Answers an object that is not kept: a question, to which the status is the answer. */
export function review(
  address: Address,
  draft: ObjectDraft,
  { user, now }: { readonly user: User; readonly now: string },
): ApiObject {
  const { kind } = address;
  const answer = answers[kind.kind];
  // What nobody can answer yet, such as a binding, is not said to be done.
  if (!answer) throw methodNotAllowed();
  checkNamespace(kind, address.namespace, draft);
  kind.form.complete(draft);
  kind.strategy.prepareCreate?.(draft as never);
  const at = At.root();
  kind.validateCreate(draft as ApiObject, at);
  if (at.errors.length > 0) throw invalid(nameInErrors(address), at.errors);
  draft.status = answer((draft.spec ?? {}) as Question, user);
  if (kind.kind === "SelfSubjectReview") draft.metadata = { creationTimestamp: now };
  return sealed(kind, draft);
}

/** Upstream's errors do not say which kind of access review it is. */
const nameInErrors = (address: Address): ResourceName =>
  address.kind.group === "authorization.k8s.io"
    ? { ...kindName(address), resource: "" }
    : kindName(address);

/** What reviews ask, as far as it matters here. */
interface Question {
  readonly user?: string;
  readonly groups?: readonly string[];
}

const mayAll = (groups: readonly string[]): boolean => groups.includes("system:masters");

/** Until there are roles and tokens: administrators may do everything, and no token is known. */
const answers: Readonly<Record<string, (question: Question, user: User) => object>> = {
  SelfSubjectAccessReview: (_, { groups }) => ({ allowed: mayAll(groups) }),
  SubjectAccessReview: ({ groups = [] }) => ({ allowed: mayAll(groups) }),
  LocalSubjectAccessReview: ({ groups = [] }) => ({ allowed: mayAll(groups) }),
  SelfSubjectRulesReview: (_, { groups }) => ({
    resourceRules: mayAll(groups) ? [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] : [],
    nonResourceRules: mayAll(groups) ? [{ verbs: ["*"], nonResourceURLs: ["*"] }] : [],
    incomplete: false,
  }),
  SelfSubjectReview: (_, { name, groups, extra = {} }) => ({
    userInfo: { username: name, groups, extra },
  }),
  TokenReview: () => ({ user: {}, error: "invalid bearer token" }),
};
