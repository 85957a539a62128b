import { Service } from "../../api/core/v1/service/service.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import { formatKeyOf } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type {
  Controller,
  ReconcileContext,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import type { Cidr } from "../../schema/values/ip.ts";
import { type LoadBalancerPlan, planLoadBalancers } from "./plan-load-balancers.ts";

/** All services are planned together: this one key keeps two of them from getting one address at the same time. */
const allKey = { name: "load-balancers" };

const concerns = ({ spec, status }: Service): boolean =>
  spec.type === "LoadBalancer" || (status?.loadBalancer?.ingress ?? []).length > 0;

/**
 * Gives services of type LoadBalancer addresses of ranges that the cluster owns, where there is no cloud that does.
 * Whether an address can be reached is up to whoever gave the ranges.
 */
export function serviceLbController(ranges: readonly Cidr[]): Controller {
  return controller({
    name: "service-lb-controller",
    eventSource: "service-controller",
    for: Service,
    predicates: [() => false],
    watches: [
      {
        kind: Service,
        predicates: [
          (event) => concerns(event.object) || (event.type === "updated" && concerns(event.old)),
        ],
        mapKey: () => allKey,
        map: () => [allKey],
      },
    ],
    async reconcile(_key, context) {
      const services = await context.cache.list(Service);
      for (const plan of planLoadBalancers(services, ranges)) await carryOut(plan, context);
    },
  });
}

async function carryOut(
  { service, ingress, problem }: LoadBalancerPlan,
  { client, events, log, signal }: ReconcileContext,
): Promise<void> {
  if (problem !== undefined) {
    const note = `Error syncing load balancer: failed to ensure load balancer: ${problem}`;
    events.record(service, { type: "Warning", reason: "SyncLoadBalancerFailed", note });
    log.warn("a service has no load balancer", { service: formatKeyOf(service), problem });
  }
  const present = service.status?.loadBalancer?.ingress ?? [];
  if (sameJson(present, ingress)) return;
  const [doing, done] =
    ingress.length > 0 ? (["Ensuring", "Ensured"] as const) : (["Deleting", "Deleted"] as const);
  const record = (what: string): void =>
    events.record(service, {
      type: "Normal",
      reason: `${what}LoadBalancer`,
      note: `${what} load balancer`,
    });
  record(doing);
  const status = { ...service.status, loadBalancer: ingress.length > 0 ? { ingress } : {} };
  const update = client.update(Service, { ...service, status }, { subresource: "status", signal });
  if (await ignoreNotFound(update)) record(done);
}
