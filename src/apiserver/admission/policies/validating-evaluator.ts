import { goTrim } from "../../../api/admissionregistration/v1/match-condition.ts";
import type {
  AuditAnnotation,
  ValidatingAdmissionPolicySpec,
  Validation,
} from "../../../api/admissionregistration/v1/validating-admission-policy-spec.ts";
import { boolType, nullType, stringType } from "../../../cel/checking/cel-type.ts";
import type { CelValue } from "../../../cel/values/cel-value.ts";
import {
  type AdmissionExpression,
  type ExpressionResult,
  evaluateExpressions,
} from "../expressions/evaluate-expressions.ts";
import { type MatchConditions, matchConditions } from "../expressions/match-conditions.ts";
import {
  type EvaluatorSetup,
  evaluationBudget,
  PolicyExpressions,
  type PolicyInput,
} from "./policy-expressions.ts";

/** What a validation says of a request. */
export interface Decision {
  readonly isDenied: boolean;
  /** Whether it could not be evaluated; such a decision follows the failure policy. */
  readonly isError: boolean;
  readonly message: string;
  /** The reason that the policy gives; empty without one. */
  readonly reason: string;
  readonly seconds: number;
}

/** An annotation of the audit log, or the error that denies the request. */
export type EvaluatedAnnotation =
  | { readonly key: string; readonly value: string }
  | { readonly error: string; readonly seconds: number };

export interface ValidationOutcome {
  /** In the order of the validations. */
  readonly decisions: readonly Decision[];
  readonly annotations: readonly EvaluatedAnnotation[];
}

/** Evaluates a policy for one request and one parameter. */
export type ValidatingEvaluator = (input: PolicyInput) => Promise<ValidationOutcome>;

/** The evaluator of a validating policy, which is compiled when it is first needed. */
export function validatingEvaluator(
  { name, spec }: { readonly name: string; readonly spec: ValidatingAdmissionPolicySpec },
  setup: EvaluatorSetup,
): ValidatingEvaluator {
  let compiled: CompiledPolicy | undefined;
  return (input) => {
    compiled ??= compile({ name, spec }, setup);
    return evaluate(compiled, input, setup.ticks);
  };
}

interface CompiledPolicy {
  readonly expressions: PolicyExpressions;
  readonly conditions: MatchConditions;
  readonly validations: readonly Validation[];
  readonly tests: readonly AdmissionExpression[];
  /** Those that there are, with the places of their validations. */
  readonly messages: readonly (AdmissionExpression & { readonly place: number })[];
  readonly annotations: readonly AuditAnnotation[];
  readonly values: readonly AdmissionExpression[];
  readonly ignoresErrors: boolean;
}

function compile(
  { name, spec }: { readonly name: string; readonly spec: ValidatingAdmissionPolicySpec },
  { conditionMetrics: metrics, ticks }: EvaluatorSetup,
): CompiledPolicy {
  const { validations = [], auditAnnotations: annotations = [], failurePolicy } = spec;
  const expressions = new PolicyExpressions(spec);
  const { compiler, hasParams } = expressions;
  const noRights = { hasAuthorizer: false };
  return {
    expressions,
    conditions: matchConditions({
      conditions: spec.matchConditions,
      failurePolicy,
      owner: { name, kind: "policy", type: "validate" },
      metrics,
      ticks,
      compiler,
      hasParams,
    }),
    validations,
    tests: validations.map(({ expression }) => expressions.compile(expression, [boolType])),
    annotations,
    values: annotations.map(({ valueExpression }) =>
      expressions.compile(valueExpression, [stringType, nullType]),
    ),
    messages: validations.flatMap(({ messageExpression }, place) =>
      messageExpression
        ? [{ ...expressions.compile(messageExpression, [stringType], noRights), place }]
        : [],
    ),
    ignoresErrors: failurePolicy === "Ignore",
  };
}

const nothing: ValidationOutcome = { decisions: [], annotations: [] };

async function evaluate(
  policy: CompiledPolicy,
  input: PolicyInput,
  ticks: () => number,
): Promise<ValidationOutcome> {
  const { variables } = policy.expressions;
  const { request, params = null } = input;
  const matched = policy.conditions({ request, params, variables });
  const outcome = matched instanceof Promise ? await matched : matched;
  if ("error" in outcome) return failed(policy, outcome.error);
  if (!outcome.matches) return nothing;
  const withRights = { ...input, variables, hasAuthorizer: true };
  const limits = { budget: evaluationBudget, ticks };
  const withoutRights = { ...withRights, hasAuthorizer: false };
  const tested = await evaluateExpressions(policy.tests, withRights, limits);
  if ("exhausted" in tested) return failed(policy, tested.exhausted);
  const left = { budget: tested.budget, ticks };
  const messages = await evaluateExpressions(policy.messages, withoutRights, left);
  const decisions = policy.validations.map((validation, i): Decision => {
    const result = tested.results[i] as ExpressionResult;
    const { seconds } = result;
    if ("error" in result) return failure(policy, result.error, seconds);
    if ("exhausted" in messages)
      return failure(policy, `failed messageExpression: ${messages.exhausted}`, seconds);
    if (result.value === true) return { ...admitted, seconds };
    const place = policy.messages.findIndex((message) => message.place === i);
    const message = messageOf(validation, messages.results[place]);
    return { isDenied: true, isError: false, message, reason: validation.reason ?? "", seconds };
  });
  const values = await evaluateExpressions(policy.values, withoutRights, limits);
  if ("exhausted" in values) return failed(policy, values.exhausted);
  const annotations = policy.annotations.flatMap(({ key }, i) =>
    annotation(policy, key, values.results[i] as ExpressionResult),
  );
  return { decisions, annotations };
}

const admitted = { isDenied: false, isError: false, message: "", reason: "" } as const;

const failure = ({ ignoresErrors }: CompiledPolicy, message: string, seconds = 0): Decision => ({
  isDenied: !ignoresErrors,
  isError: true,
  message,
  reason: "",
  seconds,
});

/** The outcome of a policy that fails as a whole. */
const failed = (policy: CompiledPolicy, message: string): ValidationOutcome => ({
  decisions: [failure(policy, message)],
  annotations: [],
});

const longestMessage = 5 * 1024;
const encoder = new TextEncoder();

/** What a client reads: the value of the message expression if it is fit for that, or else the message. */
function messageOf(
  { message = "", expression }: Validation,
  computed: ExpressionResult | undefined,
): string {
  const value = computed && "value" in computed ? computed.value : undefined;
  const text = typeof value === "string" ? goTrim(value) : "";
  const isFit = !text.includes("\n") && encoder.encode(text).length <= longestMessage;
  return (isFit && text) || goTrim(message) || `failed expression: ${goTrim(expression)}`;
}

function annotation(
  { ignoresErrors }: CompiledPolicy,
  key: string,
  result: ExpressionResult,
): readonly EvaluatedAnnotation[] {
  if ("error" in result)
    return ignoresErrors ? [] : [{ error: result.error, seconds: result.seconds }];
  const value = textOf(result.value);
  return value === "" ? [] : [{ key, value }];
}

/** The type of the expression is a string or null. */
const textOf = (value: CelValue): string => (typeof value === "string" ? goTrim(value) : "");
