import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { DeadlineExceeded } from "../../../base/clock.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";
import { helper } from "../../resource/helper.ts";
import { type Info, kindOf } from "../../resource/info.ts";
import { followObject } from "./follow-object.ts";

/** How long a command waits for objects. */
export interface WaitingTime {
  /** Zero looks once; less than zero is too late at once. */
  readonly timeoutMs: number;
  /** When the time of the whole command is over; it looks once without. */
  readonly deadline: number | undefined;
}

/**
 * Waits until an object is gone, or has another UID than the one given. Returns the object as it was; that of the
 * info if there was none.
 */
export async function untilDeleted(
  context: Pick<CommandContext, "factory" | "signal">,
  info: Info,
  { timeoutMs, deadline, uid }: WaitingTime & { readonly uid?: string | undefined },
): Promise<DynamicObject | undefined> {
  const { factory, signal } = context;
  const kind = kindOf(info);
  const { namespace, name } = info;
  checkName(info);
  checkTime(context, deadline);
  const requests = helper(await factory.client(), kind, { signal });
  const current = await requests.get({ namespace, name }).catch((error: unknown) => {
    if (StatusError.is(error, "NotFound")) return undefined;
    throw error;
  });
  if (!current) return info.object;
  const isOther = (object: DynamicObject): boolean =>
    uid !== undefined && object.metadata.uid !== uid;
  if (isOther(current)) return current;
  if (timeoutMs === 0) throw conditionNotMet(info);
  if (timeoutMs < 0) throw timedOut(info);
  const following = {
    kind,
    namespace,
    name,
    ...(deadline !== undefined && { deadline }),
    synced: (object: DynamicObject | undefined) => !object || isOther(object),
    change: (type: string) => type === "DELETED",
  };
  await followObject(context, following).catch((error: unknown) => {
    throw error instanceof DeadlineExceeded ? timedOut(info) : error;
  });
  return current;
}

/** Throws where an object is not known by name: a list, for example. */
export function checkName({ name }: Info): void {
  if (name === "") throw new Error("resource name must be provided");
}

/** Throws if no request may be sent any more, with the words of the original's client. */
function checkTime(
  { factory }: Pick<CommandContext, "factory">,
  deadline: number | undefined,
): void {
  if (deadline !== undefined && factory.clock.now() >= deadline)
    throw new Error("client rate limiter Wait returned an error: context deadline exceeded");
}

export const timedOut = (info: Info): Error =>
  new Error(`timed out waiting for the condition on ${kindOf(info).plural}/${info.name}`);

export const conditionNotMet = (info: Info): Error =>
  new Error(`condition not met for ${kindOf(info).plural}/${info.name}`);
