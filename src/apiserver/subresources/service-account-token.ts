import type {
  BoundObjectReference,
  TokenRequest,
} from "../../api/authentication/v1/token-request.ts";
import { TokenRequestKind } from "../../api/authentication/v1/token-request.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { badRequest, conflict, invalid } from "../../api/meta/v1/status-error.ts";
import { At } from "../../schema/language/report.ts";
import type { Draft } from "../../schema/language/struct.ts";
import { writeJwt } from "../../schema/values/jwt.ts";
import { pathSegmentName } from "../../schema/values/names.ts";
import { quote } from "../../schema/values/quote.ts";
import { annotate } from "../admission/annotate.ts";
import { type ObjectRef, refTo, writeClaims } from "../authentication/service-account-claims.ts";
import { credentialId, serviceAccountUserName } from "../authentication/service-account-user.ts";
import { type Address, notFoundAt } from "../objects/address.ts";
import { now } from "../objects/environment.ts";
import { type ApiObject, canonical, type ObjectDraft } from "../objects/object.ts";
import { addressOf, anyKind, type KindOf, type Reader } from "../objects/reader.ts";
import type { RequestContext } from "../objects/request-context.ts";
import { checkNamespace } from "../verbs/create.ts";
import { trackFields } from "../verbs/patch/field-management.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";

/** The kind of the object that is sent to the subresource, and returned with a token. */
export const tokenKind = anyKind(TokenRequestKind);

/** Issues a token of the service account at an address. Nothing is stored, so a dry run does the same. */
export async function issueToken(
  parts: VerbParts,
  address: Address,
  { draft, context }: { readonly draft: ObjectDraft; readonly context: RequestContext },
): Promise<ApiObject> {
  checkNamespace(tokenKind, address.namespace, draft);
  tokenKind.form.complete(draft);
  trackFields(parts, { kind: tokenKind, subresource: "token" }, { draft, old: undefined, context });
  const admitted = {
    operation: "CREATE",
    subresource: "token",
    objectKind: tokenKind,
    address,
    old: undefined,
    context,
  } as const;
  await parts.admission.admit({ ...admitted, object: draft });
  const request = draft as unknown as Draft<TokenRequest>;
  const account = await completed(parts, address, request);
  await parts.admission.validate({ ...admitted, object: draft as ApiObject });
  const { boundObjectRef } = request.spec;
  const bound = boundObjectRef ? await boundTo(parts, address, boundObjectRef) : {};
  shorten(request.spec, parts, context);
  const id = parts.environment.entropy.uuid();
  request.status = {
    token: await signed(parts, { account, bound, id, spec: request.spec }),
    expirationTimestamp: now(parts.environment, Number(request.spec.expirationSeconds)),
  };
  annotate(context, "authentication.kubernetes.io/issued-credential-id", credentialId(id));
  return canonical(tokenKind, draft);
}

/** Fills in the defaults of a request, and returns its account; throws if they do not match. */
async function completed(
  parts: VerbParts,
  address: Address,
  request: Draft<TokenRequest>,
): Promise<ApiObject> {
  const { metadata, spec } = request;
  const { name } = address;
  const at = At.root();
  if (metadata.name && metadata.name !== name) {
    const problem = "must match the service account name if specified";
    at.child("metadata").invalid("name", metadata.name, problem);
    throw invalid(errorName(name), at.errors);
  }
  const { object: account } = await parts.reader.read(address);
  const { uid = "" } = account.metadata;
  if (metadata.uid && metadata.uid !== uid)
    throw conflict(
      errorName(name),
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
    );
  if ((spec.audiences ?? []).length === 0) spec.audiences = [...parts.access.tokenIssuer.audiences];
  Object.assign(metadata, { name, uid, creationTimestamp: now(parts.environment) });
  tokenKind.validateCreate(request as unknown as ApiObject, at);
  if (at.errors.length > 0) throw invalid(errorName(""), at.errors);
  return account;
}

const errorName = (name: string) => ({
  group: tokenKind.group,
  resource: tokenKind.kind,
  name,
});

/** The objects that a token names beside its account. */
interface Bound {
  readonly pod?: ObjectRef;
  readonly secret?: ObjectRef;
  readonly node?: ObjectRef;
}

