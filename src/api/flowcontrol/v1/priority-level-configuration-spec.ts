import {
  int32,
  list,
  message,
  named,
  string,
  time,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

const prefix = "io.k8s.api.flowcontrol.v1";

export const QueuingConfiguration = struct(`${prefix}.QueuingConfiguration`, {
  queues: int32(1).always().doc("How many queues there are."),
  handSize: int32(2).always().doc("How many of them a flow may use."),
  queueLengthLimit: int32(3).always().doc("Requests that may wait in a queue."),
})
  .defaults((queuing) => {
    queuing.queues ||= 64;
    queuing.handSize ||= 8;
    queuing.queueLengthLimit ||= 50;
  })
  .doc("How requests wait for their turn.");
export interface QueuingConfiguration extends Infer<typeof QueuingConfiguration> {}

export const LimitResponse = struct(`${prefix}.LimitResponse`, {
  type: named(1, "v1.LimitResponseType")
    .always()
    .expected()
    .known("Queue", "Reject")
    .doc("Queue or Reject."),
  queuing: message(2, QueuingConfiguration).doc("How requests wait, if they do."),
}).doc("What becomes of requests that cannot be executed at once.");
export interface LimitResponse extends Infer<typeof LimitResponse> {}

export const LimitedPriorityLevelConfiguration = struct(
  `${prefix}.LimitedPriorityLevelConfiguration`,
  {
    nominalConcurrencyShares: int32(1)
      .nullable()
      .default(30)
      .doc("Its share of what the server can execute at a time."),
    limitResponse: value(2, LimitResponse).doc("What becomes of requests above the limit."),
    lendablePercent: int32(3)
      .pointer()
      .default(0)
      .doc("How much of its share other levels may use, in per cent."),
    borrowingLimitPercent: int32(4)
      .pointer()
      .doc("How much it may use of the shares of others, in per cent of its own."),
  },
).doc("A priority level whose requests are limited.");
export interface LimitedPriorityLevelConfiguration
  extends Infer<typeof LimitedPriorityLevelConfiguration> {}

export const ExemptPriorityLevelConfiguration = struct(
  `${prefix}.ExemptPriorityLevelConfiguration`,
  {
    nominalConcurrencyShares: int32(1)
      .pointer()
      .default(0)
      .doc("Its share of what the server can execute at a time, though it is no limit."),
    lendablePercent: int32(2)
      .pointer()
      .default(0)
      .doc("How much of its share other levels may use, in per cent."),
  },
).doc("A priority level whose requests are executed at once.");
export interface ExemptPriorityLevelConfiguration
  extends Infer<typeof ExemptPriorityLevelConfiguration> {}

export const PriorityLevelConfigurationSpec = struct(`${prefix}.PriorityLevelConfigurationSpec`, {
  type: named(1, "v1.PriorityLevelEnablement")
    .always()
    .expected()
    .known("Exempt", "Limited")
    .doc("Exempt or Limited."),
  limited: message(2, LimitedPriorityLevelConfiguration).doc("The limits of a limited level."),
  exempt: message(3, ExemptPriorityLevelConfiguration).doc("The shares of an exempt level."),
})
  .validatedElsewhere()
  .doc("How requests of a priority level are treated.");
export interface PriorityLevelConfigurationSpec
  extends Infer<typeof PriorityLevelConfigurationSpec> {}

export const PriorityLevelConfigurationCondition = struct(
  `${prefix}.PriorityLevelConfigurationCondition`,
  {
    type: named(1, "v1.PriorityLevelConfigurationConditionType").doc(
      "What the condition is about.",
    ),
    status: named(2, "v1.ConditionStatus")
      .known("True", "False", "Unknown")
      .doc("Whether it holds."),
    lastTransitionTime: time(3).always().doc("When the status last changed."),
    reason: string(4).doc("Why it last changed, for machines."),
    message: string(5).doc("Why it last changed, for people."),
  },
).doc("One aspect of the state of a priority level.");
export interface PriorityLevelConfigurationCondition
  extends Infer<typeof PriorityLevelConfigurationCondition> {}

export const PriorityLevelConfigurationStatus = struct(
  `${prefix}.PriorityLevelConfigurationStatus`,
  {
    conditions: list(1, PriorityLevelConfigurationCondition)
      .keyedBy("type")
      .doc("Aspects of its state."),
  },
).doc("What is known of a priority level.");
export interface PriorityLevelConfigurationStatus
  extends Infer<typeof PriorityLevelConfigurationStatus> {}
