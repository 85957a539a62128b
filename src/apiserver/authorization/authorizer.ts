import type { User } from "../request/identity.ts";
import type { Attributes } from "./attributes.ts";

/** The decision of an authorizer about a request. */
export interface Decision {
  readonly verdict: "allow" | "deny" | "no opinion";
  /** The reason; may be empty. */
  readonly reason: string;
  /** What went wrong while deciding. A request that is not allowed then fails, rather than being forbidden. */
  readonly error?: string | undefined;
}

/** What may be done with resources, as reviews list it. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
}
/** What may be done with other paths. */
export interface PathRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[] | undefined;
}

/** The rules of a user in a namespace, as far as they can be listed. */
export interface RuleList {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly PathRule[];
  readonly incomplete: boolean;
  readonly errors: readonly string[];
}

/** Decides whether requests are allowed. */
export interface Authorizer {
  authorize(attributes: Attributes): Decision | Promise<Decision>;
  rulesFor(user: User, namespace: string): RuleList | Promise<RuleList>;
}

export const noOpinion: Decision = { verdict: "no opinion", reason: "" };
export const noRules: RuleList = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: false,
  errors: [],
};

/** A chain: the first authorizer with an opinion decides; without one, the reasons of all are joined. */
export function authorizerChain(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(attributes) {
      const reasons: string[] = [];
      const errors: string[] = [];
      for (const authorizer of authorizers) {
        const answer = authorizer.authorize(attributes);
        const decision = answer instanceof Promise ? await answer : answer;
        if (decision.verdict !== "no opinion") return decision;
        if (decision.reason !== "") reasons.push(decision.reason);
        if (decision.error !== undefined) errors.push(decision.error);
      }
      const reason = reasons.join("\n");
      if (errors.length === 0) return { verdict: "no opinion", reason };
      return { verdict: "no opinion", reason, error: errorText(errors) };
    },

    async rulesFor(user, namespace) {
      const lists = await Promise.all(
        authorizers.map((authorizer) => authorizer.rulesFor(user, namespace)),
      );
      return {
        resourceRules: lists.flatMap(({ resourceRules }) => resourceRules),
        nonResourceRules: lists.flatMap(({ nonResourceRules }) => nonResourceRules),
        incomplete: lists.some(({ incomplete }) => incomplete),
        errors: lists.flatMap(({ errors }) => errors),
      };
    },
  };
}

/** Several errors as one text, each once. */
export function errorText(errors: readonly string[]): string {
  const [only = "", ...more] = new Set(errors);
  return more.length === 0 ? only : `[${[only, ...more].join(", ")}]`;
}
