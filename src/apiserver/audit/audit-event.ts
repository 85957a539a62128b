import { quote } from "../../schema/values/quote.ts";
import type { User } from "../request/identity.ts";
import type { AuditLevel, AuditStage } from "./audit-policy.ts";

/** The object that a request is about. */
export interface ObjectReference {
  readonly resource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly apiGroup?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly subresource?: string | undefined;
}

/** What an event says of the response: all of a Status, else only the code. */
export interface ResponseStatus {
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: object | undefined;
  readonly code: number;
}

/** What an event says; times are in microseconds since the epoch, objects are JSON. */
export interface AuditFacts {
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: User | undefined;
  readonly impersonatedUser?: User | undefined;
  /** The verb of the mode by which the user was impersonated, if it was a constrained one. */
  readonly impersonationConstraint?: string | undefined;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly objectRef?: ObjectReference | undefined;
  readonly responseStatus?: ResponseStatus | undefined;
  readonly requestObject?: string | undefined;
  readonly responseObject?: string | undefined;
  readonly received: number;
  readonly reached: number;
  readonly annotations: readonly (readonly [key: string, value: string])[];
}

/** One event of the audit log: what happened, when and by whom. It never changes. */
export class AuditEvent {
  readonly facts: AuditFacts;
  #fields: string | undefined;

  constructor(facts: AuditFacts) {
    this.facts = facts;
  }

  /** The event as JSON without its kind, as it stands in a list. It is written once for all logs. */
  get json(): string {
    this.#fields ??= `{${fieldsOf(this.facts)}}`;
    return this.#fields;
  }

  /** The event as a line of JSON. */
  get line(): string {
    return `{"kind":"Event","apiVersion":"${auditVersion}",${this.json.slice(1)}\n`;
  }

  /** The same event without the objects of request and response. */
  truncated(): AuditEvent {
    const { requestObject: _, responseObject: __, annotations, ...facts } = this.facts;
    const others = annotations.filter(([key]) => key !== truncatedKey);
    return new AuditEvent({
      ...facts,
      annotations: [...others, [truncatedKey, "true"] as const].sort(byKey),
    });
  }
}

export const auditVersion = "audit.k8s.io/v1";
const truncatedKey = "audit.k8s.io/truncated";

export const byKey = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** Go's order of the fields; what is empty is left out. */
function fieldsOf(facts: AuditFacts): string {
  const { level, auditID, stage, requestURI, verb, user, responseStatus, objectRef } = facts;
  const { requestObject, responseObject, impersonationConstraint: constraint, sourceIPs } = facts;
  const head = JSON.stringify({
    level,
    auditID,
    stage,
    requestURI,
    verb,
    user: user ? userInfo(user) : {},
    impersonatedUser: facts.impersonatedUser && userInfo(facts.impersonatedUser),
    authenticationMetadata: constraint ? { impersonationConstraint: constraint } : undefined,
    sourceIPs: sourceIPs.length > 0 ? sourceIPs : undefined,
    userAgent: facts.userAgent || undefined,
    objectRef: objectRef && withoutEmpty(objectRef),
    responseStatus: responseStatus && { metadata: {}, ...withoutEmpty(responseStatus) },
  });
  const request = requestObject === undefined ? "" : `,"requestObject":${requestObject}`;
  const response = responseObject === undefined ? "" : `,"responseObject":${responseObject}`;
  const times = `,"requestReceivedTimestamp":"${microTime(facts.received)}","stageTimestamp":"${microTime(facts.reached)}"`;
  return `${head.slice(1, -1)}${request}${response}${times}${annotationsOf(facts)}`;
}

/** Written by hand: an object would put keys that look like numbers first. */
function annotationsOf({ annotations }: AuditFacts): string {
  if (annotations.length === 0) return "";
  const members = annotations.map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  return `,"annotations":{${members.join(",")}}`;
}

const userInfo = ({ name, uid, groups, extra }: User) => ({
  username: name || undefined,
  uid: uid || undefined,
  groups: groups.length > 0 ? groups : undefined,
  extra: extra && Object.keys(extra).length > 0 ? extra : undefined,
});

function withoutEmpty<T extends object>(value: T): Partial<T> {
  const kept: Partial<T> = {};
  for (const name in value) if (value[name] !== "") kept[name] = value[name];
  return kept;
}

/** Microseconds since the epoch, as Kubernetes writes such a time. */
function microTime(micros: number): string {
  const ms = Math.floor(micros / 1000);
  const rest = String(Math.floor(micros - ms * 1000)).padStart(3, "0");
  return `${new Date(ms).toISOString().slice(0, -1)}${rest}Z`;
}

/** The event as one line of text, with less than the JSON has. */
export function legacyLine({ facts }: AuditEvent): string {
  const { user, impersonatedUser, objectRef, responseStatus, received, sourceIPs } = facts;
  const name = user?.name ?? "";
  const fields = {
    id: quote(facts.auditID),
    stage: quote(facts.stage),
    ip: quote(sourceIPs[0] ?? "<unknown>"),
    method: quote(facts.verb),
    user: quote(name || "<none>"),
    groups: quote(name === "" ? "<none>" : (listed(user?.groups) ?? "<none>")),
    as: quote(impersonatedUser?.name ?? "<self>"),
    asgroups: quote(listed(impersonatedUser?.groups) ?? "<lookup>"),
    "user-agent": quote(facts.userAgent),
    namespace: quote(objectRef?.namespace || "<none>"),
    uri: quote(facts.requestURI),
    response: `"${responseStatus?.code ?? "<deferred>"}"`,
  };
  const written = Object.entries(fields).map(([key, value]) => `${key}=${value}`);
  // Go's nanoseconds have no zeros at their end.
  const time = microTime(received).replace(/\.?0+Z$/, "Z");
  return `${time} AUDIT: ${written.join(" ")}\n`;
}

const listed = (names: readonly string[] | undefined): string | undefined =>
  names === undefined || names.length === 0 ? undefined : names.map((one) => quote(one)).join(",");
