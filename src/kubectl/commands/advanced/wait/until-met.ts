import { DeadlineExceeded } from "../../../../base/clock.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { type Info, kindOf } from "../../../resource/info.ts";
import { followObject } from "../../shared/follow-object.ts";
import { missingObject } from "../../shared/missing-object.ts";
import {
  checkName,
  conditionNotMet,
  timedOut,
  untilDeleted,
  type WaitingTime,
} from "../../shared/until-deleted.ts";
import { isMet } from "./is-met.ts";
import type { PathCondition, StatusCondition, WaitCondition } from "./wait-condition.ts";

type UntilContext = Pick<CommandContext, "factory" | "signal">;

/** Waits until an object meets a condition; returns the object as it is then. */
export async function untilMet(
  context: UntilContext,
  info: Info,
  { condition, ...time }: WaitingTime & { readonly condition: WaitCondition },
): Promise<DynamicObject | undefined> {
  if (condition.type === "delete") return untilDeleted(context, info, time);
  checkName(info);
  if (condition.type === "create") return info.object;
  return untilState(context, info, { ...time, condition });
}

async function untilState(
  context: UntilContext,
  info: Info,
  {
    condition,
    timeoutMs,
    deadline,
  }: WaitingTime & { readonly condition: StatusCondition | PathCondition },
): Promise<DynamicObject | undefined> {
  const { factory, signal } = context;
  const kind = kindOf(info);
  const { namespace, name } = info;
  if (timeoutMs === 0) {
    const requests = helper(await factory.client(), kind, { signal });
    const object = await requests.get({ namespace, name });
    if (isMet(condition, object)) return object;
    throw conditionNotMet(info);
  }
  const following = {
    kind,
    namespace,
    name,
    ...(deadline !== undefined && { deadline }),
    synced(object: DynamicObject | undefined): boolean {
      if (!object) throw missingObject(kind, name);
      return false;
    },
    change: (type: string, object: DynamicObject) => type !== "DELETED" && isMet(condition, object),
  };
  return followObject(context, following).catch((error: unknown) => {
    throw error instanceof DeadlineExceeded ? timedOut(info) : error;
  });
}