async function boundTo(
  { reader }: VerbParts,
  account: Address,
  ref: BoundObjectReference,
): Promise<Bound> {
  const type = typeOf(ref);
  const get = async <O>(kind: KindOf<O>, inNamespace: string): Promise<O> => {
    if (!reader.serves(kind)) throw cannotBind(type);
    const key = { namespace: inNamespace, name: checkedName(ref.name ?? "") };
    const object = await reader.get(kind, key);
    if (!object) throw notFoundAt(addressOf(kind, key));
    return object;
  };
  const { namespace } = account;
  if (type.group !== "") throw cannotBind(type);
  switch (type.kind) {
    case "Pod": {
      const pod = await get(Pod, namespace);
      const { serviceAccountName, nodeName = "" } = pod.spec;
      if (serviceAccountName !== account.name)
        throw badRequest(
          `cannot bind token for serviceaccount ${quote(account.name)} to pod running with different serviceaccount name.`,
        );
      checkUid(ref, pod);
      if (nodeName === "") return { pod: refTo(pod) };
      return { pod: refTo(pod), node: await nodeOf(reader, nodeName) };
    }
    case "Node": {
      const node = await get(Node, "");
      checkUid(ref, node);
      return { node: refTo(node) };
    }
    case "Secret": {
      const secret = await get(Secret, namespace);
      checkUid(ref, secret);
      return { secret: refTo(secret) };
    }
    default:
      throw cannotBind(type);
  }
}

interface ObjectType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** An apiVersion that cannot be parsed counts as none. */
function typeOf({ apiVersion = "", kind = "" }: BoundObjectReference): ObjectType {
  const parts = apiVersion === "/" ? [] : apiVersion.split("/");
  if (parts.length > 2) return { group: "", version: "", kind };
  const [version = "", group = ""] = parts.reverse();
  return { group, version, kind };
}

const cannotBind = ({ group, version, kind }: ObjectType) =>
  badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);

function checkedName(name: string): string {
  if (name === "") throw badRequest("Name parameter required.");
  const problems = pathSegmentName(name);
  if (problems.length > 0)
    throw badRequest(`Name parameter invalid: ${quote(name)}: ${problems.join(";")}`);
  return name;
}

function checkUid(
  { kind = "", name = "", uid = "" }: BoundObjectReference,
  { metadata }: Pick<ApiObject, "metadata">,
): void {
  if (uid !== "" && uid !== metadata.uid)
    throw conflict(
      { group: "", resource: kind, name },
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
}

/** The node of a pod; of a node that is not registered, only the name is known. */
async function nodeOf(reader: Reader, name: string): Promise<ObjectRef> {
  const node = await reader.get(Node, { name });
  return node ? refTo(node) : { name, uid: "" };
}

/** Limits the lifetime of a token to the configured maximum, with a warning to the caller. */
function shorten(
  spec: Draft<TokenRequest>["spec"],
  {
    access: {
      tokenIssuer: { maxSeconds = 0 },
    },
  }: VerbParts,
  { warnings }: RequestContext,
): void {
  const requested = Number(spec.expirationSeconds);
  if (maxSeconds === 0 || requested <= maxSeconds) return;
  warnings.push(`requested expiration of ${requested} seconds shortened to ${maxSeconds} seconds`);
  spec.expirationSeconds = maxSeconds;
}

/** The lifetime that kubelets request for the tokens of pods. Only tokens with it are extended. */
const podTokenSeconds = 60 * 60 + 7;
const extendedSeconds = 365 * 24 * 60 * 60;

async function signed(
  { access: { tokenIssuer }, environment: { clock } }: VerbParts,
  {
    account,
    bound,
    id,
    spec,
  }: {
    readonly account: ApiObject;
    readonly bound: Bound;
    readonly id: string;
    readonly spec: TokenRequest["spec"];
  },
): Promise<string> {
  const { issuers, audiences: own, signer, extendsPodTokens = true } = tokenIssuer;
  const { signToken, mostExtendedSeconds = extendedSeconds } = tokenIssuer;
  const { audiences } = spec;
  const requested = Number(spec.expirationSeconds);
  const isForServer = (audiences ?? []).every((audience) => own.includes(audience));
  const isExtended =
    extendsPodTokens && bound.pod !== undefined && requested === podTokenSeconds && isForServer;
  const issuedAt = Math.floor(clock.now() / 1000);
  const { namespace = "", name = "" } = account.metadata;
  const claims = writeClaims({
    audiences: audiences ?? [],
    expires: issuedAt + (isExtended ? Math.min(mostExtendedSeconds, extendedSeconds) : requested),
    issuedAt,
    notBefore: issuedAt,
    issuer: issuers[0] ?? "",
    id,
    subject: serviceAccountUserName(namespace, name),
    namespace,
    serviceAccount: refTo(account),
    ...bound,
    warnAfter: isExtended ? issuedAt + requested : undefined,
  });
  return signToken ? signToken(claims) : writeJwt(signer, claims);
}
