import { bool, list, message, named, string, strings } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

const prefix = "io.k8s.apiserver.config.v1";

const Issuer = struct(`${prefix}.Issuer`, {
  url: string(1).doc("The URL of the issuer: the claim iss of its tokens."),
  discoveryURL: string(2).pointer().doc("The URL of its discovery document, if that is elsewhere."),
  certificateAuthority: string(3).doc("Certificates in PEM that verify the issuer's server."),
  audiences: strings(4).doc("The audiences, one of which a token must have."),
  audienceMatchPolicy: named(5, "v1.AudienceMatchPolicyType").doc("MatchAny."),
  egressSelectorType: named(6, "v1.EgressSelectorType").doc("controlplane or cluster."),
}).doc("An issuer of tokens.");
export interface Issuer extends Infer<typeof Issuer> {}

const ClaimValidationRule = struct(`${prefix}.ClaimValidationRule`, {
  claim: string(1).doc("A claim that must be there."),
  requiredValue: string(2).doc("Its value."),
  expression: string(3).doc("An expression of CEL about claims that must be true."),
  message: string(4).doc("What an error says where it is not."),
}).doc("A rule about the claims of a token.");
export interface ClaimValidationRule extends Infer<typeof ClaimValidationRule> {}

const PrefixedClaimOrExpression = struct(`${prefix}.PrefixedClaimOrExpression`, {
  claim: string(1).doc("The claim with the value."),
  prefix: string(2).pointer().doc("What is put before it."),
  expression: string(3).doc("An expression of CEL, instead of a claim."),
}).doc("A claim with a prefix, or an expression.");
export interface PrefixedClaimOrExpression extends Infer<typeof PrefixedClaimOrExpression> {}

const ClaimOrExpression = struct(`${prefix}.ClaimOrExpression`, {
  claim: string(1).doc("The claim with the value."),
  expression: string(2).doc("An expression of CEL, instead of a claim."),
}).doc("A claim, or an expression.");

const ExtraMapping = struct(`${prefix}.ExtraMapping`, {
  key: string(1).doc("The name of the attribute, with a domain before it."),
  valueExpression: string(2).doc("An expression of CEL with its values."),
}).doc("A further attribute of users.");
export interface ExtraMapping extends Infer<typeof ExtraMapping> {}

const ClaimMappings = struct(`${prefix}.ClaimMappings`, {
  username: message(1, PrefixedClaimOrExpression).doc("The user's name."),
  groups: message(2, PrefixedClaimOrExpression).doc("The user's groups."),
  uid: message(3, ClaimOrExpression).doc("The user's UID."),
  extra: list(4, ExtraMapping).doc("Further attributes."),
}).doc("Which claims say what of a user.");
export interface ClaimMappings extends Infer<typeof ClaimMappings> {}

const UserValidationRule = struct(`${prefix}.UserValidationRule`, {
  expression: string(1).doc("An expression of CEL about the user that must be true."),
  message: string(2).doc("What an error says where it is not."),
}).doc("A rule about the user of a token.");
export interface UserValidationRule extends Infer<typeof UserValidationRule> {}

const JWTAuthenticator = struct(`${prefix}.JWTAuthenticator`, {
  issuer: message(1, Issuer).doc("The issuer of the tokens."),
  claimValidationRules: list(2, ClaimValidationRule).doc("Rules that claims must meet."),
  claimMappings: message(3, ClaimMappings).doc("Which claims say what of a user."),
  userValidationRules: list(4, UserValidationRule).doc("Rules that users must meet."),
}).doc("Authenticates the tokens of one issuer.");
export interface JWTAuthenticator extends Infer<typeof JWTAuthenticator> {}

const AnonymousAuthCondition = struct(`${prefix}.AnonymousAuthCondition`, {
  path: string(1).doc("A path for which requests may be anonymous."),
}).doc("When a request may be anonymous.");

const AnonymousAuthConfig = struct(`${prefix}.AnonymousAuthConfig`, {
  enabled: bool(1).doc("Whether requests without credentials are anonymous."),
  conditions: list(2, AnonymousAuthCondition).doc("The paths for which they are; all without any."),
}).doc("Whether and when requests without credentials are anonymous.");
export interface AnonymousAuthConfig extends Infer<typeof AnonymousAuthConfig> {}

/** How callers are authenticated, as a file says it. */
export const AuthenticationConfiguration = struct(`${prefix}.AuthenticationConfiguration`, {
  kind: string(101).doc("AuthenticationConfiguration"),
  apiVersion: string(102).doc("apiserver.config.k8s.io/v1"),
  jwt: list(1, JWTAuthenticator).doc("The issuers whose tokens are accepted."),
  anonymous: message(2, AnonymousAuthConfig).doc("Whether requests may be anonymous."),
}).doc("How callers are authenticated.");
export interface AuthenticationConfiguration extends Infer<typeof AuthenticationConfiguration> {}
