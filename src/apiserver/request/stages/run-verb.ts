import { connect } from "../../connect/connect-request.ts";
import type { Connections } from "../../connect/kubelet-connection.ts";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";
import type { AnyKind } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import { hasTable } from "../../verbs/resource-route.ts";
import type { Verb } from "../../verbs/verb.ts";
import { type VerbHandler, verbHandlers } from "../../verbs/verb-handlers.ts";
import type { VerbParts } from "../../verbs/verb-parts.ts";
import { checkpoint, type TimeLimit } from "../load/request-timeout.ts";
import { acceptedForm, anyForm, formOfErrors, type Negotiated } from "../negotiation.ts";
import type { ApiRequest } from "../request.ts";
import type { ResourcePath } from "../request-info.ts";
import type { Stage } from "../stage.ts";

/** Runs the verb that was found; a write decodes, admits, validates and commits its object here. */
export function runVerb({
  verbParts: parts,
  resources,
  connections,
  timeLimit,
  metrics: { watches },
}: {
  readonly verbParts: VerbParts;
  readonly resources: Resources;
  readonly connections: Connections;
  readonly timeLimit: Pick<TimeLimit, "timeLeft">;
  readonly metrics: Pick<ServerMetrics, "watches">;
}): Stage {
  const handlers: Readonly<Record<Verb, VerbHandler>> = {
    ...verbHandlers,
    connect: (request) => connect(request, connections),
  };
  return {
    name: "verb",
    before(state) {
      const { request, target, query, kind, verb, attributes, warnings, audit } = state;
      if (target.type !== "resource" || !kind || !verb) return undefined;
      const path = target.resource;
      const accept =
        verb === "connect" ? (formOfErrors(request) ?? anyForm) : formOf(request, kind, path);
      // Of custom kinds, that was warned of where the verb was found.
      if (kind.struct && kind.deprecated) warnings.push(kind.deprecated);
      return handlers[verb]({
        request,
        path,
        kind,
        query,
        accept,
        attributes,
        warnings,
        parts,
        resources,
        audit,
        checkpoint: () => checkpoint(state),
        timeLeft: () => timeLimit.timeLeft(state),
        onListed: () => watches.listed(state, kind),
      });
    },
  };
}

/** The form of the response that the client accepts; throws NotAcceptable where there is none. */
const formOf = (request: ApiRequest, kind: AnyKind, path: ResourcePath): Negotiated =>
  acceptedForm(request, kind, {
    isList: path.name === "" && request.method === "GET",
    hasTable: hasTable(kind, path),
  });
