import type { Resources } from "../../objects/resources.ts";
import { kindAt, pathAbsent, verbAt } from "../../verbs/resource-route.ts";
import type { Stage } from "../stage.ts";

/** Finds the kind at the path and what the request does with it; rejects paths and verbs it does not have. */
export const findKind = ({ resources }: { readonly resources: Resources }): Stage => ({
  name: "find-kind",
  before(state) {
    const { target } = state;
    if (target.type !== "resource") return undefined;
    const { group, version, resource } = target.resource;
    if (!resources.find(group, version, resource)) return pathAbsent(resources, group);
    const kind = kindAt(resources, target.resource);
    state.verb = verbAt(kind, target.resource, state);
    state.kind = kind;
    return undefined;
  },
});
