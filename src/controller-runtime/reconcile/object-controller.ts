import type { KubernetesObject, ObjectKey } from "../../client/resource-kind.ts";
import { controller } from "./controller.ts";
import type {
  Controller,
  ControllerDefinition,
  ReconcileContext,
} from "./controller-definition.ts";

/** A controller whose reconcile gets the object instead of its key. */
export interface ObjectControllerDefinition<
  O extends KubernetesObject,
  W extends readonly KubernetesObject[],
> extends Omit<ControllerDefinition<O, W>, "reconcile"> {
  /** Does what is needed for an object, as the cache shows it; it is shared with the cache, and must not be changed. */
  reconcile(object: O, ctx: ReconcileContext): ReturnType<Controller["reconcile"]>;
  /** Runs for the key of an object that is gone; nothing is done if not given. */
  reconcileGone?(key: ObjectKey, ctx: ReconcileContext): ReturnType<Controller["reconcile"]>;
}

/**
 * A controller as an object literal, whose reconcile gets the object from the cache:
 *
 * ```ts
 * objectController({
 *   name: "web",
 *   for: Deployment,
 *   async reconcile(deployment, { client }) { … },
 * });
 * ```
 */
export function objectController<
  O extends KubernetesObject,
  const W extends readonly KubernetesObject[] = readonly [],
>(definition: ObjectControllerDefinition<O, W>): Controller {
  const { reconcile: _, reconcileGone: _gone, ...rest } = definition;
  return controller<O, W>({
    ...(rest as Omit<ControllerDefinition<O, W>, "reconcile">),
    async reconcile(key, ctx) {
      const object = await ctx.cache.get(definition.for, key);
      if (object === undefined) return definition.reconcileGone?.(key, ctx);
      return definition.reconcile(object, ctx);
    },
  });
}
