import type {
  TokenReviewSpec,
  TokenReviewStatus,
} from "../../api/authentication/v1/token-review.ts";
import type { AccessSpec } from "../../api/authorization/v1/access-attributes.ts";
import type { SubjectAccessReviewSpec } from "../../api/authorization/v1/subject-access-review-spec.ts";
import { invalid, methodNotAllowed, type ResourceName } from "../../api/meta/v1/status-error.ts";
import { At } from "../../schema/language/report.ts";
import { authenticateToken } from "../authentication/authenticate.ts";
import { errorText } from "../authorization/authorizer.ts";
import { evaluationError, reviewedAttributes } from "../authorization/reviewed-attributes.ts";
import { type Address, kindName } from "../objects/address.ts";
import { now } from "../objects/environment.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import { finalObject } from "../objects/object.ts";
import type { RequestContext } from "../objects/request-context.ts";
import type { User } from "../request/identity.ts";
import { checkNamespace, clearStamps } from "./create.ts";
import { dropRepeatedOwners } from "./owner-references.ts";
import { trackFields } from "./patch/field-management.ts";
import type { VerbParts } from "./verb-parts.ts";

/** The response to an object that is not stored: a review with its status, or what is computed of the object. */
export async function review(
  parts: VerbParts,
  address: Address,
  { draft, context }: { readonly draft: ObjectDraft; readonly context: RequestContext },
): Promise<ApiObject> {
  const { kind } = address;
  const computed = parts.computed(kind);
  const reviewer = computed ? undefined : reviewers[kind.kind];
  // A kind that is not stored and has no review must not appear to succeed.
  if (!reviewer && !computed?.create) throw methodNotAllowed();
  clearStamps(draft);
  checkNamespace(kind, address.namespace, draft);
  kind.form.complete(draft);
  dropRepeatedOwners(draft, context.warnings);
  trackFields(parts, { kind, subresource: "" }, { draft, old: undefined, context });
  const attributes = {
    operation: "CREATE",
    address: { ...address, name: draft.metadata.name ?? "" },
    subresource: "",
    old: undefined,
    context,
  } as const;
  await parts.admission.admit({ ...attributes, object: draft });
  const write = { now: now(parts.environment), user: context.user };
  kind.strategy.prepareCreate?.(draft as never, write);
  const at = At.root({ write });
  kind.validateCreate(draft as ApiObject, at);
  if (at.errors.length > 0) throw invalid(nameInErrors(address), at.errors);
  await parts.admission.validate({ ...attributes, object: draft as ApiObject });
  if (computed?.create) return computed.create(kind, finalObject(kind, draft), context);
  Object.assign(draft, await reviewer?.(parts, context.user, draft as ReviewBody));
  return finalObject(kind, draft);
}

/** Upstream's errors do not name the kind of an access review. */
const nameInErrors = (address: Address): ResourceName =>
  address.kind.group === "authorization.k8s.io"
    ? { ...kindName(address), resource: "" }
    : kindName(address);

/** The fields that the response sets in the review. */
interface Reviewed {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status: object;
}
interface ReviewBody {
  readonly spec?: object;
  readonly status?: object;
}
type Reviewer = (parts: VerbParts, user: User, body: ReviewBody) => Promise<Reviewed> | Reviewed;

/** A review of the rights of another user, with the groups that the review names. */
const aboutAnother: Reviewer = (parts, _, { spec = {} }) => {
  const { user = "", uid = "", groups, extra } = spec as SubjectAccessReviewSpec;
  const other = { name: user, uid, groups: groups ?? [], ...(extra && { extra }) };
  return accessOf(parts, other as User, spec);
};

const reviewers: Readonly<Record<string, Reviewer>> = {
  SelfSubjectAccessReview: (parts, user, { spec = {} }) => accessOf(parts, user, spec),
  SubjectAccessReview: aboutAnother,
  LocalSubjectAccessReview: aboutAnother,
  async SelfSubjectRulesReview({ access: { authorizer } }, user, { spec }) {
    const { namespace = "" } = (spec ?? {}) as { readonly namespace?: string };
    const { errors, ...rules } = await authorizer.rulesFor(user, namespace);
    const status = { ...rules, ...(errors.length > 0 && { evaluationError: errorText(errors) }) };
    return { metadata: {}, spec: {}, status };
  },
  SelfSubjectReview: (parts, { name, uid = "", groups, extra = {} }) => ({
    metadata: { creationTimestamp: now(parts.environment) },
    status: { userInfo: { username: name, uid, groups, extra } },
  }),
  async TokenReview({ access: { authentication } }, _, { spec, status }) {
    const { token = "", audiences = [] } = spec as TokenReviewSpec;
    const wanted = audiences.length > 0 ? audiences : authentication.audiences;
    const found = await authenticateToken(authentication, token, wanted);
    // The status that the client sent stays if the token is invalid.
    if (typeof found === "string") {
      const { authenticated: _, ...sent } = { user: {}, ...status } as TokenReviewStatus;
      return { status: { ...sent, ...(found !== "" && { error: found }) } };
    }
    const { name, uid = "", groups, extra = {} } = found.user;
    const user = { username: name, uid, groups, extra };
    return { status: { authenticated: true, user, audiences: found.audiences } };
  },
};

async function accessOf({ access }: VerbParts, user: User, spec: AccessSpec): Promise<Reviewed> {
  const attributes = reviewedAttributes(user, spec);
  const { verdict, reason, error: fault } = await access.authorizer.authorize(attributes);
  const error = [fault ?? "", evaluationError(attributes)].filter((text) => text !== "").join("; ");
  return {
    status: {
      allowed: verdict === "allow",
      ...(verdict === "deny" && { denied: true }),
      ...(reason !== "" && { reason }),
      ...(error !== "" && { evaluationError: error }),
    },
  };
}
