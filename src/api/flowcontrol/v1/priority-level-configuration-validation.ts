import type { At } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { mandatoryPriorityLevels } from "./mandatory.ts";
import {
  type LimitedPriorityLevelConfiguration,
  type LimitResponse,
  PriorityLevelConfigurationSpec,
  type QueuingConfiguration,
} from "./priority-level-configuration-spec.ts";

/** The rules of a priority level of this name. */
export function validatePriorityLevelSpec(
  spec: PriorityLevelConfigurationSpec,
  at: At,
  name: string,
): void {
  const { type, limited, exempt } = spec;
  if ((name === "exempt") !== (type === "Exempt"))
    at.invalid("type", type, "must be 'Exempt' if and only if `name` is 'exempt'");
  if (type === "Exempt") {
    if (limited) at.forbidden("limited", "must be nil if the type is not Limited");
    if (exempt) validateShares(exempt, at.child("exempt"));
  } else if (type === "Limited") {
    if (exempt) at.forbidden("exempt", "must be nil if the type is Limited");
    if (limited) validateLimited(limited, at.child("limited"));
    else at.required("limited", "must not be empty when type is Limited");
  } else if (type === "") at.required("type");
  else at.notSupported("type", type, ["Exempt", "Limited"]);
  validateMandatory(spec, at, name);
}

/** The levels that every server has are fixed, but for the shares of the exempt one. */
function validateMandatory(spec: PriorityLevelConfigurationSpec, at: At, name: string): void {
  const fixed = mandatoryPriorityLevels[name];
  if (!fixed) return;
  const isExempt = name === "exempt";
  const compared = isExempt ? { ...spec, exempt: fixed.exempt } : spec;
  if (sameValue(compared, fixed)) return;
  const except = isExempt ? " except the 'spec.exempt' field" : "";
  at.invalid(
    "",
    internalForm(PriorityLevelConfigurationSpec, spec),
    `spec of '${name}'${except} must equal the fixed value`,
  );
}

interface Shares {
  readonly nominalConcurrencyShares?: number | undefined;
  readonly lendablePercent?: number | undefined;
}

function validateShares(shares: Shares, at: At): void {
  validateNominalShares(shares, at);
  validateLendablePercent(shares, at);
}

function validateLimited(limited: LimitedPriorityLevelConfiguration, at: At): void {
  validateNominalShares(limited, at);
  validateLimitResponse(limited.limitResponse, at.child("limitResponse"));
  validateLendablePercent(limited, at);
  const { borrowingLimitPercent = 0 } = limited;
  if (borrowingLimitPercent < 0)
    at.invalid(
      "borrowingLimitPercent",
      borrowingLimitPercent,
      "if specified, must be a non-negative integer",
    );
}

function validateNominalShares({ nominalConcurrencyShares = 0 }: Shares, at: At): void {
  if (nominalConcurrencyShares < 0)
    at.invalid(
      "nominalConcurrencyShares",
      nominalConcurrencyShares,
      "must be a non-negative integer",
    );
}

function validateLendablePercent({ lendablePercent = 0 }: Shares, at: At): void {
  if (lendablePercent < 0 || lendablePercent > 100)
    at.invalid("lendablePercent", lendablePercent, "must be between 0 and 100, inclusive");
}

function validateLimitResponse({ type, queuing }: LimitResponse, at: At): void {
  if (type === "Reject") {
    if (queuing)
      at.forbidden("queuing", "must be nil if limited.limitResponse.type is not Limited");
  } else if (type === "Queue") {
    if (queuing) validateQueuing(queuing, at.child("queuing"));
    else at.required("queuing", "must not be empty if limited.limitResponse.type is Limited");
  } else if (type === "") at.required("type");
  else at.notSupported("type", type, ["Queue", "Reject"]);
}

const maxQueues = 10_000_000;
/** The bits of a hash that may be used up in dealing a flow its queues. */
const maxHashBits = 60;

function validateQueuing(
  { queues, handSize, queueLengthLimit }: QueuingConfiguration,
  at: At,
): void {
  if (queueLengthLimit <= 0) at.invalid("queueLengthLimit", queueLengthLimit, "must be positive");
  if (queues <= 0) at.invalid("queues", queues, "must be positive");
  else if (queues > maxQueues)
    at.invalid("queues", queues, `must not be greater than ${maxQueues}`);
  if (handSize <= 0) at.invalid("handSize", handSize, "must be positive");
  else if (handSize > queues)
    at.invalid("handSize", handSize, `should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * handSize) > maxHashBits)
    at.invalid(
      "handSize",
      handSize,
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxHashBits}`,
    );
}
