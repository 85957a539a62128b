import { errorMessage } from "../../../base/error-message.ts";
import type { AnyKind, ApiObject } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import type { Attributes } from "../admission.ts";
import type { RequestMatcher } from "../matching/request-matcher.ts";
import { requestedNamespace } from "../matching/requested.ts";
import { collectParams, type ParamReader, type Params, paramKindOf } from "./collect-params.ts";
import type { BindingObject, BoundPolicy, PolicyObject } from "./policy-source.ts";

/** A policy to evaluate for a request, by one of its bindings and with one of its parameters. */
export interface Invocation<P, B, E> {
  readonly policy: P;
  readonly binding: B;
  readonly evaluator: E;
  /** The kind as which the policy sees the object. */
  readonly seenAs: AnyKind;
  readonly params: ApiObject | undefined;
}

/** A policy that is meant for a request, but cannot be evaluated; without a binding by none of them. */
export interface ConfigurationFault<P, B> {
  readonly policy: P;
  readonly binding?: B;
  readonly fault: string;
}

export interface InvocationSetup {
  readonly reader: ParamReader;
  readonly resources: Pick<Resources, "findVersion">;
}

/** Finds what to evaluate for a request, in order. */
export async function invocationsFor<P extends PolicyObject, B extends BindingObject, E>(
  { reader, resources }: InvocationSetup,
  bound: readonly BoundPolicy<P, B, E>[],
  attributes: Attributes,
): Promise<readonly (Invocation<P, B, E> | ConfigurationFault<P, B>)[]> {
  const found: (Invocation<P, B, E> | ConfigurationFault<P, B>)[] = [];
  const namespace = requestedNamespace(attributes);
  for (const { policy, matches, evaluator, bindings } of bound) {
    const matched = match(matches, attributes);
    const seenAs = matched instanceof Promise ? await matched : matched;
    if (!seenAs) continue;
    const kind = paramKindOf(resources, policy.spec.paramKind);
    const fault = faultIn(seenAs) ?? faultIn(kind);
    if (fault !== undefined) {
      found.push({ policy, fault: `failed to configure policy: ${fault}` });
      continue;
    }
    for (const { binding, matches: matchesBinding } of bindings) {
      const { paramRef: ref } = binding.spec;
      const collected = await meant(matchesBinding, attributes, () =>
        collectParams(reader, kind as AnyKind | undefined, { ref, namespace }),
      );
      if ("fault" in collected)
        found.push({ policy, binding, fault: `failed to configure binding: ${collected.fault}` });
      else
        for (const params of collected.params)
          found.push({ policy, binding, evaluator, seenAs: seenAs as AnyKind, params });
    }
  }
  return found;
}

type Matched = AnyKind | undefined | Fault;

interface Fault {
  readonly fault: string;
}

const faultIn = (found: Matched): string | undefined =>
  found && "fault" in found ? found.fault : undefined;

function match(matches: RequestMatcher, attributes: Attributes): Matched | Promise<Matched> {
  const matched = matches(attributes);
  if (!(matched instanceof Promise)) return matched;
  return matched.catch((error: unknown) => ({ fault: errorMessage(error) }));
}

/** The parameters of a binding; none if it is not meant. */
async function meant(
  matches: RequestMatcher,
  attributes: Attributes,
  collect: () => Promise<Params>,
): Promise<Params> {
  const matched = await match(matches, attributes);
  if (!matched) return { params: [] };
  const fault = faultIn(matched);
  if (fault !== undefined) return { fault };
  return collect().catch((error: unknown) => ({ fault: errorMessage(error) }));
}
