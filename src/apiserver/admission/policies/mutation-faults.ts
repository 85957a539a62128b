import { type Reason, StatusError } from "../../../api/meta/v1/status-error.ts";
import type { ObjectDraft } from "../../objects/object.ts";
import type { Attributes } from "../admission.ts";
import { rejection } from "../rejection.ts";
import type { ConfigurationFault } from "./invocations.ts";
import type { BindingObject, PolicyObject } from "./policy-source.ts";

/** Why policies could not change an object. Those that are not to be ignored reject the request together. */
export class MutationFaults {
  readonly #faults: { readonly message: string; readonly reason: Reason }[] = [];

  /** Without a reason, the policy itself could not be used. */
  add(
    { policy, binding, fault }: ConfigurationFault<PolicyObject, BindingObject>,
    reason: Reason = "Forbidden",
  ): void {
    if (policy.spec.failurePolicy === "Ignore") return;
    const name = policy.metadata.name ?? "";
    const by = binding
      ? `policy '${name}' with binding '${binding.metadata.name}'`
      : `policy "${name}"`;
    this.#faults.push({ message: `${by} denied request: ${fault}`, reason });
  }

  /** The error that names all faults, with the message and the reason of the first; undefined without one. */
  rejectionOf(attributes: Attributes<ObjectDraft>): StatusError | undefined {
    const [first] = this.#faults;
    if (!first) return undefined;
    const { code, details } = rejection(attributes, "");
    const causes = this.#faults.map(({ message }) => ({ message }));
    return new StatusError(first.reason, first.message, { code, details: { ...details, causes } });
  }
}
