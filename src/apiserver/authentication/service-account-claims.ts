import { isMap, type ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import type { ApiObject } from "../objects/object.ts";

/** An object that a token depends on. */
export interface ObjectRef {
  readonly name: string;
  /** Empty for a node of which only the name is known. */
  readonly uid: string;
}

/** The claims of a service account's token; missing ones are empty or absent. */
export interface ServiceAccountClaims {
  readonly audiences: readonly string[];
  /** Seconds since 1970, as all times of a token. */
  readonly expires?: number | undefined;
  readonly issuedAt?: number | undefined;
  readonly notBefore?: number | undefined;
  readonly issuer: string;
  readonly id: string;
  readonly subject: string;
  readonly namespace: string;
  readonly serviceAccount: ObjectRef;
  readonly pod?: ObjectRef | undefined;
  readonly secret?: ObjectRef | undefined;
  readonly node?: ObjectRef | undefined;
  /** The time from which use of the token causes a warning, because it should have been renewed. */
  readonly warnAfter?: number | undefined;
}

/** The claims as they are signed; members in the order of their names. */
export const writeClaims = (claims: ServiceAccountClaims): object => {
  const { namespace, node, pod, secret, serviceAccount, warnAfter } = claims;
  return {
    aud: claims.audiences,
    exp: claims.expires,
    iat: claims.issuedAt,
    iss: claims.issuer,
    jti: claims.id,
    "kubernetes.io": {
      namespace,
      node: node && writeRef(node),
      pod: pod && writeRef(pod),
      secret: secret && writeRef(secret),
      serviceaccount: writeRef(serviceAccount),
      warnafter: warnAfter,
    },
    nbf: claims.notBefore,
    sub: claims.subject,
  };
};

/** The claims of a verified token; undefined where one has the wrong type. */
export function readClaims(claims: ReadonlyJsonMap): ServiceAccountClaims | undefined {
  const own = claims["kubernetes.io"] ?? {};
  const audiences = readAudiences(claims.aud);
  if (!isMap(own) || !audiences) return undefined;
  const times = [claims.exp, claims.iat, claims.nbf, own.warnafter];
  const texts = [claims.iss, claims.jti, claims.sub, own.namespace];
  const refs = [own.serviceaccount, own.pod, own.secret, own.node];
  if (!times.every(isOptional("number")) || !texts.every(isOptional("string"))) return undefined;
  if (!refs.every(isRef)) return undefined;
  return {
    audiences,
    expires: readTime(claims.exp),
    issuedAt: readTime(claims.iat),
    notBefore: readTime(claims.nbf),
    issuer: text(claims.iss),
    id: text(claims.jti),
    subject: text(claims.sub),
    namespace: text(own.namespace),
    serviceAccount: readRef(own.serviceaccount) ?? { name: "", uid: "" },
    pod: readRef(own.pod),
    secret: readRef(own.secret),
    node: readRef(own.node),
    warnAfter: readTime(own.warnafter),
  };
}

export const refTo = ({ metadata: { name = "", uid = "" } }: ApiObject): ObjectRef => ({
  name,
  uid,
});

const writeRef = ({ name, uid }: ObjectRef): object => ({ name, ...(uid !== "" && { uid }) });

const isOptional = (type: string) => (value: unknown) =>
  value === undefined || value === null || typeof value === type;

const isRef = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (isMap(value) && [value.name, value.uid].every(isOptional("string")));

const readRef = (value: unknown): ObjectRef | undefined =>
  isMap(value) ? { name: text(value.name), uid: text(value.uid) } : undefined;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const readTime = (value: unknown): number | undefined =>
  typeof value === "number" ? Math.trunc(value) : undefined;

function readAudiences(value: unknown): string[] | undefined {
  if (value === undefined) return [];
  if (typeof value === "string") return [value];
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isList ? (value as string[]) : undefined;
}
